// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The first of the largest, or of NaN: each thread finds its own, and where that stands. Of two, the later one is taken
// if it would be taken in a row.
// CHECK-LABEL: gpu.func @first_of_the_largest(
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK:         %[[T:.*]] = gpu.thread_id x
// CHECK:         %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK:         %[[PART:.*]]:3 = scf.for %{{.*}} = %[[LANE]] to %{{.*}} step %c32 iter_args(%[[BEST:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[PLACE:.*]] = %c-1_i64)
// CHECK:           %[[TAKE:.*]] = arith.ori
// CHECK:           arith.select %[[TAKE]], %{{.*}}, %[[BEST]] : f32
// CHECK:           arith.select %[[TAKE]], %{{.*}}, %[[PLACE]] : i64
// CHECK:         gpu.shuffle xor %[[PART]]#0
// CHECK:         %[[IN_ORDER:.*]] = arith.cmpi sle, %[[PART]]#2
// CHECK:         %[[EARLIER:.*]] = arith.select %[[IN_ORDER]], %[[PART]]#0, %[[OTHER:.*]] : f32
// CHECK:         %[[LATER:.*]] = arith.select %[[IN_ORDER]], %[[OTHER]], %[[PART]]#0 : f32
// CHECK:         arith.cmpf ogt, %[[LATER]], %[[EARLIER]]
// CHECK:         arith.cmpf uno, %[[LATER]], %[[LATER]]
// CHECK:         arith.cmpf ord, %[[EARLIER]], %[[EARLIER]]
// CHECK-COUNT-20: gpu.shuffle
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.return
func.func private @first_of_the_largest(%x: tensor<?x20xf32>, %m: index, %o: tensor<?xi64>) -> tensor<?xi64>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %g = linalg.fill ins(%none : i64) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x20xf32>) outs(%f, %g : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%a: f32, %best: f32, %index: i64):
    %greater = arith.cmpf ogt, %a, %best : f32
    %is_nan = arith.cmpf uno, %a, %a : f32
    %was_none = arith.cmpf ord, %best, %best : f32
    %is_first_nan = arith.andi %is_nan, %was_none : i1
    %take = arith.ori %greater, %is_first_nan : i1
    %i = linalg.index 1 : index
    %at = arith.index_cast %i : index to i64
    %v = arith.select %take, %a, %best : f32
    %j = arith.select %take, %at, %index : i64
    linalg.yield %v, %j : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %0#1 : tensor<?xi64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The last place of an element depends on no other: no comparison but that of places.
// CHECK-LABEL: gpu.func @last_match(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c256 iter_args
// CHECK:         gpu.shuffle
// CHECK:         arith.cmpi sle
// CHECK-NOT:     arith.cmpi eq, %{{.*}} : i32
// CHECK:         gpu.barrier
func.func private @last_match(%x: tensor<?x?xi32>, %o: tensor<?xi64>) -> tensor<?xi64>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %none = arith.constant 0 : i64
  %seven = arith.constant 7 : i32
  %g = linalg.fill ins(%none : i64) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi32>) outs(%g : tensor<?xi64>) {
  ^bb0(%a: i32, %index: i64):
    %take = arith.cmpi eq, %a, %seven : i32
    %i = linalg.index 1 : index
    %at = arith.index_cast %i : index to i64
    %j = arith.select %take, %at, %index : i64
    linalg.yield %j : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Not less, or unordered: NaN replaces every number, every number NaN. Parts cannot be combined.
// CHECK-LABEL: gpu.func @no_ranking(
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.return
func.func private @no_ranking(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %best: f32):
    %take = arith.cmpf uge, %a, %best : f32
    %v = arith.select %take, %a, %best : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Every element that differs is taken: which one stays depends on what stands between.
// CHECK-LABEL: gpu.func @differs(
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.return
func.func private @differs(%x: tensor<?x?xi32>, %o: tensor<?xi32>) -> tensor<?xi32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%o : tensor<?xi32>) -> tensor<?xi32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi32>) outs(%f : tensor<?xi32>) {
  ^bb0(%a: i32, %best: i32):
    %take = arith.cmpi ne, %a, %best : i32
    %v = arith.select %take, %a, %best : i32
    linalg.yield %v : i32
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// What is compared is not what is kept.
// CHECK-LABEL: gpu.func @compares_another(
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.return
func.func private @compares_another(%x: tensor<?x?xi32>, %o: tensor<?xi32>) -> tensor<?xi32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%o : tensor<?xi32>) -> tensor<?xi32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xi32>) outs(%f : tensor<?xi32>) {
  ^bb0(%a: i32, %best: i32):
    %double = arith.addi %a, %a : i32
    %take = arith.cmpi sgt, %double, %best : i32
    %v = arith.select %take, %a, %best : i32
    linalg.yield %v : i32
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
