// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// What stands behind the branches takes one of the ranks only: the condition is required.
// CHECK-LABEL: func.func @later_op_decides
// CHECK: dyn.require M == 1 because "branch, the only one that fits node 'turn'"
// CHECK-NOT: dyn.if
// CHECK: dyn.transpose {{.*}} -> tensor<?x?xf32, #dyn.dims<[K, N]>>
func.func @later_op_decides(%x: tensor<?x?x?xf32, #dyn.dims<[N, K, M]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], K: [0, ?] from arg0[1], M: [0, ?] from arg0[2]>} {
  %last = dyn.constant dense<2> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %s = dyn.shape_of %x : (tensor<?x?x?xf32, #dyn.dims<[N, K, M]>>) -> tensor<3xi64>
  %d = dyn.gather %s, %last axis 0 : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %c = dyn.compare eq %d, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<*xf32> {
    %1 = dyn.squeeze %x axes [-1] : (tensor<?x?x?xf32, #dyn.dims<[N, K, M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    dyn.yield %x : tensor<?x?x?xf32, #dyn.dims<[N, K, M]>>
  }
  %2 = dyn.transpose %0 perm [1, 0] : (tensor<*xf32>) -> tensor<*xf32> loc("turn")
  return %2 : tensor<*xf32>
}

// -----

// In a branch that not every run takes, only that branch relies on it.
// CHECK-LABEL: func.func @inside_of_a_branch
// CHECK-NOT: dyn.require
// CHECK: dyn.if {{.*}} -> tensor<?x?xf32, #dyn.dims<[N, K]>>
// CHECK: dyn.require 4 <= N
// CHECK-NEXT: dyn.transpose
// CHECK-NOT: dyn.if
func.func @inside_of_a_branch(%b: tensor<i1>, %x: tensor<?x?xf32, #dyn.dims<[N, K]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0], K: [0, ?] from arg1[1]>} {
  %0 = dyn.if %b : (tensor<i1>) -> tensor<*xf32> {
    %first = dyn.constant dense<0> : tensor<1xi64>
    %four = dyn.constant dense<4> : tensor<1xi64>
    %s = dyn.shape_of %x : (tensor<?x?xf32, #dyn.dims<[N, K]>>) -> tensor<2xi64>
    %d = dyn.gather %s, %first axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
    %c = dyn.compare lt %d, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %1 = dyn.if %c : (tensor<1xi1>) -> tensor<*xf32> {
      %3 = dyn.unsqueeze %x axes [0] : (tensor<?x?xf32, #dyn.dims<[N, K]>>) -> tensor<?x?x?xf32>
      dyn.yield %3 : tensor<?x?x?xf32>
    } else {
      dyn.yield %x : tensor<?x?xf32, #dyn.dims<[N, K]>>
    }
    %2 = dyn.transpose %1 perm [0, 1] : (tensor<*xf32>) -> tensor<*xf32>
    dyn.yield %2 : tensor<*xf32>
  } else {
    dyn.yield %x : tensor<?x?xf32, #dyn.dims<[N, K]>>
  }
  return %0 : tensor<*xf32>
}

// -----

// Both ranks fit.
func.func @both_fit(%x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1> : tensor<1xi64>
  %d = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %c = dyn.compare eq %d, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  // expected-error @below {{the rank of result 0 can't be found before the run: a value of rank 2 in one branch, of rank 1 in the other}}
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<*xf32> {
    %1 = dyn.unsqueeze %x axes [0] : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  %2 = dyn.neg %0 : (tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// Neither fits.
func.func @neither_fits(%x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1> : tensor<1xi64>
  %d = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %c = dyn.compare eq %d, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  // expected-error @below {{the rank of result 0 can't be found before the run: a value of rank 2 in one branch, of rank 1 in the other}}
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<*xf32> {
    %1 = dyn.unsqueeze %x axes [0] : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  %2 = dyn.transpose %0 perm [2, 1, 0] : (tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// Data decide: no guard can see to it.
func.func @data_decide(%c: tensor<i1>, %x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[0]>} {
  // expected-error @below {{the rank of result 0 can't be found before the run: a value of rank 2 in one branch, of rank 1 in the other}}
  %0 = dyn.if %c : (tensor<i1>) -> tensor<*xf32> {
    %1 = dyn.unsqueeze %x axes [0] : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  %2 = dyn.transpose %0 perm [1, 0] : (tensor<*xf32>) -> tensor<*xf32>
  return %2 : tensor<*xf32>
}

// -----

// Sizes decide for all runs which branch is taken: its needs are theirs, and teach what stands around it.
// CHECK-LABEL: func.func @needs_of_a_taken_branch
// CHECK: dyn.require M == N
// CHECK-NOT: dyn.if
// CHECK: dyn.concat {{.*}} -> tensor<?xf32, #dyn.dims<[2 * M]>>
func.func @needs_of_a_taken_branch(%x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [5, ?] from arg0[0], N: [2, ?] from arg1[0]>} {
  %four = dyn.constant dense<4> : tensor<1xi64>
  %d = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %c = dyn.compare gt %d, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<*xf32> {
    %1 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    dyn.yield %1 : tensor<?xf32>
  } else {
    %1 = dyn.unsqueeze %x axes [0] : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  }
  %2 = dyn.concat 0 (%0, %y) : (tensor<*xf32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
