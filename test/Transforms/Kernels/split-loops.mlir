// RUN: dyn-opt %s --split-input-file --dyn-pipeline=to=kernels --mlir-print-local-scope | FileCheck %s

// A view between a product and what follows keeps nothing apart: the rows of the product become the loops of the view.
// CHECK-LABEL: func.func @epilogue_behind_a_view
// CHECK-NOT: tensor.expand_shape
// CHECK: dyn_shape.launch @contraction_0
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0
// CHECK: math.tanh
func.func @epilogue_behind_a_view(%x: tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>> {dyn.name = "x"},
                                  %w: tensor<8x16xf32> {dyn.name = "w"})
    -> (tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %rows = dyn.reshape %x : tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>> to tensor<?x8xf32, #dyn.dims<[B * S, 8]>>
  %product = dyn.matmul %rows, %w : (tensor<?x8xf32, #dyn.dims<[B * S, 8]>>, tensor<8x16xf32>) -> tensor<?x16xf32, #dyn.dims<[B * S, 16]>>
  %view = dyn.reshape %product : tensor<?x16xf32, #dyn.dims<[B * S, 16]>> to tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>
  %y = dyn.tanh %view : (tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>) -> tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>
  return %y : tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>
}

// -----

// What is added to each of several rows is not the same for all: as one kernel, the product would be one for each B.
// CHECK-LABEL: func.func @rows_that_differ
// CHECK: dyn_shape.launch @contraction_0 ins(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8x16xf32>)
// CHECK: dyn_shape.launch @pointwise_0
func.func @rows_that_differ(%x: tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>> {dyn.name = "x"},
                            %p: tensor<?x16xf32, #dyn.dims<[S, 16]>> {dyn.name = "p"})
    -> (tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %w = dyn.constant dense<1.0> : tensor<8x16xf32>
  %rows = dyn.reshape %x : tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>> to tensor<?x8xf32, #dyn.dims<[B * S, 8]>>
  %product = dyn.matmul %rows, %w : (tensor<?x8xf32, #dyn.dims<[B * S, 8]>>, tensor<8x16xf32>) -> tensor<?x16xf32, #dyn.dims<[B * S, 16]>>
  %view = dyn.reshape %product : tensor<?x16xf32, #dyn.dims<[B * S, 16]>> to tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>
  %y = dyn.add %view, %p : (tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>, tensor<?x16xf32, #dyn.dims<[S, 16]>>) -> tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>
  return %y : tensor<?x?x16xf32, #dyn.dims<[B, S, 16]>>
}

// -----

// Transposes and a scale with views between them are one pass over the data.
// CHECK-LABEL: func.func @transposes_between_views
// CHECK: dyn_shape.launch @pointwise_0 ins(%arg0 : tensor<?x?x4x16xf32>)
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @pointwise_0
// CHECK: affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @transposes_between_views(%x: tensor<?x?x4x16xf32, #dyn.dims<[B, S, 4, 16]>> {dyn.name = "x"})
    -> (tensor<?x4x16x?xf32, #dyn.dims<[B, 4, 16, S]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %half = dyn.constant dense<5.0e-01> : tensor<f32>
  %heads = dyn.transpose %x perm [0, 2, 1, 3] : (tensor<?x?x4x16xf32, #dyn.dims<[B, S, 4, 16]>>) -> tensor<?x4x?x16xf32, #dyn.dims<[B, 4, S, 16]>>
  %joined = dyn.reshape %heads : tensor<?x4x?x16xf32, #dyn.dims<[B, 4, S, 16]>> to tensor<?x?x16xf32, #dyn.dims<[4 * B, S, 16]>>
  %turned = dyn.transpose %joined perm [0, 2, 1] : (tensor<?x?x16xf32, #dyn.dims<[4 * B, S, 16]>>) -> tensor<?x16x?xf32, #dyn.dims<[4 * B, 16, S]>>
  %divided = dyn.reshape %turned : tensor<?x16x?xf32, #dyn.dims<[4 * B, 16, S]>> to tensor<?x4x16x?xf32, #dyn.dims<[B, 4, 16, S]>>
  %y = dyn.mul %divided, %half : (tensor<?x4x16x?xf32, #dyn.dims<[B, 4, 16, S]>>, tensor<f32>) -> tensor<?x4x16x?xf32, #dyn.dims<[B, 4, 16, S]>>
  return %y : tensor<?x4x16x?xf32, #dyn.dims<[B, 4, 16, S]>>
}

// -----

// A loop that a reduction runs over stays whole, in whatever is computed along with it.
// CHECK-LABEL: func.func @view_of_a_reduced_dim
// CHECK: dyn_shape.launch @row_0 ins(%arg0 : tensor<?x8xf32>)
// CHECK: dyn_shape.launch @pointwise_0
// CHECK-NOT: dyn_shape.launch
func.func @view_of_a_reduced_dim(%x: tensor<?x8xf32, #dyn.dims<[B, 8]>> {dyn.name = "x"})
    -> (tensor<?x4x2xf32, #dyn.dims<[B, 4, 2]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0]>} {
  %exp = dyn.exp %x : (tensor<?x8xf32, #dyn.dims<[B, 8]>>) -> tensor<?x8xf32, #dyn.dims<[B, 8]>>
  %sum = dyn.reduce sum %exp axes [-1] keep_dims : (tensor<?x8xf32, #dyn.dims<[B, 8]>>) -> tensor<?x1xf32, #dyn.dims<[B, 1]>>
  %part = dyn.div %exp, %sum : (tensor<?x8xf32, #dyn.dims<[B, 8]>>, tensor<?x1xf32, #dyn.dims<[B, 1]>>) -> tensor<?x8xf32, #dyn.dims<[B, 8]>>
  %view = dyn.reshape %part : tensor<?x8xf32, #dyn.dims<[B, 8]>> to tensor<?x2x4xf32, #dyn.dims<[B, 2, 4]>>
  %turned = dyn.transpose %view perm [0, 2, 1] : (tensor<?x2x4xf32, #dyn.dims<[B, 2, 4]>>) -> tensor<?x4x2xf32, #dyn.dims<[B, 4, 2]>>
  %y = dyn.tanh %turned : (tensor<?x4x2xf32, #dyn.dims<[B, 4, 2]>>) -> tensor<?x4x2xf32, #dyn.dims<[B, 4, 2]>>
  return %y : tensor<?x4x2xf32, #dyn.dims<[B, 4, 2]>>
}

// -----

// Equal pieces of one tensor are read where they are, also as the operands of a product.
// CHECK-LABEL: func.func @pieces
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0], [1, 2, 3]] output_shape [%{{.*}}, 2, 2, 4]
// CHECK: dyn_shape.launch @contraction_0
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0
// CHECK: affine_map<(d0, d1, d2, d3) -> (d1, 0, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, 1, d0, d3)>
func.func @pieces(%x: tensor<?x16xf32, #dyn.dims<[S, 16]>> {dyn.name = "x"})
    -> (tensor<2x?x?xf32, #dyn.dims<[2, S, S]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.slice %x[0:S, 0:8] : tensor<?x16xf32, #dyn.dims<[S, 16]>> -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %1 = dyn.slice %x[0:S, 8:16] : tensor<?x16xf32, #dyn.dims<[S, 16]>> -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %q = dyn.reshape %0 : tensor<?x8xf32, #dyn.dims<[S, 8]>> to tensor<?x2x4xf32, #dyn.dims<[S, 2, 4]>>
  %k = dyn.reshape %1 : tensor<?x8xf32, #dyn.dims<[S, 8]>> to tensor<?x2x4xf32, #dyn.dims<[S, 2, 4]>>
  %qt = dyn.transpose %q perm [1, 0, 2] : (tensor<?x2x4xf32, #dyn.dims<[S, 2, 4]>>) -> tensor<2x?x4xf32, #dyn.dims<[2, S, 4]>>
  %kt = dyn.transpose %k perm [1, 2, 0] : (tensor<?x2x4xf32, #dyn.dims<[S, 2, 4]>>) -> tensor<2x4x?xf32, #dyn.dims<[2, 4, S]>>
  %y = dyn.matmul %qt, %kt : (tensor<2x?x4xf32, #dyn.dims<[2, S, 4]>>, tensor<2x4x?xf32, #dyn.dims<[2, 4, S]>>) -> tensor<2x?x?xf32, #dyn.dims<[2, S, S]>>
  return %y : tensor<2x?x?xf32, #dyn.dims<[2, S, S]>>
}

// -----

// Halves that change places are selected by the number of the half.
// CHECK-LABEL: func.func @rotated_halves
// CHECK: dyn_shape.launch @pointwise_0
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @pointwise_0
// CHECK: affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK: arith.select
func.func @rotated_halves(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "x"})
    -> (tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %low = dyn.slice %x[0:S, 0:4] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x4xf32, #dyn.dims<[S, 4]>>
  %high = dyn.slice %x[0:S, 4:8] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x4xf32, #dyn.dims<[S, 4]>>
  %negated = dyn.neg %high : (tensor<?x4xf32, #dyn.dims<[S, 4]>>) -> tensor<?x4xf32, #dyn.dims<[S, 4]>>
  %rotated = dyn.concat 1 (%negated, %low) : (tensor<?x4xf32, #dyn.dims<[S, 4]>>, tensor<?x4xf32, #dyn.dims<[S, 4]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %y = dyn.add %x, %rotated : (tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  return %y : tensor<?x8xf32, #dyn.dims<[S, 8]>>
}

// -----

// Pieces of other sizes stay slices.
// CHECK-LABEL: func.func @unequal_pieces
// CHECK: dyn_shape.launch @pointwise_0 ins(%arg0 : tensor<?x12xf32>)
// CHECK: tensor.extract
func.func @unequal_pieces(%x: tensor<?x12xf32, #dyn.dims<[S, 12]>> {dyn.name = "x"})
    -> (tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %piece = dyn.slice %x[0:S, 4:12] : tensor<?x12xf32, #dyn.dims<[S, 12]>> -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %y = dyn.tanh %piece : (tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  return %y : tensor<?x8xf32, #dyn.dims<[S, 8]>>
}

// -----

// Keys that heads share are scaled once, not once for each head, where they lie: neither repeated nor transposed.
// CHECK-LABEL: func.func @shared_keys
// CHECK: dyn_shape.launch @pointwise_0 ins(%arg1 : tensor<2x?x4xf32>) outs(%{{.*}} : tensor<2x?x4xf32>)
// CHECK: dyn_shape.launch @contraction_0
// CHECK-NOT: dyn_shape.launch
func.func @shared_keys(%q: tensor<6x?x4xf32, #dyn.dims<[6, S, 4]>> {dyn.name = "q"},
                       %k: tensor<2x?x4xf32, #dyn.dims<[2, T, 4]>> {dyn.name = "k"})
    -> (tensor<6x?x?xf32, #dyn.dims<[6, S, T]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[1], T: [0, ?] from arg1[1]>} {
  %half = dyn.constant dense<5.0e-01> : tensor<f32>
  %k1 = dyn.reshape %k : tensor<2x?x4xf32, #dyn.dims<[2, T, 4]>> to tensor<2x1x?x4xf32, #dyn.dims<[2, 1, T, 4]>>
  %k3 = dyn.broadcast %k1 : tensor<2x1x?x4xf32, #dyn.dims<[2, 1, T, 4]>> to tensor<2x3x?x4xf32, #dyn.dims<[2, 3, T, 4]>>
  %k6 = dyn.reshape %k3 : tensor<2x3x?x4xf32, #dyn.dims<[2, 3, T, 4]>> to tensor<6x?x4xf32, #dyn.dims<[6, T, 4]>>
  %kt = dyn.transpose %k6 perm [0, 2, 1] : (tensor<6x?x4xf32, #dyn.dims<[6, T, 4]>>) -> tensor<6x4x?xf32, #dyn.dims<[6, 4, T]>>
  %scaled = dyn.mul %kt, %half : (tensor<6x4x?xf32, #dyn.dims<[6, 4, T]>>, tensor<f32>) -> tensor<6x4x?xf32, #dyn.dims<[6, 4, T]>>
  %y = dyn.matmul %q, %scaled : (tensor<6x?x4xf32, #dyn.dims<[6, S, 4]>>, tensor<6x4x?xf32, #dyn.dims<[6, 4, T]>>) -> tensor<6x?x?xf32, #dyn.dims<[6, S, T]>>
  return %y : tensor<6x?x?xf32, #dyn.dims<[6, S, T]>>
}
