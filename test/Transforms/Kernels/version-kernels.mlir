// RUN: dyn-opt %s --split-input-file --dyn-version-kernels --dyn-verify-kernels | FileCheck %s

// Where all factors are 1, what may have to be repeated is an input like any other. Launches of one kernel share the
// version; the condition is that of all factors.
// CHECK-LABEL: func.func @two_launches
// CHECK-DAG:     %[[WHOLE_M:.*]] = dyn_shape.holds M == bcast(M, N)
// CHECK-DAG:     %[[WHOLE_N:.*]] = dyn_shape.holds N == bcast(M, N)
// CHECK:         %[[BOTH:.*]] = arith.andi %[[WHOLE_M]], %[[WHOLE_N]]
// CHECK:         dyn_shape.launch @add {{.*}} versions(@add_equal if %[[BOTH]])
// CHECK:         dyn_shape.launch @add {{.*}} versions(@add_equal if %{{.*}})
func.func @two_launches(%x: tensor<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>},
                        %y: tensor<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>}) -> (tensor<?x8xf32>, tensor<?x8xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %c = dyn_shape.holds M == bcast(M, N) (M = %M, N = %N) : i1
  %d = dyn_shape.holds N == bcast(M, N) (M = %M, N = %N) : i1
  %f = arith.index_castui %c : i1 to index
  %g = arith.index_castui %d : i1 to index
  %size = dyn_shape.apply bcast(M, N) (M = %M, N = %N) : index
  %e = tensor.empty(%size) : tensor<?x8xf32>
  %0 = dyn_shape.launch @add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) sizes(%f, %g) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %e1 = tensor.empty(%size) : tensor<?x8xf32>
  %1 = dyn_shape.launch @add ins(%y, %x : tensor<?x8xf32>, tensor<?x8xf32>) sizes(%g, %f) outs(%e1 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}
// CHECK-LABEL: func.func private @add(
// CHECK:         tensor.extract
// CHECK-LABEL: func.func private @add_equal(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x8xf32>, %[[Y:[^:]*]]: tensor<?x8xf32>, %{{[^:]*}}: index, %{{[^:]*}}: index
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<?x8xf32>, tensor<?x8xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    arith.addf %[[A]], %[[B]]
// CHECK-NEXT:    linalg.yield
// CHECK-NOT:   @add_equal_
func.func private @add(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %f: index, %g: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %f : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    %l = arith.muli %i, %g : index
    %b = tensor.extract %y[%l, %j] : tensor<?x8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// The condition has to speak of the dim that is read, and a dim that is read without a factor has to be as long as the
// loop: neither is known here, so that reads stay as they are.
// CHECK-LABEL: func.func @other_condition
// CHECK-NOT:     versions
// CHECK:         return
func.func @other_condition(%x: tensor<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>},
                           %y: tensor<?x8xf32> {dyn.dims = #dyn.dims<[N, 8]>}) -> tensor<?x8xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %c = dyn_shape.holds M == 7 (M = %M) : i1
  %d = dyn_shape.holds N <= bcast(M, N) (M = %M, N = %N) : i1
  %f = arith.index_castui %c : i1 to index
  %g = arith.index_castui %d : i1 to index
  %size = dyn_shape.apply bcast(M, N) (M = %M, N = %N) : index
  %e = tensor.empty(%size) : tensor<?x8xf32>
  %0 = dyn_shape.launch @add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) sizes(%f, %g) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func private @add(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %f: index, %g: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %f : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    %l = arith.muli %i, %g : index
    %b = tensor.extract %y[%l, %j] : tensor<?x8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Of two reads one may become an input: the other one is of rows that are not all of the tensor's.
// CHECK-LABEL: func.func @one_of_two
// CHECK:         %[[C:.*]] = dyn_shape.holds M == bcast(M, N)
// CHECK:         dyn_shape.launch @add {{.*}} versions(@add_equal if %[[C]])
func.func @one_of_two(%x: tensor<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>},
                      %y: tensor<?x16xf32> {dyn.dims = #dyn.dims<[N, 16]>}) -> tensor<?x8xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %c = dyn_shape.holds M == bcast(M, N) (M = %M, N = %N) : i1
  %d = dyn_shape.holds N == bcast(M, N) (M = %M, N = %N) : i1
  %f = arith.index_castui %c : i1 to index
  %g = arith.index_castui %d : i1 to index
  %size = dyn_shape.apply bcast(M, N) (M = %M, N = %N) : index
  %e = tensor.empty(%size) : tensor<?x8xf32>
  %0 = dyn_shape.launch @add ins(%x, %y : tensor<?x8xf32>, tensor<?x16xf32>) sizes(%f, %g) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
// CHECK-LABEL: func.func private @add_equal(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x8xf32>, %[[Y:[^:]*]]: tensor<?x16xf32>, %{{[^:]*}}: index, %[[G:[^:]*]]: index
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : tensor<?x8xf32>)
// CHECK:         %[[L:.*]] = arith.muli %{{.*}}, %[[G]]
// CHECK:         tensor.extract %[[Y]][%[[L]], %{{.*}}]
func.func private @add(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>, %f: index, %g: index, %out: tensor<?x8xf32>)
    -> tensor<?x8xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%out : tensor<?x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %f : index
    %a = tensor.extract %x[%k, %j] : tensor<?x8xf32>
    %l = arith.muli %i, %g : index
    %b = tensor.extract %y[%l, %j] : tensor<?x16xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// A sum of products, read by maps, is a contraction.
// CHECK-LABEL: func.func @product
// CHECK:         versions(@sums_equal if
func.func @product(%x: tensor<?x8xf32> {dyn.dims = #dyn.dims<[M, 8]>},
                   %y: tensor<8x4xf32>) -> tensor<?x4xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?]>} {
  %M = dyn_shape.sym "M" : index
  %N = dyn_shape.sym "N" : index
  %c = dyn_shape.holds M == N (M = %M, N = %N) : i1
  %f = arith.index_castui %c : i1 to index
  %e = tensor.empty(%N) : tensor<?x4xf32>
  %0 = dyn_shape.launch @sums ins(%x, %y : tensor<?x8xf32>, tensor<8x4xf32>) sizes(%f) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
// CHECK: func.func private @sums(
// CHECK-SAME: dyn.kernel = "row"
// CHECK: func.func private @sums_equal(
// CHECK-SAME: attributes {dyn.kernel = "contraction"}
func.func private @sums(%x: tensor<?x8xf32>, %y: tensor<8x4xf32>, %f: index, %out: tensor<?x4xf32>) -> tensor<?x4xf32>
    attributes {dyn.kernel = "row", dyn.rows = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y : tensor<8x4xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%b: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %l = arith.muli %i, %f : index
    %a = tensor.extract %x[%l, %k] : tensor<?x8xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
