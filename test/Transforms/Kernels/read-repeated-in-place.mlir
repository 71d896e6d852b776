// RUN: dyn-opt %s --split-input-file --dyn-pipeline=to=kernels --mlir-print-local-scope | FileCheck %s

// Fires: whether an operand is repeated is open until sizes are known. The kernel reads both where they lie, by strides
// of 0 where there is one batch for all, also the one that is transposed; the bias is still added in it.
// CHECK-LABEL: func.func @operands_are_read_where_they_lie
// CHECK-DAG: %[[WHOLE_A:.*]] = dyn_shape.holds a == bcast(a, b)
// CHECK-DAG: %[[WHOLE_B:.*]] = dyn_shape.holds b == bcast(a, b)
// CHECK-DAG: %[[FACTOR_A:.*]] = arith.index_castui %[[WHOLE_A]]
// CHECK-DAG: %[[FACTOR_B:.*]] = arith.index_castui %[[WHOLE_B]]
// CHECK-NOT: dyn_shape.launch
// CHECK: dyn_shape.launch @contraction_0 ins(%arg0, %arg1, %arg2 : {{.*}}) sizes({{.*}}%[[FACTOR_A]], {{.*}}%[[FACTOR_B]]
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0(%[[X:[^:]*]]: tensor<?x?x?xf32>, %[[Y:[^:]*]]: tensor<?x?x?xf32>
// CHECK-DAG: %[[SLICE_X:.*]] = tensor.extract_slice %[[X]][0, 0, 0] [%{{.*}}, %{{.*}}, %{{.*}}] [%{{.*}}, 1, 1]
// CHECK-DAG: %[[SLICE_Y:.*]] = tensor.extract_slice %[[Y]][0, 0, 0] [%{{.*}}, %{{.*}}, %{{.*}}] [%{{.*}}, 1, 1]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>,
// CHECK-SAME: ins(%[[SLICE_X]], %[[SLICE_Y]] :
// CHECK: arith.addf
// CHECK: linalg.generic
func.func @operands_are_read_where_they_lie(
    %x: tensor<?x?x?xf32, #dyn.dims<[a, M, K]>> {dyn.name = "x"},
    %y: tensor<?x?x?xf32, #dyn.dims<[b, N, K]>> {dyn.name = "y"}, %z: tensor<?xf32, #dyn.dims<[N]>> {dyn.name = "z"})
    -> (tensor<?x?x?xf32> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], M: [0, ?] from arg0[1], K: [0, ?] from arg0[2],
                                           b: [0, ?] from arg1[0], N: [0, ?] from arg1[1]>} {
  %t = dyn.transpose %y perm [0, 2, 1] : (tensor<?x?x?xf32, #dyn.dims<[b, N, K]>>) -> tensor<?x?x?xf32>
  %r = dyn.matmul %x, %t : (tensor<?x?x?xf32, #dyn.dims<[a, M, K]>>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = dyn.add %r, %z : (tensor<?x?x?xf32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?x?x?xf32>
  return %s : tensor<?x?x?xf32>
}

// -----

// Does not fire: which one is repeated is known, so that maps say it.
// CHECK-LABEL: func.func @known_operand
// CHECK-NOT: dyn_shape.holds
// CHECK: dyn_shape.launch @contraction_0
// CHECK-NOT: tensor.extract_slice
func.func @known_operand(%x: tensor<?x?x8xf32, #dyn.dims<[a, M, 8]>> {dyn.name = "x"},
                         %y: tensor<1x8x4xf32> {dyn.name = "y"}) -> (tensor<?x?x4xf32> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], M: [0, ?] from arg0[1]>} {
  %r = dyn.matmul %x, %y : (tensor<?x?x8xf32, #dyn.dims<[a, M, 8]>>, tensor<1x8x4xf32>) -> tensor<?x?x4xf32>
  return %r : tensor<?x?x4xf32>
}

// -----

// Does not fire where no product reads: a pointwise op computes its places, and has a version for equal sizes.
// CHECK-LABEL: func.func @no_product
// CHECK: dyn_shape.launch @pointwise_0 {{.*}} versions(
// CHECK-NOT: tensor.extract_slice
func.func @no_product(%x: tensor<?x4xf32, #dyn.dims<[a, 4]>> {dyn.name = "x"},
                      %y: tensor<?x4xf32, #dyn.dims<[b, 4]>> {dyn.name = "y"}) -> (tensor<?x4xf32> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], b: [0, ?] from arg1[0]>} {
  %r = dyn.add %x, %y : (tensor<?x4xf32, #dyn.dims<[a, 4]>>, tensor<?x4xf32, #dyn.dims<[b, 4]>>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// What a model repeats itself, with a node of its own, is read in place as well; what it also gives is made once more.
// CHECK-LABEL: func.func @repeated_by_a_node
// CHECK-DAG: dyn_shape.launch @pointwise_0 ins(%arg0
// CHECK-DAG: dyn_shape.launch @contraction_0 ins(%arg0, %arg1
// CHECK: func.func private @contraction_0
// CHECK: tensor.extract_slice
func.func @repeated_by_a_node(%x: tensor<?x?x8xf32, #dyn.dims<[a, M, 8]>> {dyn.name = "x"},
                              %y: tensor<?x8x4xf32, #dyn.dims<[b, 8, 4]>> {dyn.name = "y"})
    -> (tensor<?x?x8xf32, #dyn.dims<[b, M, 8]>> {dyn.name = "e"}, tensor<?x?x4xf32> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], M: [0, ?] from arg0[1], b: [0, ?] from arg1[0]>} {
  dyn.require a == b or a == 1 because "operands fit"
  %e = dyn.broadcast %x : tensor<?x?x8xf32, #dyn.dims<[a, M, 8]>> to tensor<?x?x8xf32, #dyn.dims<[b, M, 8]>>
  %r = dyn.matmul %e, %y : (tensor<?x?x8xf32, #dyn.dims<[b, M, 8]>>, tensor<?x8x4xf32, #dyn.dims<[b, 8, 4]>>) -> tensor<?x?x4xf32>
  return %e, %r : tensor<?x?x8xf32, #dyn.dims<[b, M, 8]>>, tensor<?x?x4xf32>
}

// -----

// Heads: views divide the rows of the operand before the slice is taken, and the transpose shows in the map only.
// CHECK-LABEL: func.func @heads
// CHECK: %[[HEADS:.*]] = tensor.expand_shape %arg1
// CHECK-NOT: dyn_shape.launch
// CHECK: dyn_shape.launch @contraction_0 ins(%{{.*}}, %[[HEADS]] :
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0
// CHECK: tensor.extract_slice
func.func @heads(%x: tensor<?x2x?x4xf32, #dyn.dims<[a, 2, S, 4]>> {dyn.name = "x"},
                 %y: tensor<?x?x8xf32, #dyn.dims<[b, T, 8]>> {dyn.name = "y"}) -> (tensor<?x2x?x?xf32> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], S: [0, ?] from arg0[2], b: [0, ?] from arg1[0],
                                           T: [0, ?] from arg1[1]>} {
  %h = dyn.reshape %y : tensor<?x?x8xf32, #dyn.dims<[b, T, 8]>> to tensor<?x?x2x4xf32, #dyn.dims<[b, T, 2, 4]>>
  %t = dyn.transpose %h perm [0, 2, 3, 1] : (tensor<?x?x2x4xf32, #dyn.dims<[b, T, 2, 4]>>) -> tensor<?x2x4x?xf32, #dyn.dims<[b, 2, 4, T]>>
  %r = dyn.matmul %x, %t : (tensor<?x2x?x4xf32, #dyn.dims<[a, 2, S, 4]>>, tensor<?x2x4x?xf32, #dyn.dims<[b, 2, 4, T]>>) -> tensor<?x2x?x?xf32>
  return %r : tensor<?x2x?x?xf32>
}

// -----

// What follows divides the columns of the product: then the tensor is divided, and the slice is one of that.
// CHECK-LABEL: func.func @columns_are_divided
// CHECK: %[[DIVIDED:.*]] = tensor.expand_shape %arg1 {{.*}} into tensor<?x?x2x4xf32>
// CHECK: dyn_shape.launch @contraction_0 ins(%{{.*}}, %[[DIVIDED]] :
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @contraction_0
// CHECK: tensor.extract_slice %{{.*}} [%{{.*}}, %{{.*}}, 2, 4] [%{{.*}}, 1, 1, 1]
func.func @columns_are_divided(%x: tensor<?x?x?xf32, #dyn.dims<[a, M, K]>> {dyn.name = "x"},
                               %y: tensor<?x?x8xf32, #dyn.dims<[b, K, 8]>> {dyn.name = "y"})
    -> (tensor<?x2x?x4xf32, #dyn.dims<[bcast(a, b), 2, M, 4]>> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], M: [0, ?] from arg0[1], K: [0, ?] from arg0[2],
                                           b: [0, ?] from arg1[0]>} {
  %r = dyn.matmul %x, %y : (tensor<?x?x?xf32, #dyn.dims<[a, M, K]>>, tensor<?x?x8xf32, #dyn.dims<[b, K, 8]>>) -> tensor<?x?x8xf32, #dyn.dims<[bcast(a, b), M, 8]>>
  %h = dyn.reshape %r : tensor<?x?x8xf32, #dyn.dims<[bcast(a, b), M, 8]>> to tensor<?x?x2x4xf32, #dyn.dims<[bcast(a, b), M, 2, 4]>>
  %t = dyn.transpose %h perm [0, 2, 1, 3] : (tensor<?x?x2x4xf32, #dyn.dims<[bcast(a, b), M, 2, 4]>>) -> tensor<?x2x?x4xf32, #dyn.dims<[bcast(a, b), 2, M, 4]>>
  return %t : tensor<?x2x?x4xf32, #dyn.dims<[bcast(a, b), 2, M, 4]>>
}

// -----

// A reshape joins the dim that may be repeated with another one: there is no stride for both, the product reads a copy.
// CHECK-LABEL: func.func @joined_with_others
// CHECK: dyn_shape.launch @pointwise_0 {{.*}} versions(
// CHECK: dyn_shape.launch @contraction_0
// CHECK-NOT: tensor.extract_slice
func.func @joined_with_others(%x: tensor<?x?x8xf32, #dyn.dims<[a, M, 8]>> {dyn.name = "x"},
                              %y: tensor<8x4xf32> {dyn.name = "y"}, %z: tensor<?xf32, #dyn.dims<[b]>> {dyn.name = "z"})
    -> (tensor<?x4xf32, #dyn.dims<[b * M, 4]>> {dyn.name = "r"})
    attributes {dyn.symbols = #dyn.symbols<a: [0, ?] from arg0[0], M: [0, ?] from arg0[1], b: [0, ?] from arg2[0]>} {
  dyn.require a == b or a == 1 because "operands fit"
  %e = dyn.broadcast %x : tensor<?x?x8xf32, #dyn.dims<[a, M, 8]>> to tensor<?x?x8xf32, #dyn.dims<[b, M, 8]>>
  %j = dyn.reshape %e : tensor<?x?x8xf32, #dyn.dims<[b, M, 8]>> to tensor<?x8xf32, #dyn.dims<[b * M, 8]>>
  %r = dyn.matmul %j, %y : (tensor<?x8xf32, #dyn.dims<[b * M, 8]>>, tensor<8x4xf32>) -> tensor<?x4xf32, #dyn.dims<[b * M, 4]>>
  return %r : tensor<?x4xf32, #dyn.dims<[b * M, 4]>>
}
