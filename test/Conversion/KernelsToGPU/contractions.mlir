// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

// Tiles for few rows, and large ones for many.
// CHECK-LABEL: gpu.func @matmul_flat(
// CHECK-SAME:    memref<2x32x20xf32, {{.*}} memref<2x32x36xf32,
// CHECK-LABEL: gpu.func @matmul_large(
// CHECK-SAME:    memref<2x16x132xf32, {{.*}} memref<2x16x132xf32,
// CHECK:           %{{.*}}:81 = scf.for %{{.*}} = %c0 to %{{.*}} step %c16 iter_args

// Two tiles of each operand in shared memory, 16 sums in each thread, and 8 elements of the next tiles: they are read
// while these are computed with, then written to the other tile. What lies outside is neither read nor written. A whole
// tile has a number of steps that is known.
// CHECK-LABEL: gpu.func @matmul(
// CHECK-SAME:    workgroup(%[[A:.*]] : memref<2x16x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64},
// CHECK-SAME:              %[[B:.*]] : memref<2x16x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK:         scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x {
// CHECK-COUNT-8:   llvm.load
// CHECK:           %[[SUMS:.*]]:25 = scf.for %{{.*}} = %c0 to %{{.*}} step %c16 iter_args({{.*}}, %[[BUFFER:[^ ,]*]] = %c0)
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[A]][%[[BUFFER]],
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[B]][%[[BUFFER]],
// CHECK:             gpu.barrier
// CHECK-COUNT-8:     llvm.load
// CHECK:             scf.if
// CHECK:               scf.for %{{.*}} = %c0 to %c16 step %c4
// CHECK-COUNT-4:         memref.load %[[A]][%[[BUFFER]],
// CHECK-COUNT-4:         memref.load %[[B]][%[[BUFFER]],
// CHECK-COUNT-64:        arith.addf
// CHECK:             } else {
// CHECK:               scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args
// CHECK-COUNT-16:        arith.addf
// CHECK-NOT:         gpu.barrier
// CHECK:             %[[OTHER:.*]] = arith.subi %c1, %[[BUFFER]]
// CHECK:             scf.yield {{.*}}, %[[OTHER]] :
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             math.tanh
// CHECK:             llvm.store
func.func private @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %1 = math.tanh %x : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A product with a vector has no columns: a block for each row.
// CHECK-LABEL: gpu.func @matrix_times_vector(
// CHECK:         gpu.shuffle
func.func private @matrix_times_vector(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>,
                                        affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Operands that may have to be repeated are read where they lie, at strides that are 0 where they are.
// CHECK-LABEL: gpu.func @repeated(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {{[^:]*}}, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64,
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr {{[^:]*}}, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64,
// CHECK-SAME:    %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %[[F:[^:]*]]: i64, %[[G:[^:]*]]: i64,
// CHECK-DAG:     %[[FACTOR_A:.*]] = arith.index_cast %[[F]]
// CHECK-DAG:     %[[FACTOR_B:.*]] = arith.index_cast %[[G]]
// CHECK:         arith.muli %{{.*}}, %[[FACTOR_A]]
// CHECK:         arith.muli %{{.*}}, %[[FACTOR_B]]
// CHECK:         gpu.barrier
func.func private @repeated(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>, %n: index, %m: index, %k: index, %c: index,
                          %f: index, %g: index, %o: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %x = tensor.extract_slice %a[0, 0, 0] [%n, %m, %k] [%f, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %y = tensor.extract_slice %b[0, 0, 0] [%n, %k, %c] [%g, 1, 1] : tensor<?x?x?xf32> to tensor<?x?x?xf32>
  %e = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, m, c, k) -> (n, m, k)>, affine_map<(n, m, c, k) -> (n, k, c)>,
                                        affine_map<(n, m, c, k) -> (n, m, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
