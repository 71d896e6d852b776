// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The two dims are one loop; every thread takes points a grid apart, so that any number of blocks is right, and none
// runs where there are none.
// CHECK-LABEL: gpu.func @merged(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[X:.*]]: !llvm.ptr {llvm.noalias, llvm.readonly}, %[[M:[^:]*]]: i64, %[[N:[^:]*]]: i64,
// CHECK-SAME:    %[[OUT:[^:]*]]: !llvm.ptr {llvm.noalias}, %{{[^:]*}}: i64, %{{[^:]*}}: i64) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK-DAG:     %[[T:.*]] = gpu.thread_id x
// CHECK-DAG:     %[[B:.*]] = gpu.block_id x
// CHECK-DAG:     %[[G:.*]] = gpu.grid_dim x
// CHECK-DAG:     %[[COUNT:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-DAG:     %[[FIRST:.*]] = arith.muli %[[B]], %c256
// CHECK-DAG:     %[[START:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK-DAG:     %[[STEP:.*]] = arith.muli %[[G]], %c256
// CHECK:         scf.for %[[I:.*]] = %[[START]] to %[[COUNT]] step %[[STEP]] {
// CHECK-NOT:       divui
// CHECK:           %[[V:.*]] = llvm.load
// CHECK:           %[[R:.*]] = math.tanh %[[V]]
// CHECK:           llvm.store %[[R]]
func.func private @merged(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.tanh %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Rows of a table: an index that is not inside is recorded, by one thread of all, and replaced by one that is.
// CHECK-LABEL: gpu.func @gather(
// CHECK-SAME:    %[[ERRORS:[^:]*]]: !llvm.ptr
// CHECK:         scf.for
// CHECK:           %[[IN:.*]] = arith.cmpi ult
// CHECK:           %[[OUT:.*]] = arith.cmpi uge
// CHECK:           scf.if %[[OUT]] {
// CHECK-NEXT:        llvm.call @dyn.record_error(%[[ERRORS]], %c3{{.*}}
// CHECK:           arith.select %[[IN]]
// CHECK:       llvm.func internal @dyn.record_error(%[[P:.*]]: !llvm.ptr
// CHECK:         llvm.cmpxchg
// CHECK:         llvm.getelementptr %[[P]][8]
func.func private @gather(%table: tensor<?x16xf32>, %i: tensor<?xi64>, %o: tensor<?x16xf32>) -> tensor<?x16xf32>
    attributes {dyn.kernel = "pointwise"} {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %table, %c0 : tensor<?x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi64>) outs(%o : tensor<?x16xf32>) {
  ^bb0(%at: i64, %out: f32):
    %given = arith.index_cast %at : i64 to index
    %row = dyn_shape.bound %given below %rows from_end guard 3 : index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<?x16xf32>
    linalg.yield %v : f32
  } -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}

// -----

// Both pieces are copied by all threads; booleans take a byte each.
// CHECK-LABEL: gpu.func @concat(
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} -> i8
// CHECK:           llvm.store {{.*}} : i8
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         gpu.return
func.func private @concat(%x: tensor<?x4xi1>, %y: tensor<?x4xi1>, %p: index, %s: index, %o: tensor<?x4xi1>)
    -> tensor<?x4xi1> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %x into %o[0, 0] [%p, 4] [1, 1] : tensor<?x4xi1> into tensor<?x4xi1>
  %1 = tensor.insert_slice %y into %0[%p, 0] [%s, 4] [1, 1] : tensor<?x4xi1> into tensor<?x4xi1>
  return %1 : tensor<?x4xi1>
}

// -----

// A piece that is computed for the concat is computed where it belongs: nothing is stored elsewhere.
// CHECK-LABEL: gpu.func @concat_of_computed(
// CHECK-SAME:    known_block_size
// CHECK:         scf.for
// CHECK:           llvm.load {{.*}} -> f32
// CHECK:           llvm.store {{.*}} : f32
// CHECK:         scf.for
// CHECK:           math.tanh
// CHECK:           llvm.store {{.*}} : f32
// CHECK-NOT:     scf.for
// CHECK:         gpu.return
func.func private @concat_of_computed(%x: tensor<?x4xf32>, %y: tensor<4x?xf32>, %m: index, %n: index, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32> attributes {dyn.kernel = "concat"} {
  %0 = tensor.insert_slice %x into %o[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x?xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %f = math.tanh %a : f32
    linalg.yield %f : f32
  } -> tensor<?x4xf32>
  %1 = tensor.insert_slice %t into %0[0, 4] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// What has no better form is run by one thread; small temporaries are in shared memory.
// CHECK-LABEL: gpu.func @running_sum(
// CHECK-SAME:    workgroup(%{{.*}} : memref<4xi64, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:    known_block_size = array<i32: 1, 1, 1>
// CHECK:         scf.if
// CHECK:           scf.for
// CHECK:           scf.for
func.func private @running_sum(%x: tensor<8xf32>, %o: tensor<8xf32>) -> tensor<8xf32>
    attributes {dyn.kernel = "sequential"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %r, %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%out = %o, %s = %zero) -> (tensor<8xf32>, f32) {
    %v = tensor.extract %t[%i] : tensor<8xf32>
    %n = arith.addf %s, %v : f32
    %u = tensor.insert %n into %out[%i] : tensor<8xf32>
    scf.yield %u, %n : tensor<8xf32>, f32
  }
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: gpu.func @in_place(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {llvm.readonly}, %{{[^:]*}}: !llvm.ptr) kernel
func.func @launches_in_place(%y: memref<16xf32>) {
  dyn_shape.launch @in_place ins(%y : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
func.func private @in_place(%x: tensor<16xf32> {dyn.in_place}, %o: tensor<16xf32> {dyn.in_place}) -> tensor<16xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%o : tensor<16xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Without kernels nothing changes.
// CHECK-LABEL: func.func @no_kernels
// CHECK-NOT: gpu.module
func.func @no_kernels(%x: memref<4xf32>) {
  return
}
