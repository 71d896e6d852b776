// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// Without axes, dims with names stay; at size 1 they would not, so that is required.
// CHECK-LABEL: func.func @named_dims_stay
// CHECK-DAG: dyn.require A ne 1 because "squeeze: a dim of 1 would change the rank"
// CHECK-DAG: dyn.require B ne 1 because "squeeze: a dim of 1 would change the rank"
// CHECK: dyn.squeeze %arg0 : {{.*}} -> tensor<?x?xf32, #dyn.dims<[A, B]>>
func.func @named_dims_stay(%x: tensor<?x1x?xf32, #dyn.dims<[A, 1, B]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg0[2]>} {
  %0 = dyn.squeeze %x : (tensor<?x1x?xf32, #dyn.dims<[A, 1, B]>>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// A range may settle it.
// CHECK-LABEL: func.func @larger_dims
// CHECK-NOT: dyn.require
// CHECK: dyn.squeeze %arg0 : {{.*}} -> tensor<?xf32, #dyn.dims<[A]>>
func.func @larger_dims(%x: tensor<?x1xf32, #dyn.dims<[A, 1]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<A: [2, ?] from arg0[0]>} {
  %0 = dyn.squeeze %x : (tensor<?x1xf32, #dyn.dims<[A, 1]>>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// So may the rank that is asked for, here by a later op.
// CHECK-LABEL: func.func @known_rank
// CHECK: dyn.require A == 1 because "squeeze"
// CHECK: dyn.squeeze {{.*}} -> tensor<f32>
func.func @known_rank(%x: tensor<?x1xf32, #dyn.dims<[A, 1]>>) -> tensor<f32>
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0]>} {
  %0 = dyn.squeeze %x : (tensor<?x1xf32, #dyn.dims<[A, 1]>>) -> tensor<f32>
  return %0 : tensor<f32>
}
