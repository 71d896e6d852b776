// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// The result has the dims of the other tensor, whatever the operand's are.
// CHECK-LABEL: func.func @one_way
// CHECK: dyn.require {{.*C == 1.*}} because "one-way broadcast"
// CHECK: dyn.expand_like {{.*}} -> tensor<?x?xf32, #dyn.dims<[M, N]>>
func.func @one_way(%c: tensor<?xf32, #dyn.dims<[C]>>, %x: tensor<?x?xi64, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<C: [0, ?] from arg0[0], M: [0, ?] from arg1[0], N: [0, ?] from arg1[1]>} {
  %0 = dyn.expand_like %c, %x : (tensor<?xf32, #dyn.dims<[C]>>, tensor<?x?xi64, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Ranks that types do not say.
// CHECK-LABEL: func.func @no_rank_yet
// CHECK: dyn.expand_like {{.*}} -> tensor<?x8xf32, #dyn.dims<[M, 8]>>
func.func @no_rank_yet(%c: tensor<8xf32>, %x: tensor<?x8xf32, #dyn.dims<[M, 8]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[0]>} {
  %0 = dyn.exp %x : (tensor<?x8xf32, #dyn.dims<[M, 8]>>) -> tensor<*xf32>
  %1 = dyn.expand_like %c, %0 : (tensor<8xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

// Rejects what never fits: a larger dim does not repeat the other tensor.
func.func @larger(%c: tensor<8xf32>, %x: tensor<?x1xf32, #dyn.dims<[M, 1]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[0]>} {
  // expected-error @+2 {{one-way broadcast}}
  // expected-note @+1 {{one-way broadcast at}}
  %0 = dyn.expand_like %c, %x : (tensor<8xf32>, tensor<?x1xf32, #dyn.dims<[M, 1]>>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @more_dims(%c: tensor<2x8xf32>, %x: tensor<8xf32>) -> tensor<*xf32> {
  %0 = dyn.exp %x : (tensor<8xf32>) -> tensor<*xf32>
  // expected-error @below {{operand has rank 2, the result 1}}
  %1 = dyn.expand_like %c, %0 : (tensor<2x8xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}
