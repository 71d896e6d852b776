// Numbers near the ends of 64 bits: that the static form fits follows from the guard of the reshape, and no user meets an
// error of a verifier.
// RUN: dyn-opt %s --dyn-pipeline=to=shapes | FileCheck %s

// CHECK-LABEL: func.func @large
// CHECK-NEXT: dyn.require a mod 36028797018963968 == 0 because "reshape: -1 stands for no whole size"
// CHECK-NOT: dyn.require
// CHECK: dyn.reshape {{.*}} to tensor<72057594037927936x?x2x?xf32
func.func @large(%x: tensor<?x?x4xf32, #dyn.dims<[a, b, 4]>>) -> tensor<?x?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], b: [0, ?] from arg0[1]>} {
  %dims = dyn.constant dense<[72057594037927936, 0, 2, -1]> : tensor<4xi64>
  %0 = dyn.reshape_to %x, %dims : (tensor<?x?x4xf32, #dyn.dims<[a, b, 4]>>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
