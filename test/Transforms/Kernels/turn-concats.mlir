// RUN: dyn-opt %s --split-input-file --dyn-pipeline=to=kernels --mlir-print-local-scope | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dyn-pipeline=to=buffers | FileCheck %s --check-prefix=BUFFERS

// Keys are put behind cached ones transposed, read by a product, and transposed back: they are put together as the
// cache has them, so that a piece of the cache is read where it lies, and what is put together is the result.
// CHECK-LABEL: func.func @keys_behind_a_cache
// CHECK: dyn_shape.launch @pointwise_0 ins(%arg0 : tensor<2x?x2x?x4xf32>) {{.*}} -> tensor<?x2x?x4xf32>
// CHECK: %[[KEYS:.*]] = dyn_shape.launch @concat_0 ins(%{{.*}}, %arg1 : tensor<?x2x?x4xf32>, tensor<?x?x2x4xf32>)
// CHECK: %[[SCORES:.*]] = dyn_shape.launch @contraction_0 ins(%arg2, %[[KEYS]] : tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>)
// CHECK-NOT: dyn_shape.launch
// CHECK: return %[[SCORES]], %[[KEYS]]
// CHECK: func.func private @concat_0
// CHECK-DAG: %[[NEW:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>,
// CHECK-DAG: %[[FIRST:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0, 0, 0] [%{{.*}}, 2, %[[P:.*]], 4]
// CHECK: tensor.insert_slice %[[NEW]] into %[[FIRST]][0, 0, %[[P]], 0]
// CHECK: func.func private @contraction_0
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// BUFFERS-LABEL: func.func @keys_behind_a_cache
// BUFFERS: dyn_shape.part %arg0 from
// BUFFERS-NOT: dyn_shape.launch @pointwise
// BUFFERS: dyn_shape.launch @concat_0 ins(%{{.*}}, %arg1 {{.*}} outs(%arg4
func.func @keys_behind_a_cache(%past: tensor<2x?x2x?x4xf32, #dyn.dims<[2, B, 2, P, 4]>> {dyn.name = "past"},
                               %new: tensor<?x?x2x4xf32, #dyn.dims<[B, S, 2, 4]>> {dyn.name = "new"},
                               %q: tensor<?x2x?x4xf32, #dyn.dims<[B, 2, S, 4]>> {dyn.name = "q"})
    -> (tensor<?x2x?x?xf32, #dyn.dims<[B, 2, S, P + S]>> {dyn.name = "scores"},
        tensor<?x2x?x4xf32, #dyn.dims<[B, 2, P + S, 4]>> {dyn.name = "keys"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[1], P: [0, ?] from arg0[3], S: [0, ?] from arg1[1]>} {
  %piece = dyn.slice %past[1:2, 0:B, 0:2, 0:P, 0:4] : tensor<2x?x2x?x4xf32, #dyn.dims<[2, B, 2, P, 4]>> -> tensor<1x?x2x?x4xf32, #dyn.dims<[1, B, 2, P, 4]>>
  %cached = dyn.reshape %piece : tensor<1x?x2x?x4xf32, #dyn.dims<[1, B, 2, P, 4]>> to tensor<?x2x?x4xf32, #dyn.dims<[B, 2, P, 4]>>
  %first = dyn.transpose %cached perm [0, 1, 3, 2] : (tensor<?x2x?x4xf32, #dyn.dims<[B, 2, P, 4]>>) -> tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, P]>>
  %second = dyn.transpose %new perm [0, 2, 3, 1] : (tensor<?x?x2x4xf32, #dyn.dims<[B, S, 2, 4]>>) -> tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, S]>>
  %keys = dyn.concat 3 (%first, %second) : (tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, P]>>, tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, S]>>) -> tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, P + S]>>
  %scores = dyn.matmul %q, %keys : (tensor<?x2x?x4xf32, #dyn.dims<[B, 2, S, 4]>>, tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, P + S]>>) -> tensor<?x2x?x?xf32, #dyn.dims<[B, 2, S, P + S]>>
  %present = dyn.transpose %keys perm [0, 1, 3, 2] : (tensor<?x2x4x?xf32, #dyn.dims<[B, 2, 4, P + S]>>) -> tensor<?x2x?x4xf32, #dyn.dims<[B, 2, P + S, 4]>>
  return %scores, %present : tensor<?x2x?x?xf32, #dyn.dims<[B, 2, S, P + S]>>, tensor<?x2x?x4xf32, #dyn.dims<[B, 2, P + S, 4]>>
}

// -----

// No dim is swapped with another one here: what a dim of the transpose is in the concat is not the other way round.
// CHECK-LABEL: func.func @three_dims_turn
// CHECK: %[[WHOLE:.*]] = dyn_shape.launch @concat_0 ins(%arg0, %arg1 : tensor<?x?x5xf32>, tensor<?x3x?xf32>)
// CHECK: return %[[WHOLE]]
// CHECK: func.func private @concat_0
// CHECK-DAG: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [%{{.*}}, %{{.*}}, 5]
// CHECK-DAG: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 5] [%{{.*}}, %{{.*}}, 3]
func.func @three_dims_turn(%x: tensor<?x?x5xf32, #dyn.dims<[S, B, 5]>> {dyn.name = "x"},
                           %y: tensor<?x3x?xf32, #dyn.dims<[S, 3, B]>> {dyn.name = "y"})
    -> (tensor<?x?x8xf32, #dyn.dims<[S, B, 8]>> {dyn.name = "z"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], B: [0, ?] from arg0[1]>} {
  %xt = dyn.transpose %x perm [2, 0, 1] : (tensor<?x?x5xf32, #dyn.dims<[S, B, 5]>>) -> tensor<5x?x?xf32, #dyn.dims<[5, S, B]>>
  %xe = dyn.exp %xt : (tensor<5x?x?xf32, #dyn.dims<[5, S, B]>>) -> tensor<5x?x?xf32, #dyn.dims<[5, S, B]>>
  %yt = dyn.transpose %y perm [1, 0, 2] : (tensor<?x3x?xf32, #dyn.dims<[S, 3, B]>>) -> tensor<3x?x?xf32, #dyn.dims<[3, S, B]>>
  %ye = dyn.tanh %yt : (tensor<3x?x?xf32, #dyn.dims<[3, S, B]>>) -> tensor<3x?x?xf32, #dyn.dims<[3, S, B]>>
  %both = dyn.concat 0 (%xe, %ye) : (tensor<5x?x?xf32, #dyn.dims<[5, S, B]>>, tensor<3x?x?xf32, #dyn.dims<[3, S, B]>>) -> tensor<8x?x?xf32, #dyn.dims<[8, S, B]>>
  %z = dyn.transpose %both perm [1, 2, 0] : (tensor<8x?x?xf32, #dyn.dims<[8, S, B]>>) -> tensor<?x?x8xf32, #dyn.dims<[S, B, 8]>>
  return %z : tensor<?x?x8xf32, #dyn.dims<[S, B, 8]>>
}

// -----

// The concat is a result itself: it has to be there as it is.
// CHECK-LABEL: func.func @needed_as_it_is
// CHECK: %[[BOTH:.*]] = dyn_shape.launch @concat_0
// CHECK: %[[TURNED:.*]] = dyn_shape.launch @pointwise_0 ins(%[[BOTH]]
// CHECK: return %[[BOTH]], %[[TURNED]]
func.func @needed_as_it_is(%x: tensor<?x5xf32, #dyn.dims<[S, 5]>> {dyn.name = "x"},
                           %y: tensor<?x3xf32, #dyn.dims<[S, 3]>> {dyn.name = "y"})
    -> (tensor<?x8xf32, #dyn.dims<[S, 8]>> {dyn.name = "both"}, tensor<8x?xf32, #dyn.dims<[8, S]>> {dyn.name = "z"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %xe = dyn.exp %x : (tensor<?x5xf32, #dyn.dims<[S, 5]>>) -> tensor<?x5xf32, #dyn.dims<[S, 5]>>
  %ye = dyn.tanh %y : (tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<?x3xf32, #dyn.dims<[S, 3]>>
  %both = dyn.concat 1 (%xe, %ye) : (tensor<?x5xf32, #dyn.dims<[S, 5]>>, tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %z = dyn.transpose %both perm [1, 0] : (tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<8x?xf32, #dyn.dims<[8, S]>>
  return %both, %z : tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<8x?xf32, #dyn.dims<[8, S]>>
}

// -----

// A piece that is no result of an op on single elements would take a pass of its own.
// CHECK-LABEL: func.func @pieces_that_are_there
// CHECK: %[[BOTH:.*]] = dyn_shape.launch @concat_0 ins(%arg0, %arg1
// CHECK: dyn_shape.launch @pointwise_0 ins(%[[BOTH]]
func.func @pieces_that_are_there(%x: tensor<?x5xf32, #dyn.dims<[S, 5]>> {dyn.name = "x"},
                                 %y: tensor<?x3xf32, #dyn.dims<[S, 3]>> {dyn.name = "y"})
    -> (tensor<8x?xf32, #dyn.dims<[8, S]>> {dyn.name = "z"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %ye = dyn.tanh %y : (tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<?x3xf32, #dyn.dims<[S, 3]>>
  %both = dyn.concat 1 (%x, %ye) : (tensor<?x5xf32, #dyn.dims<[S, 5]>>, tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %z = dyn.transpose %both perm [1, 0] : (tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<8x?xf32, #dyn.dims<[8, S]>>
  return %z : tensor<8x?xf32, #dyn.dims<[8, S]>>
}
