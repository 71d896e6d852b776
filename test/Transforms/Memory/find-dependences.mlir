// RUN: dyn-opt %s -dyn-find-dependences -split-input-file | FileCheck %s

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Fires: the second reads what the first reads, and the third, too; the fourth reads what the first writes.
// CHECK-LABEL: func.func @fires
// CHECK:         dyn_shape.launch @k ins(%[[X:.*]] : memref<?xf32>) outs(%[[A:.*]] : memref<?xf32>){{$}}
// CHECK:         dyn_shape.launch @k ins(%[[X]] : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) after []
// CHECK:         dyn_shape.launch @k ins(%[[X]] : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) after []
// CHECK:         dyn_shape.launch @k ins(%[[A]] : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) after [3]
func.func @fires(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%c : memref<?xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%a : memref<?xf32>) outs(%d : memref<?xf32>)
  return %d : memref<?xf32>
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @join(%x: tensor<?xf32>, %y: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Fires for two chains, which wait for no step of each other. Where they meet, all that the last steps were after has
// ended, and is not named again.
// CHECK-LABEL: func.func @chains
// CHECK:         outs(%[[A0:[a-z0-9_]+]] : memref<?xf32>){{$}}
// CHECK:         outs(%[[B0:[a-z0-9_]+]] : memref<?xf32>) after []
// CHECK:         ins(%[[A0]] : memref<?xf32>) {{.*}} after [2]
// CHECK:         ins(%[[B0]] : memref<?xf32>) {{.*}} after [2]
// CHECK:         dyn_shape.launch @join {{.*}}{{[0-9a-z]}} : memref<?xf32>){{$}}
func.func @chains(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %a0 = memref.alloc(%n) : memref<?xf32>
  %b0 = memref.alloc(%n) : memref<?xf32>
  %a1 = memref.alloc(%n) : memref<?xf32>
  %b1 = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a0 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%b0 : memref<?xf32>)
  dyn_shape.launch @k ins(%a0 : memref<?xf32>) outs(%a1 : memref<?xf32>)
  dyn_shape.launch @k ins(%b0 : memref<?xf32>) outs(%b1 : memref<?xf32>)
  dyn_shape.launch @join ins(%a1, %b1 : memref<?xf32>, memref<?xf32>) outs(%c : memref<?xf32>)
  return %c : memref<?xf32>
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Does not fire: each reads what the one before writes, through a view; writes what it reads; writes where it writes;
// or comes behind a copy.
// CHECK-LABEL: func.func @does_not_fire
// CHECK-NOT:     after [
func.func @does_not_fire(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  %rows = memref.expand_shape %a [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %flat = memref.collapse_shape %rows [[0, 1]] : memref<?x1xf32> into memref<?xf32>
  dyn_shape.launch @k ins(%flat : memref<?xf32>) outs(%b : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%c : memref<?xf32>)
  return %b : memref<?xf32>
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// What lies 16 launches back has ended in any case: the last one reads what the first writes.
// CHECK-LABEL: func.func @far_back
// CHECK-COUNT-15: after []{{$}}
// CHECK:         dyn_shape.launch @k ins(%arg1 : memref<?xf32>) outs(%arg17 : memref<?xf32>) after []
func.func @far_back(%x: memref<?xf32>, %0: memref<?xf32>, %1: memref<?xf32>, %2: memref<?xf32>, %3: memref<?xf32>,
                    %4: memref<?xf32>, %5: memref<?xf32>, %6: memref<?xf32>, %7: memref<?xf32>, %8: memref<?xf32>,
                    %9: memref<?xf32>, %10: memref<?xf32>, %11: memref<?xf32>, %12: memref<?xf32>, %13: memref<?xf32>,
                    %14: memref<?xf32>, %15: memref<?xf32>, %16: memref<?xf32>) {
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%0 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%2 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%3 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%4 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%5 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%6 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%7 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%8 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%9 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%10 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%11 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%12 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%13 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%14 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%15 : memref<?xf32>)
  dyn_shape.launch @k ins(%0 : memref<?xf32>) outs(%16 : memref<?xf32>)
  return
}

// -----

func.func private @widen(%x: tensor<?xf32>, %out: tensor<?x4096xf32>) -> tensor<?x4096xf32> attributes {dyn.kernel = "pointwise"}
func.func private @sum(%x: tensor<?x4096xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Three branches, each with a buffer that is large: they would take three times as much together, so that each begins
// when the one before its neighbour has ended.
// CHECK-LABEL: func.func @memory
// CHECK:         dyn_shape.launch @widen {{.*}}){{$}}
// CHECK:         dyn_shape.launch @sum {{.*}}){{$}}
// CHECK:         dyn_shape.launch @widen {{.*}} after [2]
// CHECK:         dyn_shape.launch @sum {{.*}}){{$}}
// CHECK:         dyn_shape.launch @widen {{.*}} after [2, 3]
// CHECK:         dyn_shape.launch @sum {{.*}}){{$}}
func.func @memory(%x: memref<?xf32> {dyn.dims = #dyn.dims<[n]>})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %n = dyn_shape.sym "n" : index
  %w0 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w0 : memref<?x4096xf32>)
  %s0 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w0 : memref<?x4096xf32>) outs(%s0 : memref<?xf32>)
  %w1 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w1 : memref<?x4096xf32>)
  %s1 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w1 : memref<?x4096xf32>) outs(%s1 : memref<?xf32>)
  %w2 = memref.alloc(%n) : memref<?x4096xf32>
  dyn_shape.launch @widen ins(%x : memref<?xf32>) outs(%w2 : memref<?x4096xf32>)
  %s2 = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @sum ins(%w2 : memref<?x4096xf32>) outs(%s2 : memref<?xf32>)
  return
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Fires for parts of one buffer: who writes one does not wait for who writes the other. Who reads a part waits for its
// writer alone, whoever writes the other part does not wait for that reader, and who reads the whole waits for all. So
// does who writes over a part that others read.
// CHECK-LABEL: func.func @parts
// CHECK:         outs(%{{.*}} : memref<?xf32>){{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after []{{$}}
// CHECK:         outs(%arg3 : memref<?xf32>) after [1]{{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after [3]{{$}}
// CHECK:         outs(%arg4 : memref<?xf32>) after [1, 3]{{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after [1]{{$}}
func.func @parts(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>}, %n: index,
                 %r: memref<?xf32>, %s: memref<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %MN = dyn_shape.apply M + N (M = %M, N = %N) : index
  %whole = memref.alloc(%MN) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %a = dyn_shape.part %whole from %c0 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = dyn_shape.part %whole from %M dims(%N) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%y : memref<?xf32>) outs(%b : memref<?xf32>)
  dyn_shape.launch @k ins(%b : memref<?xf32>) outs(%r : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  dyn_shape.launch @k ins(%whole : memref<?xf32>) outs(%s : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  return
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @rows(%x: tensor<?xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {dyn.kernel = "pointwise"}

// Fires for parts of parts, under other dims: offsets add up. The second half of the outer part is that of the third
// launch, too.
// CHECK-LABEL: func.func @parts_of_parts
// CHECK:         outs(%{{.*}} : memref<?x8xf32>){{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after []{{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after [1]{{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after []{{$}}
func.func @parts_of_parts(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %M = dyn_shape.sym "M" : index
  %M3 = dyn_shape.apply 3 * M (M = %M) : index
  %whole = memref.alloc(%M3) : memref<?x8xf32>
  %c0 = arith.constant 0 : index
  %0 = dyn_shape.part %whole from %c0 dims(%M) : memref<?x8xf32> to memref<?x8xf32>
  dyn_shape.launch @rows ins(%x : memref<?xf32>) outs(%0 : memref<?x8xf32>)
  %M2 = dyn_shape.apply 2 * M (M = %M) : index
  %M4 = dyn_shape.apply 4 * M (M = %M) : index
  %M8 = dyn_shape.apply 8 * M (M = %M) : index
  %M16 = dyn_shape.apply 16 * M (M = %M) : index
  %outer = dyn_shape.part %whole from %M8 dims(%M2) : memref<?x8xf32> to memref<?x8xf32>
  %flat = memref.collapse_shape %outer [[0, 1]] : memref<?x8xf32> into memref<?xf32>
  %1 = dyn_shape.part %flat from %M4 dims(%M4) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  %M12 = dyn_shape.apply 12 * M (M = %M) : index
  %2 = dyn_shape.part %whole from %M12 dims(%M2) : memref<?x8xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%2 : memref<?xf32>)
  %3 = dyn_shape.part %whole from %M16 dims(%M8) : memref<?x8xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%3 : memref<?xf32>)
  return
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// A fact may be what keeps parts apart: the first takes 16 elements at most.
// CHECK-LABEL: func.func @parts_apart_by_a_fact
// CHECK:         outs(%{{.*}} : memref<?xf32>){{$}}
// CHECK:         outs(%{{.*}} : memref<?xf32>) after []{{$}}
func.func @parts_apart_by_a_fact(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M]>}, %whole: memref<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %M = dyn_shape.sym "M" : index
  dyn_shape.check M <= 16 (M = %M) because "places"
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %0 = dyn_shape.part %whole from %c0 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%0 : memref<?xf32>)
  %1 = dyn_shape.part %whole from %c16 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  return
}

// -----

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Does not fire: parts that overlap at some sizes, lie at a place that only the run knows, or are equal.
// CHECK-LABEL: func.func @parts_that_may_meet
// CHECK-NOT:     after [
func.func @parts_that_may_meet(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M]>}, %whole: memref<?xf32>, %n: index)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %M = dyn_shape.sym "M" : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %0 = dyn_shape.part %whole from %c0 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%0 : memref<?xf32>)
  %1 = dyn_shape.part %whole from %c16 dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  %2 = dyn_shape.part %whole from %n dims(%M) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%2 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%2 : memref<?xf32>)
  return
}
