// RUN: dyn-opt %s --dyn-plan-memory --split-input-file | FileCheck %s

// Three buffers in a chain: the first and the third are never needed at the same time and share a place; the second,
// four times as big at any size, goes to 0. The result is written to the caller's buffer.

// CHECK-LABEL: func.func @dead_buffers_give_way(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32> {{{.*}}}, %[[OUT:.*]]: memref<?xf32> {{{.*}}dyn.output
// CHECK-NOT:     ->
// CHECK:         %[[N:.*]] = dyn_shape.sym "N"
// CHECK:         %[[BYTES:.*]] = dyn_shape.apply 5120 * N
// CHECK:         %[[ARENA:.*]] = dyn_shape.arena %[[BYTES]]
// CHECK:         %[[END:.*]] = dyn_shape.apply 4096 * N
// CHECK:         %[[A:.*]] = memref.view %[[ARENA]][%[[END]]]
// CHECK:         launch @k ins(%[[X]] {{.*}} outs(%[[A]] :
// CHECK:         %[[B:.*]] = memref.view %[[ARENA]][%c0
// CHECK:         launch @k ins(%[[A]] {{.*}} outs(%[[B]] :
// CHECK:         %[[C:.*]] = memref.view %[[ARENA]][%[[END]]]
// CHECK:         launch @k ins(%[[B]] {{.*}} outs(%[[C]] :
// CHECK:         launch @k ins(%[[C]] {{.*}} outs(%[[OUT]] :
// CHECK:         return
func.func @dead_buffers_give_way(%x: memref<?xf32> {dyn.dims = #dyn.dims<[256 * N]>})
    -> (memref<?xf32> {dyn.dims = #dyn.dims<[256 * N]>, dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %n = dyn_shape.apply 256 * N (N = %N) : index
  %m = dyn_shape.apply 1024 * N (N = %N) : index
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%m) : memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%b : memref<?xf32>) outs(%c : memref<?xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%c : memref<?xf32>) outs(%d : memref<?xf32>)
  return %d : memref<?xf32>
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

// Launches that may run at the same time need all that they use together: without `after`, two of the three would
// share a place.

// CHECK-LABEL: func.func @concurrent_launches_share_nothing(
// CHECK:         %[[BYTES:.*]] = dyn_shape.apply 3072 * N
// CHECK:         dyn_shape.arena %[[BYTES]]
func.func @concurrent_launches_share_nothing(%x: memref<?xf32> {dyn.dims = #dyn.dims<[256 * N]>})
    -> (memref<?xf32> {dyn.dims = #dyn.dims<[256 * N]>, dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %n = dyn_shape.apply 256 * N (N = %N) : index
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%b : memref<?xf32>) after []
  %c = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%c : memref<?xf32>) after []
  %d = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%d : memref<?xf32>)
  return %d : memref<?xf32>
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

// Two chains, of which each may be steps ahead of the other: each needs two buffers of its own, which its third step takes
// up again. One step after the other, three would do.

// CHECK-LABEL: func.func @chains(
// CHECK:         %[[BYTES:.*]] = dyn_shape.apply 4096 * N
// CHECK:         dyn_shape.arena %[[BYTES]]
func.func @chains(%x: memref<?xf32> {dyn.dims = #dyn.dims<[256 * N]>})
    -> (memref<?xf32> {dyn.dims = #dyn.dims<[256 * N]>, dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %n = dyn_shape.apply 256 * N (N = %N) : index
  %a0 = memref.alloc(%n) : memref<?xf32>
  %b0 = memref.alloc(%n) : memref<?xf32>
  %a1 = memref.alloc(%n) : memref<?xf32>
  %b1 = memref.alloc(%n) : memref<?xf32>
  %a2 = memref.alloc(%n) : memref<?xf32>
  %b2 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a0 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%b0 : memref<?xf32>) after []
  dyn_shape.launch @k ins(%a0 : memref<?xf32>) outs(%a1 : memref<?xf32>) after [2]
  dyn_shape.launch @k ins(%b0 : memref<?xf32>) outs(%b1 : memref<?xf32>) after [2]
  dyn_shape.launch @k ins(%a1 : memref<?xf32>) outs(%a2 : memref<?xf32>) after [2]
  dyn_shape.launch @k ins(%b1 : memref<?xf32>) outs(%b2 : memref<?xf32>) after [2]
  %y = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @join ins(%a2, %b2 : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  return %y : memref<?xf32>
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @join(%a: tensor<?xf32>, %b: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

// Buffers that facts leave no elements are apart, too: launches that write them may run at the same time.

// CHECK-LABEL: func.func @nothing(
// CHECK:         %[[BYTES:.*]] = arith.constant 128 : index
// CHECK:         dyn_shape.arena %[[BYTES]]
func.func @nothing(%x: memref<?xf32> {dyn.dims = #dyn.dims<[N]>})
    -> (memref<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<N: [0, 0] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%N) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%N) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%b : memref<?xf32>) after []
  %y = memref.alloc(%N) : memref<?xf32>
  dyn_shape.launch @join ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  return %y : memref<?xf32>
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @join(%a: tensor<?xf32>, %b: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

// Neither of the two sizes is known to be the bigger one. The third buffer, needed together with both, comes behind
// their sum in the plan for all sizes; two others put it behind the bigger one.

// CHECK-LABEL: func.func @undecided_sizes(
// CHECK:         %[[N:.*]] = dyn_shape.sym "N"
// CHECK:         %[[M:.*]] = dyn_shape.sym "M"
// CHECK:         %[[BYTES:.*]], %[[PLACES:.*]]:3 = dyn_shape.plan ["N", "M"](%[[N]], %[[M]])
// CHECK-SAME:      lines = #dyn.dims<[N, 1, M]>
// CHECK-SAME:      live = #dyn.dims<[N + 1, M + 1]>
// CHECK-SAME:      offsets = [#dyn.dims<[0, M + N, 0]>, #dyn.dims<[0, M, 0]>, #dyn.dims<[0, N, 0]>], packs
// CHECK-SAME:      predicates = [#dyn.pred<"true">, #dyn.pred<"0 <= M - N">, #dyn.pred<"0 <= N - M">]
// CHECK:         %[[ARENA:.*]] = dyn_shape.arena %[[BYTES]] {dyn_shape.live = #dyn.expr<64 * max(M, N) + 64>}
// CHECK:         memref.view %[[ARENA]][%[[PLACES]]#0]
// CHECK:         memref.view %[[ARENA]][%[[PLACES]]#1]
// CHECK:         memref.view %[[ARENA]][%[[PLACES]]#2]
func.func @undecided_sizes(%x: memref<?xf32> {dyn.dims = #dyn.dims<[16 * N]>},
                           %y: memref<?xf32> {dyn.dims = #dyn.dims<[16 * M]>})
    -> (memref<?xf32> {dyn.dims = #dyn.dims<[16 * N]>})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [0, ?] from arg1[0]>} {
  %n = dyn_shape.sym "N" : index
  %m = dyn_shape.sym "M" : index
  %N = dyn_shape.apply 16 * N (N = %n) : index
  %M = dyn_shape.apply 16 * M (M = %m) : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%N) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %small = memref.alloc(%c1) : memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%small : memref<?xf32>)
  %b = memref.alloc(%M) : memref<?xf32>
  dyn_shape.launch @k ins(%y : memref<?xf32>) outs(%b : memref<?xf32>)
  %d = memref.alloc(%N) : memref<?xf32>
  dyn_shape.launch @k2 ins(%b, %small : memref<?xf32>, memref<?xf32>) outs(%d : memref<?xf32>)
  return %d : memref<?xf32>
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @k2(%in: tensor<?xf32>, %in2: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"}

// -----

// Through views, the launch writes the caller's buffer; what is returned a second time, or is an argument, is copied.
// Checks move before the first launch.

// CHECK-LABEL: func.func @results(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x4xf32>
// CHECK-SAME:    %[[OUT0:[^:]*]]: memref<?x4xf32> {{{[^}]*}}dyn.output{{[^}]*}}}, %[[OUT1:[^:]*]]: memref<?xf32>
// CHECK-SAME:    %[[OUT2:[^:]*]]: memref<?x4xf32>
// CHECK:         dyn_shape.check
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[OUT0]]
// CHECK-NOT:     dyn_shape.arena
// CHECK:         launch @k ins(%{{.*}}) outs(%[[FLAT]] : memref<?xf32>)
// CHECK:         memref.copy %[[FLAT]], %[[OUT1]]
// CHECK:         memref.copy %[[X]], %[[OUT2]]
func.func @results(%x: memref<?x4xf32> {dyn.dims = #dyn.dims<[N, 4]>})
    -> (memref<?x4xf32>, memref<?xf32>, memref<?x4xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %n = dyn_shape.apply 4 * N (N = %N) : index
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%flat : memref<?xf32>) outs(%a : memref<?xf32>)
  dyn_shape.check N ne 3 (N = %N) because "threes"
  %b = memref.expand_shape %a [[0, 1]] output_shape [%N, 4] : memref<?xf32> into memref<?x4xf32>
  return %b, %a, %x : memref<?x4xf32>, memref<?xf32>, memref<?x4xf32>
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

// Passes before this one compute sizes where they need them: each is computed once.

// CHECK-LABEL: func.func @equal_sizes(
// CHECK:         %[[M:.*]] = dyn_shape.apply 4 * N
// CHECK-NOT:     dyn_shape.apply 4 * N
// CHECK:         dyn_shape.launch @k ins(%{{.*}}) sizes(%[[M]], %[[M]]) outs
// CHECK-NOT:     dyn_shape.apply 4 * N
// CHECK:         return
func.func @equal_sizes(%x: memref<?xf32> {dyn.dims = #dyn.dims<[4 * N]>}) -> memref<?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %n = dyn_shape.apply 4 * N (N = %N) : index
  %a = memref.alloc(%n) : memref<?xf32>
  %m = dyn_shape.apply 4 * N (N = %N) : index
  dyn_shape.launch @k ins(%x : memref<?xf32>) sizes(%n, %m) outs(%a : memref<?xf32>)
  %l = dyn_shape.apply 4 * N (N = %N) : index
  %b = memref.alloc(%l) : memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) sizes(%l, %m) outs(%b : memref<?xf32>)
  return %b : memref<?xf32>
}
func.func private @k(%in: tensor<?xf32>, %n: index, %m: index, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"}

// -----

// Where nothing is returned, nothing is before the `return`.

// CHECK-LABEL: func.func @nothing_to_do(
// CHECK-SAME:    memref<?xf32>) {
// CHECK-NEXT:    return
func.func @nothing_to_do(%x: memref<?xf32>) {
  return
}
