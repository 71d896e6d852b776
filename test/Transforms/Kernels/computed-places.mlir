// RUN: dyn-opt %s --split-input-file --dyn-pipeline=to=kernels --mlir-print-local-scope | FileCheck %s

// The piece of a concat that is read is known; the concat is gone.
// CHECK-LABEL: func.func @piece_of_a_concat
// CHECK: dyn_shape.launch @pointwise_0 ins(%{{.*}} : tensor<?xf32>)
// CHECK-NOT: dyn_shape.launch
func.func @piece_of_a_concat(%a: tensor<?x1xf32, #dyn.dims<[S, 1]>> {dyn.name = "a"},
                             %b: tensor<?x1xf32, #dyn.dims<[S, 1]>> {dyn.name = "b"})
    -> (tensor<?x1xf32, #dyn.dims<[S, 1]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %both = dyn.concat 1 (%a, %b) : (tensor<?x1xf32, #dyn.dims<[S, 1]>>, tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x2xf32, #dyn.dims<[S, 2]>>
  %piece = dyn.slice %both[0:S, 1:2] : tensor<?x2xf32, #dyn.dims<[S, 2]>> -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  %y = dyn.tanh %piece : (tensor<?x1xf32, #dyn.dims<[S, 1]>>) -> tensor<?x1xf32, #dyn.dims<[S, 1]>>
  return %y : tensor<?x1xf32, #dyn.dims<[S, 1]>>
}

// -----

// Which of the pieces has the element depends on the place: the concat is made.
// CHECK-LABEL: func.func @either_piece
// CHECK: dyn_shape.launch @concat_0
// CHECK: dyn_shape.launch @pointwise_0
func.func @either_piece(%a: tensor<?xf32, #dyn.dims<[S]>> {dyn.name = "a"},
                        %b: tensor<?xf32, #dyn.dims<[S]>> {dyn.name = "b"})
    -> (tensor<?xf32, #dyn.dims<[2 * S]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %both = dyn.concat 0 (%a, %b) : (tensor<?xf32, #dyn.dims<[S]>>, tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[2 * S]>>
  %y = dyn.tanh %both : (tensor<?xf32, #dyn.dims<[2 * S]>>) -> tensor<?xf32, #dyn.dims<[2 * S]>>
  return %y : tensor<?xf32, #dyn.dims<[2 * S]>>
}

// -----

// Indices that a place gives are computed where rows are read; the transpose of the table is seen through.
// CHECK-LABEL: func.func @rows_by_place
// CHECK: dyn_shape.launch @pointwise_0 ins(%arg0 : tensor<4x?xf32>)
// CHECK-NOT: dyn_shape.launch
// CHECK: func.func private @pointwise_0
// CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<4x?xf32>
func.func @rows_by_place(%table: tensor<4x?xf32, #dyn.dims<[4, S]>> {dyn.name = "table"})
    -> (tensor<?x4xf32, #dyn.dims<[S, 4]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[1]>} {
  %start = dyn.constant dense<0> : tensor<i64>
  %step = dyn.constant dense<1> : tensor<i64>
  %rows = dyn.transpose %table perm [1, 0] : (tensor<4x?xf32, #dyn.dims<[4, S]>>) -> tensor<?x4xf32, #dyn.dims<[S, 4]>>
  %places = dyn.iota %start, %step : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %read = dyn.gather %rows, %places axis 0 : (tensor<?x4xf32, #dyn.dims<[S, 4]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?x4xf32, #dyn.dims<[S, 4]>>
  %y = dyn.tanh %read : (tensor<?x4xf32, #dyn.dims<[S, 4]>>) -> tensor<?x4xf32, #dyn.dims<[S, 4]>>
  return %y : tensor<?x4xf32, #dyn.dims<[S, 4]>>
}
