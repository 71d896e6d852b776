// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

// A tile of each operand in shared memory, 16 sums in each thread; what lies outside is neither read nor written.
// CHECK-LABEL: gpu.func @matmul(
// CHECK-SAME:    workgroup(%[[A:.*]] : memref<16x65xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[B:.*]] : memref<16x65xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>
// CHECK:         scf.for %{{.*}} = %block_id_x to %{{.*}} step %grid_dim_x {
// CHECK:           %[[SUMS:.*]]:16 = scf.for %{{.*}} = %c0 to %{{.*}} step %c16 iter_args
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[A]]
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[B]]
// CHECK:             gpu.barrier
// CHECK:             scf.for
// CHECK-COUNT-4:       memref.load %[[A]]
// CHECK-COUNT-4:       memref.load %[[B]]
// CHECK-COUNT-16:      arith.addf
// CHECK:             gpu.barrier
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
