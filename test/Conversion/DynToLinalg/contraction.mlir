// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @batched_matmul
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @batched_matmul(%x: tensor<?x12x?x64xf32, #dyn.dims<[B, 12, S, 64]>>, %y: tensor<1x12x64x?xf32, #dyn.dims<[1, 12, 64, T]>>)
    -> tensor<?x12x?x?xf32, #dyn.dims<[B, 12, S, T]>>
    attributes {dyn.symbols = #dyn.symbols<B: [2, 64] from arg0[0], S: [1, 512] from arg0[2], T: [1, 512] from arg1[3]>} {
  %0 = dyn.matmul %x, %y : (tensor<?x12x?x64xf32, #dyn.dims<[B, 12, S, 64]>>, tensor<1x12x64x?xf32, #dyn.dims<[1, 12, 64, T]>>)
      -> tensor<?x12x?x?xf32, #dyn.dims<[B, 12, S, T]>>
  return %0 : tensor<?x12x?x?xf32, #dyn.dims<[B, 12, S, T]>>
}

// -----

// CHECK-LABEL: func.func @vectors
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>
func.func @vectors(%x: tensor<3xf32>, %y: tensor<3x4xf32>, %z: tensor<4xf32>) -> tensor<f32> {
  %0 = dyn.matmul %x, %y : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  %1 = dyn.matmul %0, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Padding makes a tensor of its own; groups become a dim of views.
// CHECK-LABEL: func.func @grouped_conv
// CHECK: %[[PADDED:.*]] = linalg.generic
// CHECK: %[[PLACE:.*]] = arith.subi
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[PLACE]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %[[PLACE]]]
// CHECK: tensor.expand_shape %[[PADDED]] {{\[\[}}0], [1, 2], [3]]
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 * 2 + d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3]]
func.func @grouped_conv(%x: tensor<2x4x6xf32>, %w: tensor<4x2x3xf32>) -> tensor<2x4x3xf32> {
  %0 = dyn.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 1>, dilations = array<i64: 1>, group = 2 : i64}
      : (tensor<2x4x6xf32>, tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// -----

// Along a window of one place there is no loop; along the other dim there is.
// CHECK-LABEL: func.func @one_place_high
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2 * 2, d3 + d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, 0, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
func.func @one_place_high(%x: tensor<2x4x6x9xf32>, %w: tensor<4x4x1x3xf32>) -> tensor<2x4x3x7xf32> {
  %0 = dyn.conv %x, %w {strides = array<i64: 2, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 3, 1>, group = 1 : i64}
      : (tensor<2x4x6x9xf32>, tensor<4x4x1x3xf32>) -> tensor<2x4x3x7xf32>
  return %0 : tensor<2x4x3x7xf32>
}
