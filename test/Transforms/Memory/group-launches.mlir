// RUN: dyn-opt %s -dyn-group-launches -split-input-file | FileCheck %s

func.func private @k(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Fires: the second reads what the first reads, and the third, too; the fourth reads what they write.
// CHECK-LABEL: func.func @fires
// CHECK:         dyn_shape.launch @k ins(%[[X:.*]] : memref<?xf32>) outs(%[[A:.*]] : memref<?xf32>)
// CHECK-NOT:     concurrent
// CHECK:         dyn_shape.launch @k ins(%[[X]] : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) concurrent
// CHECK:         dyn_shape.launch @k ins(%[[X]] : memref<?xf32>) outs(%{{.*}} : memref<?xf32>) concurrent
// CHECK:         dyn_shape.launch @k ins(%[[A]] : memref<?xf32>) outs(%{{.*}} : memref<?xf32>)
// CHECK-NOT:     concurrent
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

// Does not fire: each reads what the one before writes, through a view; writes what it reads; writes where it writes;
// or comes behind a copy.
// CHECK-LABEL: func.func @does_not_fire
// CHECK-NOT:     concurrent
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

// Does not fire in kernels, nor beyond eight launches.
// CHECK-LABEL: func.func @many
// CHECK-COUNT-7: concurrent
// CHECK:         dyn_shape.launch @k ins(%{{.*}} : memref<?xf32>) outs(%{{.*}} : memref<?xf32>){{$}}
func.func @many(%x: memref<?xf32>, %0: memref<?xf32>, %1: memref<?xf32>, %2: memref<?xf32>, %3: memref<?xf32>,
                %4: memref<?xf32>, %5: memref<?xf32>, %6: memref<?xf32>, %7: memref<?xf32>, %8: memref<?xf32>) {
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%0 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%2 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%3 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%4 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%5 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%6 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%7 : memref<?xf32>)
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%8 : memref<?xf32>)
  return
}
