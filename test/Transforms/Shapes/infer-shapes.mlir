// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// Fires: dims of inputs reach every result; equal names cost no guard.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: dyn.require
// CHECK: dyn.add {{.*}} -> tensor<?x4xf32, #dyn.dims<[B, 4]>>
func.func @elementwise(%x: tensor<?x4xf32, #dyn.dims<[B, 4]>>, %y: tensor<?x1xf32, #dyn.dims<[B, 1]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0]>} {
  %0 = dyn.add %x, %y : (tensor<?x4xf32, #dyn.dims<[B, 4]>>, tensor<?x1xf32, #dyn.dims<[B, 1]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// An undecided broadcast is guarded, and its size is no maximum: 0 against 1 gives 0.
// CHECK-LABEL: func.func @undecided
// CHECK: dyn.require M == N or M == 1 or N == 1 because "add"
// CHECK: dyn.add {{.*}} -> tensor<?xf32, #dyn.dims<[bcast(M, N)]>>
func.func @undecided(%x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %0 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Backwards: what the contraction needs of its operands is known of all that is made of them. Inputs keep their dims.
// CHECK-LABEL: func.func @contraction
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32, #dyn.dims<[m, k]>>, %[[B:.*]]: tensor<?x?xf32, #dyn.dims<[l, n]>>
// CHECK: dyn.require k == l because "matmul: contraction"
// CHECK: dyn.assume_shape %[[B]]
// CHECK: dyn.matmul {{.*}} -> tensor<?x?xf32, #dyn.dims<[m, n]>>
func.func @contraction(%a: tensor<?x?xf32, #dyn.dims<[m, k]>>, %b: tensor<?x?xf32, #dyn.dims<[l, n]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<m: [0, ?] from arg0[0], k: [0, ?] from arg0[1], l: [0, ?] from arg1[0],
                                          n: [0, ?] from arg1[1]>} {
  %0 = dyn.matmul %a, %b : (tensor<?x?xf32, #dyn.dims<[m, k]>>, tensor<?x?xf32, #dyn.dims<[l, n]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Dims of inputs without a name get one.
// CHECK-LABEL: func.func @unnamed
// CHECK-SAME: tensor<?xf32, #dyn.dims<[s0]>>
// CHECK-SAME: dyn.symbols = #dyn.symbols<s0: [0, ?] from arg0[0]>
func.func @unnamed(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = dyn.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Does not fire: static types stay as they are.
// CHECK-LABEL: func.func @static
// CHECK-NEXT: dyn.exp %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @static(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dyn.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Elements of an integer input that decide dims are symbols. They may say -1 and 0, so that dims are other ones.
// CHECK-LABEL: func.func @reshape_by_input
// CHECK-SAME: -> tensor<?x?xf32, #dyn.dims<[d2, d3]>>
// CHECK-SAME: from arg1{0}
// CHECK-SAME: from arg1{1}
// CHECK-DAG: dyn.require 1 <= arg1_10 or arg1_10 <= -1 because "reshape: a 0 copies no dim of the operand"
// CHECK-DAG: dyn.require {{.*}} <= 1 because "reshape: at most one element of the shape may be -1, and none less"
// CHECK-DAG: dyn.require (0 <= arg1_00 and 0 <= arg1_10) or 1 <= d0 because "reshape: -1 beside a dim of size 0; d0 is the size of dim 0, 1 for a -1"
// CHECK-DAG: dyn.require d2 * d3 == N because "reshape: as many elements as the operand has"
func.func @reshape_by_input(%x: tensor<?xf32, #dyn.dims<[N]>>, %shape: tensor<2xi64>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %0 = dyn.reshape_to %x, %shape : (tensor<?xf32, #dyn.dims<[N]>>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Rejects: a contradiction, with the reasons.
func.func @contradiction(%x: tensor<?x3xf32, #dyn.dims<[B, 3]>>, %y: tensor<?x5xf32, #dyn.dims<[B, 5]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0]>} {
  // expected-error @+2 {{add}}
  // expected-note @+1 {{add at}}
  %0 = dyn.add %x, %y : (tensor<?x3xf32, #dyn.dims<[B, 3]>>, tensor<?x5xf32, #dyn.dims<[B, 5]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Rejects: an input without a rank.
// expected-error @below {{input 'arg0' has no rank}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = dyn.exp %x : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// What the import says of an equation that no node of the model names is told with its guard.
// CHECK-LABEL: func.func @named_equation
// CHECK: dyn.require N == M because "elements of lengths"
func.func @named_equation(%x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %0 = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %1 = dyn.reshape_to %x, %0 allow_zero {dyn.because = "elements of lengths"} : (tensor<?xf32, #dyn.dims<[M]>>, tensor<1xi64>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// An operator stands before what the op says itself.
// CHECK-LABEL: func.func @named_operator
// CHECK: dyn.require K == L because "Gemm of `a` and `b`: contraction"
func.func @named_operator(%x: tensor<4x?xf32, #dyn.dims<[4, K]>>, %y: tensor<?x3xf32, #dyn.dims<[L, 3]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<K: [0, ?] from arg0[1], L: [0, ?] from arg1[0]>} {
  %0 = dyn.matmul %x, %y {dyn.because = {operator = "Gemm", operands = "`a` and `b`"}} : (tensor<4x?xf32, #dyn.dims<[4, K]>>, tensor<?x3xf32, #dyn.dims<[L, 3]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
