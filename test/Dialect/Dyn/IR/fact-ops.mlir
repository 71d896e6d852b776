// RUN: dyn-opt %s | FileCheck %s
// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --emit-bytecode | dyn-opt | FileCheck %s

// CHECK-LABEL: func @guards
func.func @guards() {
  // CHECK: dyn.require P + S <= 4096 because "rows of position_embeddings"
  dyn.require S + P <= 4096 because "rows of position_embeddings"
  // CHECK: dyn.require M == N or M == 1 or N == 1 because "add"
  dyn.require M == N or M == 1 or N == 1 because "add"
  // CHECK: dyn.require N ne 3 because "it is odd" {note = 1 : i64}
  dyn.require N ne 3 because "it is odd" {note = 1}
  // CHECK: dyn.require {{.*}}"dim 0"{{.*}} because "a name with a space"
  dyn.require "dim 0" >= 2 because "a name with a space"
  return
}


// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<2xi64>, tensor<4x4xf32>, tensor<i64>) {
  // CHECK: dyn.constant dense<[12, -1]> : tensor<2xi64>
  %0 = dyn.constant dense<[12, -1]> : tensor<2xi64>
  // CHECK: dyn.constant #dyn.weight<"w.bin", 0, 64> : tensor<4x4xf32>
  %1 = dyn.constant #dyn.weight<"w.bin", 0, 64> : tensor<4x4xf32>
  // CHECK: dyn.dim_values [P + S] : tensor<i64>
  %2 = dyn.dim_values [S + P] : tensor<i64>
  return %0, %1, %2 : tensor<2xi64>, tensor<4x4xf32>, tensor<i64>
}

func.func private @callee(tensor<?xf32, #dyn.dims<[n]>>) -> tensor<?xf32, #dyn.dims<[n + 1]>>
  attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>}

// CHECK-LABEL: func @caller
func.func @caller(%x: tensor<?xf32, #dyn.dims<[S + P]>>) -> tensor<?xf32, #dyn.dims<[S + P + 1]>> {
  // CHECK: dyn.call @callee<[n = P + S]>(%{{.*}}) : (tensor<?xf32, #dyn.dims<[P + S]>>) -> tensor<?xf32, #dyn.dims<[P + S + 1]>>
  %0 = dyn.call @callee<[n = S + P]>(%x)
    : (tensor<?xf32, #dyn.dims<[S + P]>>) -> tensor<?xf32, #dyn.dims<[S + P + 1]>>
  return %0 : tensor<?xf32, #dyn.dims<[S + P + 1]>>
}

// CHECK-LABEL: func @slices_and_pads
func.func @slices_and_pads(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<?x8xf32, #dyn.dims<[S + 2, 8]>> {
  // CHECK: dyn.slice %{{.*}}[0:S, 2:8] :
  %0 = dyn.slice %x[0:S, 2:8] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x6xf32, #dyn.dims<[S, 6]>>
  // CHECK: dyn.pad constant %{{.*}} low [2, 1] :
  %1 = dyn.pad constant %0 low [2, 1] : (tensor<?x6xf32, #dyn.dims<[S, 6]>>) -> tensor<?x8xf32, #dyn.dims<[S + 2, 8]>>
  return %1 : tensor<?x8xf32, #dyn.dims<[S + 2, 8]>>
}
