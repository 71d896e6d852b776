// RUN: dyn-opt %s -dyn-reify-shapes | FileCheck %s --check-prefixes=CHECK,SORT
// RUN: dyn-opt %s -dyn-reify-shapes=sort-rows=false | FileCheck %s --check-prefixes=CHECK,RANKS

// In program order the best are kept, or the row is sorted by merging; else each element counts those before it.
// CHECK-LABEL: func.func @top_k
// SORT: scf.for
// SORT: scf.if
// SORT-NOT: linalg.generic
// RANKS: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// RANKS: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// RANKS-NOT: scf.for
// CHECK: return
func.func @top_k(%x: tensor<?x?xf32, #dyn.dims<[N, M]>>, %k: tensor<1xi64>) -> tensor<?x5xi64, #dyn.dims<[N, 5]>>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [5, ?] from arg0[1]>} {
  %0 = dyn.top_k %x, %k axis 1 : (tensor<?x?xf32, #dyn.dims<[N, M]>>, tensor<1xi64>) -> tensor<?x5xi64, #dyn.dims<[N, 5]>>
  return %0 : tensor<?x5xi64, #dyn.dims<[N, 5]>>
}
