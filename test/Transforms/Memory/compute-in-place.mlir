// RUN: dyn-opt %s -dyn-compute-in-place -split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d1)>

// Fires: each element of %x is read for the one at its place. Not so those of %y, of another type, and %row, repeated.
// CHECK-LABEL: func.func private @add
// CHECK-SAME:    %{{[^:]*}}: tensor<?x?xf32>, %{{[^:]*}}: tensor<?x?xf32> {dyn.in_place}, %{{[^:]*}}: tensor<?xf32>, %{{[^:]*}}: tensor<?x?xf32> {dyn.in_place}
func.func private @add(%y: tensor<?x?xf32>, %x: tensor<?x?xf32>, %row: tensor<?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [#swapped, #id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %x, %row : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%b: f32, %a: f32, %r: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func private @make(%out: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dyn.kernel = "pointwise"}

// The second operand is %b, which dies; it is shown as a matrix first. What reads the result reads the view.
// CHECK-LABEL: func.func @fires
// CHECK:         %[[A:.*]] = memref.alloc
// CHECK:         %[[B:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[SHOWN:.*]] = memref.expand_shape %[[B]]
// CHECK:         dyn_shape.launch @add ins(%[[A]], %[[SHOWN]], %{{.*}}) outs(%[[SHOWN]] : memref<?x?xf32>)
// CHECK:         return %[[SHOWN]]
func.func @fires(%row: memref<?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  dyn_shape.launch @make outs(%a : memref<?x?xf32>)
  %all = arith.muli %n, %m : index
  %b = memref.alloc(%all) : memref<?xf32>
  %shown = memref.expand_shape %b [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
  dyn_shape.launch @make outs(%shown : memref<?x?xf32>)
  %c = memref.alloc(%n, %m) : memref<?x?xf32>
  dyn_shape.launch @add ins(%a, %shown, %row : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>) outs(%c : memref<?x?xf32>)
  return %c : memref<?x?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func private @negate
// CHECK-NOT:     dyn.in_place
func.func private @negate(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Does not fire: the operand is an input; is read later, also through a view; is read by a launch that may run at the same
// time; is part of another buffer; or the output has been written before.
// CHECK-LABEL: func.func @does_not_fire
// CHECK-COUNT-7: memref.alloc
func.func @does_not_fire(%x: memref<?xf32>, %n: index) -> (memref<?xf32>, memref<?x1xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @negate ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @negate ins(%a : memref<?xf32>) outs(%b : memref<?xf32>)
  %view = memref.expand_shape %a [[0, 1]] output_shape [%n, 1] : memref<?xf32> into memref<?x1xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  %d = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @negate ins(%b : memref<?xf32>) outs(%c : memref<?xf32>)
  dyn_shape.launch @negate ins(%b : memref<?xf32>) outs(%d : memref<?xf32>) after [2]
  %double = arith.addi %n, %n : index
  %whole = memref.alloc(%double) : memref<?xf32>
  %part = dyn_shape.part %whole from %n dims(%n) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @negate ins(%c : memref<?xf32>) outs(%part : memref<?xf32>)
  %e = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @negate ins(%part : memref<?xf32>) outs(%e : memref<?xf32>)
  %f = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @negate ins(%x : memref<?xf32>) outs(%f : memref<?xf32>)
  memref.copy %e, %f : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @negate ins(%d : memref<?xf32>) outs(%f : memref<?xf32>)
  return %f, %view : memref<?xf32>, memref<?x1xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#to_one = affine_map<(d0) -> ()>
#sum = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// The operand is read twice, beside what another element needs: by the index of the loop, by a second op, by a reduction.
func.func private @gathers(%x: tensor<?xf32>, %i: tensor<?xindex>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %i : tensor<?xf32>, tensor<?xindex>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %at: index, %o: f32):
    %other = tensor.extract %x[%at] : tensor<?xf32>
    %s = arith.addf %a, %other : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @accumulates(%x: tensor<?xf32>, %w: tensor<?x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#sum, #all, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @make(%out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// CHECK-LABEL: func.func @reads_elsewhere
// CHECK-COUNT-3: memref.alloc
func.func @reads_elsewhere(%i: memref<?xindex>, %w: memref<?x?xf32>, %n: index) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @make outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @gathers ins(%a, %i : memref<?xf32>, memref<?xindex>) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @accumulates ins(%b, %w : memref<?xf32>, memref<?x?xf32>) outs(%c : memref<?xf32>)
  return %c : memref<?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

func.func private @late(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @early(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @make(%out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// Does not fire where a version may not; nor for what only a declaration says.
// CHECK-LABEL: func.func @versions
// CHECK-COUNT-2: memref.alloc
func.func @versions(%n: index, %c: i1) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @make outs(%a : memref<?xf32>)
  %b = memref.alloc(%n) : memref<?xf32>
  dyn_shape.launch @late ins(%a : memref<?xf32>) outs(%b : memref<?xf32>) versions(@early if %c)
  return %b : memref<?xf32>
}
