// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Three functions, of which a launch takes one: a warp for each row, for short ones, without barriers; a large block, for
// few long ones; a block for each row.
// CHECK-LABEL: gpu.func @normalise_short(
// CHECK-NOT:     workgroup
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK:         %[[T:.*]] = gpu.thread_id x
// CHECK:         %[[B:.*]] = gpu.block_id x
// CHECK:         %[[G:.*]] = gpu.grid_dim x
// CHECK:         %[[FIRST:.*]] = arith.muli %[[B]], %c8
// CHECK:         %[[W:.*]] = arith.divui %[[T]], %c32
// CHECK:         %[[WARP:.*]] = arith.addi %[[FIRST]], %[[W]]
// CHECK:         %[[WARPS:.*]] = arith.muli %[[G]], %c8
// CHECK:         %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK:         scf.for %{{.*}} = %[[WARP]] to %{{.*}} step %[[WARPS]] {
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.for %{{.*}} = %[[LANE]] to %{{.*}} step %c32 {
// CHECK-LABEL: gpu.func @normalise_long(
// CHECK-SAME:    workgroup(%{{.*}} : memref<32xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:    known_block_size = array<i32: 1024, 1, 1>

// The sum goes from threads to warps through shuffles, then through shared memory to all; four elements of a thread are
// under way at a time. The squares are not stored but computed again.
// CHECK-LABEL: gpu.func @normalise(
// CHECK-SAME:    workgroup(%[[SHARED:.*]] : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK:         %[[T:.*]] = gpu.thread_id x
// CHECK:         %[[B:.*]] = gpu.block_id x
// CHECK:         %[[G:.*]] = gpu.grid_dim x
// CHECK:         scf.for %{{.*}} = %[[B]] to %{{.*}} step %[[G]] {
// CHECK:           %[[PARTS:.*]]:5 = scf.for %{{.*}} = %[[T]] to %{{.*}} step %c1024 iter_args
// CHECK-COUNT-4:     arith.mulf
// CHECK-COUNT-3:   arith.addf
// CHECK:           scf.for %{{.*}} = %[[PARTS]]#4 to %{{.*}} step %c256 iter_args
// CHECK:             arith.mulf
// CHECK-COUNT-5:   gpu.shuffle xor
// CHECK:           scf.if
// CHECK-NEXT:        memref.store %{{.*}}, %[[SHARED]]
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   memref.load %[[SHARED]]
// CHECK:           gpu.barrier
// CHECK:           scf.for %{{.*}} = %[[T]] to %{{.*}} step %c256 {
// CHECK:             arith.mulf
// CHECK:             arith.divf
// CHECK-COUNT-1:     llvm.store
// CHECK-NOT:       llvm.store
// CHECK:         gpu.return
func.func private @normalise(%x: tensor<?x?xf32>, %m: index, %n: index, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %er = tensor.empty(%m) : tensor<?xf32>
  %square = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%square : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.addf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%square, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %s: f32, %out: f32):
    %r = arith.divf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A row of 20 takes one warp at any size, which needs no shared memory; halves of an i64 are exchanged one after the
// other. One thread writes the result.
// CHECK-NOT:   gpu.func @largest_
// CHECK-LABEL: gpu.func @largest(
// CHECK-NOT:     workgroup
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK-COUNT-10: gpu.shuffle xor {{.*}} : i32
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK:         scf.if %[[FIRST]] {
// CHECK:           llvm.store
func.func private @largest(%x: tensor<?x20xi64>, %o: tensor<?xi64>) -> tensor<?xi64>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %lowest = arith.constant -9223372036854775808 : i64
  %f = linalg.fill ins(%lowest : i64) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x20xi64>) outs(%f : tensor<?xi64>) {
  ^bb0(%a: i64, %s: i64):
    %r = arith.maxsi %a, %s : i64
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

// Neighbours in memory belong to different results: a thread for each of those.
// CHECK-LABEL: gpu.func @columns(
// CHECK-NOT:     gpu.shuffle
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           llvm.store
func.func private @columns(%x: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.addf %a, %s : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
