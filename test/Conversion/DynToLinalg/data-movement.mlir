// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// Heads are split and merged by views of the dim that they divide.
// CHECK-LABEL: func.func @split_heads
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
func.func @split_heads(%x: tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>) -> tensor<?x12x?x64xf32, #dyn.dims<[B, 12, S, 64]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, 64] from arg0[0], S: [0, 512] from arg0[1]>} {
  %0 = dyn.reshape %x : tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>> to tensor<?x?x12x64xf32, #dyn.dims<[B, S, 12, 64]>>
  %1 = dyn.transpose %0 perm [0, 2, 1, 3] : (tensor<?x?x12x64xf32, #dyn.dims<[B, S, 12, 64]>>)
      -> tensor<?x12x?x64xf32, #dyn.dims<[B, 12, S, 64]>>
  return %1 : tensor<?x12x?x64xf32, #dyn.dims<[B, 12, S, 64]>>
}

// -----

// CHECK-LABEL: func.func @regrouped_dims
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]]
func.func @regrouped_dims(%x: tensor<?x4x6xf32, #dyn.dims<[B, 4, 6]>>) -> tensor<?x2x3xf32, #dyn.dims<[B * 4, 2, 3]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, 64] from arg0[0]>} {
  %0 = dyn.reshape %x : tensor<?x4x6xf32, #dyn.dims<[B, 4, 6]>> to tensor<?x2x3xf32, #dyn.dims<[B * 4, 2, 3]>>
  return %0 : tensor<?x2x3xf32, #dyn.dims<[B * 4, 2, 3]>>
}

// -----

// CHECK-LABEL: func.func @slice_from_the_end
// CHECK-DAG: %[[S:.*]] = dyn_shape.sym "S"
// CHECK-DAG: %[[LAST:.*]] = dyn_shape.apply {{.*}} (S = %[[S]])
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[STEP:.*]] = arith.muli %[[I]]
// CHECK: %[[AT:.*]] = arith.addi %[[LAST]], %[[STEP]]
// CHECK: tensor.extract %{{.*}}[%[[AT]]]
func.func @slice_from_the_end(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
    attributes {dyn.symbols = #dyn.symbols<S: [1, 512] from arg0[0]>} {
  %0 = dyn.slice %x[S - 1:-1:-1] : tensor<?xf32, #dyn.dims<[S]>> -> tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

// -----

// Sizes as data: elements are chosen by place, from values that the host knows.
// CHECK-LABEL: func.func @sizes_as_data
// CHECK-DAG: %[[S:.*]] = dyn_shape.sym "S"
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK: arith.index_cast %{{.*}} : index to i64
func.func @sizes_as_data(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<2xi64>
    attributes {dyn.symbols = #dyn.symbols<S: [1, 512] from arg0[0]>} {
  %0 = dyn.dim_values [S, 7] : tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// An operand that may be empty is read only where there is something to read.
// CHECK-LABEL: func.func @pad_of_maybe_empty
// CHECK: linalg.generic
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]]
// CHECK: tensor.extract
func.func @pad_of_maybe_empty(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S + 2]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, 512] from arg0[0]>} {
  %0 = dyn.pad constant %x low [1] : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S + 2]>>
  return %0 : tensor<?xf32, #dyn.dims<[S + 2]>>
}
