// RUN: dyn-opt %s -pass-pipeline='builtin.module(func.func(dyn-infer-shapes,dyn-minimize-guards))' | FileCheck %s

// Behind inference, guards that stay as they are need no second look, but where a branch has become part of the function:
// what its ops need nothing has guarded yet.
// CHECK-LABEL: func.func @branch
// CHECK-NEXT: dyn.require M == N because "add"
func.func @branch(%x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [2, 3] from arg0[0], N: [2, ?] from arg1[0]>} {
  %four = dyn.constant dense<4> : tensor<1xi64>
  %d = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %c = dyn.compare lt %d, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<?xf32> {
    %1 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    dyn.yield %1 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0 : tensor<?xf32>
}

// What was proved from the guard that another one makes superfluous still holds.
// CHECK-LABEL: func.func @implied
// CHECK: dyn.require S == T because "add"
// CHECK: dyn.require S <= 256 because "table"
// CHECK-NOT: dyn.require
func.func @implied(%x: tensor<?xf32, #dyn.dims<[S]>>, %y: tensor<?xf32, #dyn.dims<[T]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [2, ?] from arg0[0], T: [2, ?] from arg1[0]>} {
  dyn.require min(S, 256) == S because "table"
  dyn.require min(S, 512) == S because "longer table"
  %0 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[S]>>, tensor<?xf32, #dyn.dims<[T]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The dim of the result is a sum too long for a dim, so that it has a name. The guard says that it is a size: it must not
// be dropped as implied by what it makes true.
// CHECK-LABEL: func.func @named_size
// CHECK-SAME: d0: [?, ?] =
// CHECK: dyn.require 0 <= arg0_00 + arg0_10 + {{.*}} because "full: a size from data"
func.func @named_size(%x: tensor<40xi64>) -> tensor<?xf32> {
  %0 = dyn.reduce sum %x axes [0] keep_dims : (tensor<40xi64>) -> tensor<1xi64>
  %1 = dyn.full_to %0 value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
