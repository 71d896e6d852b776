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
