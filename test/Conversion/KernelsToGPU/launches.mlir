// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The grid is a function of symbols: one block for 256 elements, at least one, at most 2^31 - 1. Static dims are not
// passed, views are just pointers.
// CHECK:       module attributes {gpu.container_module}
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x4xf32>
// CHECK-DAG:     %[[S:.*]] = dyn_shape.sym "S"
// CHECK-DAG:     %[[N:.*]] = dyn_shape.apply 4 * S
// CHECK-DAG:     %[[NI:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK-DAG:     %[[SUM:.*]] = arith.addi %[[N]], %c255
// CHECK-DAG:     %[[Q:.*]] = arith.divui %[[SUM]], %c256
// CHECK-DAG:     %[[LEAST:.*]] = arith.maxsi %[[Q]], %c1
// CHECK-DAG:     %[[GRID:.*]] = arith.minsi %[[LEAST]], %c2147483647
// CHECK-DAG:     %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         gpu.launch_func @kernels::@twice blocks in (%[[GRID]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME:      args(%[[NULL]] : !llvm.ptr, %{{.*}} : !llvm.ptr, %[[NI]] : i64, %{{.*}} : !llvm.ptr, %{{.*}} : i64)
// CHECK-NOT:     dyn_shape.launch
func.func @main(%x: memref<?x4xf32> {dyn.dims = #dyn.dims<[S, 4]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[4 * S]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  dyn_shape.launch @twice ins(%flat : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @twice(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%in : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A launch with versions is one of several grids, the first whose condition holds.
// CHECK-LABEL: func.func @versions(
// CHECK:         %[[C:.*]] = dyn_shape.holds S == 7
// CHECK:         scf.if %[[C]] {
// CHECK:           gpu.launch_func @kernels::@twice_at_7
// CHECK:         } else {
// CHECK:           gpu.launch_func @kernels::@twice
// CHECK:         }
func.func @versions(%x: memref<?xf32> {dyn.dims = #dyn.dims<[S]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[S]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %S = dyn_shape.sym "S" : index
  %c = dyn_shape.holds S == 7 (S = %S) : i1
  dyn_shape.launch @twice ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) versions(@twice_at_7 if %c)
  return
}
func.func private @twice(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%in : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @twice_at_7(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%in : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The sizes of rows choose between the functions that a row kernel becomes: eight short rows to a block.
// CHECK-LABEL: func.func @by_size(
// CHECK-DAG:     %[[M:.*]] = dyn_shape.sym "M"
// CHECK-DAG:     %[[N:.*]] = dyn_shape.sym "N"
// CHECK:         %[[SIZE:.*]] = arith.maxsi %[[N]], %c1
// CHECK:         %[[SMALL:.*]] = arith.cmpi slt, %[[SIZE]], %c1025
// CHECK:         %[[MANY:.*]] = arith.cmpi sgt, %[[M]], %c4095
// CHECK:         %[[MEDIUM:.*]] = arith.andi %[[SMALL]], %[[MANY]]
// CHECK:         %[[LEAST:.*]] = arith.cmpi slt, %[[SIZE]], %c257
// CHECK:         %[[SHORT:.*]] = arith.ori %[[LEAST]], %[[MEDIUM]]
// CHECK:         scf.if %[[SHORT]] {
// CHECK:           %[[SUM:.*]] = arith.addi %[[M]], %c7
// CHECK:           arith.divui %[[SUM]], %c8
// CHECK:           gpu.launch_func @kernels::@total_short blocks in {{.*}} threads in (%c256, %c1, %c1)
// CHECK:         } else {
// CHECK:           %[[LONG:.*]] = arith.cmpi sgt, %[[SIZE]], %c8191
// CHECK:           %[[FEW:.*]] = arith.cmpi slt, %[[M]], %c256
// CHECK:           %[[BOTH:.*]] = arith.andi %[[LONG]], %[[FEW]]
// CHECK:           scf.if %[[BOTH]] {
// CHECK:             gpu.launch_func @kernels::@total_long blocks in {{.*}} threads in (%c1024, %c1, %c1)
// CHECK:           } else {
// CHECK:             gpu.launch_func @kernels::@total blocks in {{.*}} threads in (%c256, %c1, %c1)
func.func @by_size(%x: memref<?x?xf32> {dyn.dims = #dyn.dims<[M, N]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[M]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg0[1]>} {
  dyn_shape.launch @total ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @total(%in: tensor<?x?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%in : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %y = arith.addf %s, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
