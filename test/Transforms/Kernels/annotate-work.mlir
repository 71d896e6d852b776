// RUN: dyn-opt %s --dyn-annotate-work --split-input-file | FileCheck %s

// A product with a bias: two operations for each step, one for each addition of the bias.
// CHECK-LABEL: func.func @product
// CHECK:         dyn_shape.launch @matmul
// CHECK-SAME:      dyn.bytes = #dyn.expr<4 * M * N + 512 * M + 516 * N>
// CHECK-SAME:      dyn.operations = #dyn.expr<257 * M * N>
#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#point = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(m, n) -> (m, n)>
#bias = affine_map<(m, n) -> (n)>
func.func @product(%x: memref<?x128xf32> {dyn.dims = #dyn.dims<[M, 128]>},
                   %w: memref<128x?xf32> {dyn.dims = #dyn.dims<[128, N]>},
                   %b: memref<?xf32> {dyn.dims = #dyn.dims<[N]>},
                   %y: memref<?x?xf32> {dyn.dims = #dyn.dims<[M, N]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[1]>} {
  %m = dyn_shape.sym "M" : index
  %n = dyn_shape.sym "N" : index
  dyn_shape.launch @matmul ins(%x, %w, %b : memref<?x128xf32>, memref<128x?xf32>, memref<?xf32>) sizes(%m, %n)
    outs(%y : memref<?x?xf32>)
  return
}
func.func private @matmul(%x: tensor<?x128xf32>, %w: tensor<128x?xf32>, %b: tensor<?xf32>, %m: index, %n: index,
                          %y: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #column, #point], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x128xf32>, tensor<128x?xf32>) outs(%fill : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  %result = linalg.generic {indexing_maps = [#same, #bias, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}

// -----

// A table that is read at computed indices counts for what is read of it, and an input that is given twice once.
// Computing indices is no operation on elements.
// CHECK-LABEL: func.func @lookup
// CHECK:         dyn_shape.launch @rows
// CHECK-SAME:      dyn.bytes = #dyn.expr<28 * N + 20 * min(N, 100)>
// CHECK-SAME:      dyn.operations = #dyn.expr<5 * N>
#id = affine_map<(n, c) -> (n)>
#all = affine_map<(n, c) -> (n, c)>
func.func @lookup(%ids: memref<?xi64> {dyn.dims = #dyn.dims<[N]>}, %table: memref<100x5xf32>,
                  %y: memref<?x5xf32> {dyn.dims = #dyn.dims<[N, 5]>})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>, dyn.index_guards = [""]} {
  dyn_shape.launch @rows ins(%ids, %ids, %table : memref<?xi64>, memref<?xi64>, memref<100x5xf32>)
    outs(%y : memref<?x5xf32>)
  return
}
func.func private @rows(%ids: tensor<?xi64>, %same: tensor<?xi64>, %table: tensor<100x5xf32>, %y: tensor<?x5xf32>)
    -> tensor<?x5xf32> attributes {dyn.kernel = "pointwise"} {
  %limit = arith.constant 100 : index
  %result = linalg.generic {indexing_maps = [#id, #id, #all], iterator_types = ["parallel", "parallel"]}
      ins(%ids, %same : tensor<?xi64>, tensor<?xi64>) outs(%y : tensor<?x5xf32>) {
  ^bb0(%id: i64, %again: i64, %out: f32):
    %i = arith.index_cast %id : i64 to index
    %row = dyn_shape.bound %i below %limit from_end guard 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %table[%row, %c] : tensor<100x5xf32>
    %e = math.exp %v : f32
    linalg.yield %e : f32
  } -> tensor<?x5xf32>
  return %result : tensor<?x5xf32>
}

// -----

// How often a branch is taken is up to the data: no formula. What moves is known all the same.
// CHECK-LABEL: func.func @branch
// CHECK:         dyn_shape.launch @maybe
// CHECK-NOT:       dyn.operations
// CHECK-SAME:      dyn.bytes = #dyn.expr<8 * N>
// CHECK-NOT:       dyn.operations
// CHECK:         return
#one = affine_map<(n) -> (n)>
func.func @branch(%x: memref<?xf32> {dyn.dims = #dyn.dims<[N]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  dyn_shape.launch @maybe ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @maybe(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %zero = arith.constant 0.0 : f32
  %result = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %positive = arith.cmpf ogt, %a, %zero : f32
    %v = scf.if %positive -> f32 {
      %log = math.log %a : f32
      scf.yield %log : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %result : tensor<?xf32>
}

// -----

// Launches on tensors have no sizes yet; kernels that are no longer on tensors say nothing about theirs.
// CHECK-LABEL: func.func @other_phases
// CHECK:         launch @on_tensors
// CHECK-NOT:     dyn.operations
// CHECK:         launch @lowered
// CHECK-NOT:     dyn.operations
func.func @other_phases(%x: tensor<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>) -> tensor<4xf32> {
  %y = tensor.empty() : tensor<4xf32>
  %z = dyn_shape.launch @on_tensors ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  dyn_shape.launch @lowered ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  return %z : tensor<4xf32>
}
#same = affine_map<(m) -> (m)>
func.func private @on_tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %in : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @lowered(%context: !llvm.ptr, %begin: index, %end: index, %x: !llvm.ptr, %y: !llvm.ptr)
    attributes {dyn.kernel = "pointwise"} {
  return
}

// -----

// A batch that repeats is read once, and multiplied as often as there are batches of the other operand.
// CHECK-LABEL: func.func @repeated
// CHECK:         dyn_shape.launch @batches
// CHECK-SAME:      dyn.bytes = #dyn.expr<512 * A + 256 * B + 128 * bcast(A, B)>
// CHECK-SAME:      dyn.operations = #dyn.expr<1024 * bcast(A, B)>
func.func @repeated(%x: memref<?x8x16xf32> {dyn.dims = #dyn.dims<[A, 8, 16]>},
                    %y: memref<?x16x4xf32> {dyn.dims = #dyn.dims<[B, 16, 4]>},
                    %z: memref<?x8x4xf32> {dyn.dims = #dyn.dims<[bcast(A, B), 8, 4]>})
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg1[0]>} {
  %a = dyn_shape.sym "A" : index
  %b = dyn_shape.sym "B" : index
  %c = dyn_shape.holds A == bcast(A, B) (A = %a, B = %b) : i1
  %d = dyn_shape.holds B == bcast(A, B) (A = %a, B = %b) : i1
  %f = arith.index_castui %c : i1 to index
  %g = arith.index_castui %d : i1 to index
  %n = dyn_shape.apply bcast(A, B) (A = %a, B = %b) : index
  dyn_shape.launch @batches ins(%x, %y : memref<?x8x16xf32>, memref<?x16x4xf32>) sizes(%n, %f, %g) outs(%z : memref<?x8x4xf32>)
  return
}
func.func private @batches(%a: tensor<?x8x16xf32>, %b: tensor<?x16x4xf32>, %n: index, %f: index, %g: index,
                           %o: tensor<?x8x4xf32>) -> tensor<?x8x4xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %x = tensor.extract_slice %a[0, 0, 0] [%n, 8, 16] [%f, 1, 1] : tensor<?x8x16xf32> to tensor<?x8x16xf32>
  %y = tensor.extract_slice %b[0, 0, 0] [%n, 16, 4] [%g, 1, 1] : tensor<?x16x4xf32> to tensor<?x16x4xf32>
  %e = linalg.fill ins(%zero : f32) outs(%o : tensor<?x8x4xf32>) -> tensor<?x8x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, m, c, k) -> (n, m, k)>, affine_map<(n, m, c, k) -> (n, k, c)>,
                                        affine_map<(n, m, c, k) -> (n, m, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x8x16xf32>, tensor<?x16x4xf32>) outs(%e : tensor<?x8x4xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x8x4xf32>
  return %0 : tensor<?x8x4xf32>
}
