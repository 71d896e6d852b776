// RUN: dyn-opt %s | FileCheck %s
// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --emit-bytecode | dyn-opt | FileCheck %s

func.func private @scale(tensor<?x?xf32>, index, tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dyn.kernel = "pointwise"}

// CHECK-LABEL: func @sizes_are_values
func.func @sizes_are_values(%x: tensor<?x?xf32> {dyn.dims = #dyn.dims<[S, P]>}) -> tensor<?x?xf32> {
  // CHECK: %[[S:.*]] = dyn_shape.sym "S" : index
  // CHECK: %[[P:.*]] = dyn_shape.sym "a name" : index
  %S = dyn_shape.sym "S" : index
  %P = dyn_shape.sym "a name" : index
  // CHECK: %[[N:.*]] = dyn_shape.apply {{.*}} (S = %[[S]], "a name" = %[[P]]) : index
  %n = dyn_shape.apply S + "a name" (S = %S, "a name" = %P) : index
  // CHECK: dyn_shape.assume %[[N]] {lower = 8 : i64, modulus = 8 : i64, upper = 512 : i64} : index
  %bounded = dyn_shape.assume %n {lower = 8, upper = 512, modulus = 8} : index
  // CHECK: dyn_shape.apply max({{.*}}) (S = %[[S]], P = %[[P]]) : index
  %m = dyn_shape.apply max(S, P) (S = %S, P = %P) : index
  // CHECK: dyn_shape.apply 4 () : index
  %c = dyn_shape.apply 4 () : index
  // CHECK: dyn_shape.check P + S <= 4096 (S = %[[S]], P = %[[P]]) because "rows of position_embeddings"
  dyn_shape.check S + P <= 4096 (S = %S, P = %P) because "rows of position_embeddings"
  %e = tensor.empty(%S, %P) : tensor<?x?xf32>
  // CHECK: dyn_shape.launch @scale ins(%{{.*}} : tensor<?x?xf32>) sizes(%[[N]]) outs(%{{.*}} : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = dyn_shape.launch @scale ins(%x : tensor<?x?xf32>) sizes(%n) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: %[[C:.*]] = dyn_shape.holds S == P (S = %[[S]], P = %[[P]]) : i1
  %equal = dyn_shape.holds S == P (S = %S, P = %P) : i1
  // CHECK: %[[D:.*]] = dyn_shape.holds 4 <= S (S = %[[S]]) : i1
  %large = dyn_shape.holds S >= 4 (S = %S) : i1
  // CHECK: dyn_shape.launch @scale {{.*}} outs(%{{.*}} : tensor<?x?xf32>) versions(@fast if %[[C]], @other if %[[D]]) -> tensor<?x?xf32>
  %e2 = tensor.empty(%S, %P) : tensor<?x?xf32>
  %v = dyn_shape.launch @scale ins(%x : tensor<?x?xf32>) sizes(%n) outs(%e2 : tensor<?x?xf32>) versions(@fast if %equal, @other if %large) -> tensor<?x?xf32>
  return %v : tensor<?x?xf32>
}
func.func private @fast(tensor<?x?xf32>, index, tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dyn.kernel = "row", dyn.rows = 1 : i64}
func.func private @other(tensor<?x?xf32>, index, tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dyn.kernel = "pointwise"}

// CHECK-LABEL: func @parts
func.func @parts(%x: memref<?x8xf32>, %n: index) {
  // CHECK: dyn_shape.part %{{.*}} from %[[N:.*]] dims(%[[N]]) : memref<?x8xf32> to memref<?x4xf32>
  %0 = dyn_shape.part %x from %n dims(%n) : memref<?x8xf32> to memref<?x4xf32>
  // CHECK: dyn_shape.part %{{.*}} from %[[N]] : memref<?x8xf32> to memref<3xf32>
  %1 = dyn_shape.part %x from %n : memref<?x8xf32> to memref<3xf32>
  return
}

// CHECK-LABEL: func @plans
func.func @plans() -> (index, index) {
  // CHECK: %[[S:.*]] = dyn_shape.sym "S" : index
  %S = dyn_shape.sym "S" : index
  // CHECK: %[[BYTES:.*]], %[[PLACE:.*]] = dyn_shape.plan ["S"](%[[S]]) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0]>], packs, predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  %bytes, %place = dyn_shape.plan ["S"](%S) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0]>], packs, predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  return %bytes, %place : index, index
}
