// RUN: dyn-opt %s --split-input-file --dyn-share-slices | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dyn-share-slices --dyn-plan-memory -o /dev/null

// Rows of a buffer are a part of it.
// CHECK-LABEL: func.func @rows
// CHECK-DAG:     %[[OFFSET:.*]] = dyn_shape.apply 8 * N
// CHECK:         %[[PART:.*]] = dyn_shape.part %{{.*}} from %[[OFFSET]] dims(%{{.*}}) : memref<?x8xf32> to memref<?x8xf32>
// CHECK-NOT:     dyn_shape.launch @slice
// CHECK:         dyn_shape.launch @exp ins(%[[PART]]
func.func @rows(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M + N, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @slice ins(%x : memref<?x8xf32>) sizes(%N) outs(%a : memref<?x8xf32>)
  %b = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%a : memref<?x8xf32>) outs(%b : memref<?x8xf32>)
  return %b : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @slice(%in: tensor<?x8xf32>, %n: index, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %n : index
    %e = tensor.extract %in[%k, %j] : tensor<?x8xf32>
    linalg.yield %e : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Columns are not, and what is returned is the caller's.
// CHECK-LABEL: func.func @columns_and_results
// CHECK-NOT:     dyn_shape.part
// CHECK:         dyn_shape.launch @slice
// CHECK:         dyn_shape.launch @exp
func.func @columns_and_results(%x: memref<?x16xf32> {dyn.dims = #dyn.dims<[M, 16]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @slice ins(%x : memref<?x16xf32>) sizes(%N) outs(%a : memref<?x8xf32>)
  %b = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @exp ins(%a : memref<?x8xf32>) outs(%b : memref<?x8xf32>)
  return %b : memref<?x8xf32>
}
func.func private @exp(%in: tensor<?x8xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%in : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @slice(%in: tensor<?x16xf32>, %n: index, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %j, %n : index
    %e = tensor.extract %in[%i, %k] : tensor<?x16xf32>
    linalg.yield %e : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @returned_rows
// CHECK-NOT:     dyn_shape.part
// CHECK:         dyn_shape.launch @slice
func.func @returned_rows(%x: memref<?x8xf32> {dyn.dims = #dyn.dims<[M + N, 8]>}, %y: memref<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>})
    -> (memref<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %a = memref.alloc(%M) : memref<?x8xf32>
  dyn_shape.launch @slice ins(%x : memref<?x8xf32>) sizes(%N) outs(%a : memref<?x8xf32>)
  return %a : memref<?x8xf32>
}
func.func private @slice(%in: tensor<?x8xf32>, %n: index, %out: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %n : index
    %e = tensor.extract %in[%k, %j] : tensor<?x8xf32>
    linalg.yield %e : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
