// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-cpu=vector-bits=512 | FileCheck %s

// Executed in test/unit/KernelsToCPU. Here: what the functions look like.

// Tensors become pointers with their dynamic dims; the two loops are one; the rest has a mask.
// CHECK-LABEL: func.func private @pointwise(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr, %[[BEGIN:[^:]*]]: index, %[[END:[^:]*]]: index, %{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: index,
// CHECK-SAME:    %{{[^:]*}}: index, %{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: index) attributes {dyn.kernel = "pointwise"}
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:           scf.for
// CHECK-NOT:       scf.for
// CHECK:             llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK:             arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:             llvm.store
// CHECK:           vector.create_mask
// CHECK:           llvm.intr.masked.load
// CHECK:           llvm.intr.masked.store
// CHECK-LABEL: func.func private @pointwise.count(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[M:.*]]: index, %{{.*}}: index, %{{.*}}: !llvm.ptr, %{{.*}}: index) -> index
// CHECK-LABEL: func.func private @pointwise.grain(
// CHECK-LABEL: func.func private @pointwise.scratch(
// CHECK:         %[[NONE:.*]] = arith.constant 0 : index
// CHECK-NEXT:    return %[[NONE]]
func.func private @pointwise(%x: tensor<?x7xf32>, %s: index, %o: tensor<?x7xf32>) -> tensor<?x7xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x7xf32>) outs(%o : tensor<?x7xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

// A size that is a multiple of the vector's needs no mask.
// CHECK-LABEL: func.func private @whole_vectors(
// CHECK-NOT:     create_mask
// CHECK:       func.func private @whole_vectors.count(
func.func private @whole_vectors(%x: tensor<?x64xf32>, %b: tensor<64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x64xf32>, tensor<64xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// -----

// Twelve rows of two vectors, one function for each number of rows, shared by both kernels.
// CHECK-LABEL: func.func private @matmul(
// CHECK:         scf.index_switch
// CHECK:           llvm.call @[[TILE:dyn.tile.f32.f32.f32.16[^(]*]].1x2of2(
// CHECK:           llvm.call @[[TILE]].12x2of2(
// CHECK-LABEL: func.func private @matmul_of_transposed(
// CHECK:         llvm.call @dyn.pack.f32.32.columns(
// CHECK:         llvm.call @[[TILE]].12x2of2(
// CHECK:       llvm.func internal @[[TILE]].12x2of2(
// CHECK:         scf.for
// CHECK-COUNT-2:   llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-12:  llvm.load {{.*}} -> f32
func.func private @matmul(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func private @matmul_of_transposed(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32> attributes {dyn.kernel = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x64xf32>, tensor<?x64xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What may be the same memory as the output is not promised to lie apart from it.
// CHECK-LABEL: func.func private @in_place(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: index, %{{[^:]*}}: index, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: !llvm.ptr)
func.func private @in_place(%x: tensor<16xf32> {dyn.in_place}, %y: tensor<16xf32>, %o: tensor<16xf32> {dyn.in_place})
    -> tensor<16xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<16xf32>, tensor<16xf32>) outs(%o : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
