// RUN: dyn-opt %s --dyn-bufferize --split-input-file | FileCheck %s

// Kernels stay on tensors; a launch writes the buffer that was its empty tensor; views stay views.

// CHECK-LABEL: func.func @launches_write_their_outs(
// CHECK-SAME:    %[[X:.*]]: memref<?x4xf32> {dyn.dims = #dyn.dims<[N, 4]>}
// CHECK-SAME:    -> (memref<?xf32> {dyn.name = "y"})
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[X]]
// CHECK:         %[[ALLOC:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?xf32>
// CHECK-NOT:     memref.copy
// CHECK:         dyn_shape.launch @twice ins(%[[FLAT]] : memref<?xf32>) outs(%[[ALLOC]] : memref<?xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         return %[[ALLOC]]
func.func @launches_write_their_outs(%x: tensor<?x4xf32> {dyn.dims = #dyn.dims<[N, 4]>})
    -> (tensor<?xf32> {dyn.name = "y"}) attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %n = dyn_shape.apply 4 * N (N = %N) : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = dyn_shape.launch @twice ins(%flat : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func private @twice(%{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>) -> tensor<?xf32>
// CHECK:         arith.constant dense<2.000000e+00> : tensor<1xf32>
func.func private @twice(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  %two = arith.constant dense<2.0> : tensor<1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%in, %two : tensor<?xf32>, tensor<1xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %f: f32, %o: f32):
    %y = arith.mulf %x, %f : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Constants, in the IR or in a file, are data that lie somewhere.

// CHECK-LABEL: func.func @constants_are_data
// CHECK-DAG:     dyn_shape.data #dyn.weight<"w.weights", 64, 16>{{.*}} -> memref<4xf32>
// CHECK-DAG:     dyn_shape.data dense<[1, 2]> : tensor<2xi64> -> memref<2xi64>
func.func @constants_are_data() -> tensor<4xf32> {
  %w = dyn.constant #dyn.weight<"w.weights", 64, 16> : tensor<4xf32>
  %i = arith.constant dense<[1, 2]> : tensor<2xi64>
  %e = tensor.empty() : tensor<4xf32>
  %0 = dyn_shape.launch @pick ins(%w, %i : tensor<4xf32>, tensor<2xi64>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @pick(%in: tensor<4xf32>, %i: tensor<2xi64>, %out: tensor<4xf32>) -> tensor<4xf32>
    attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]} ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
