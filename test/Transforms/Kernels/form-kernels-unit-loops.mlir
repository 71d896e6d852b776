// RUN: dyn-opt %s --split-input-file --dyn-form-kernels --dyn-verify-kernels --mlir-print-local-scope | FileCheck %s

// An index of two loops of one place each, of which one stays, as the output's type does not say that it has one: then
// the other one stays too, since without it the index would run over all of the operand.
// CHECK-LABEL: func.func @window_beside_the_loop_of_an_output
// CHECK: func.func private @pointwise_0
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
func.func @window_beside_the_loop_of_an_output(%x: tensor<5xf32>, %z: tensor<1xf32>) -> tensor<?x1xf32> {
  %m = dyn_shape.sym "M" : index
  %empty = tensor.empty(%m) : tensor<?x1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0)>,
                                          affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<5xf32>, tensor<1xf32>) outs(%empty : tensor<?x1xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
  } -> tensor<?x1xf32>
  return %sum : tensor<?x1xf32>
}

// -----

// An input's type says that the size is 1, as facts may show, where the output's does not: the dim stays with its loop.
// CHECK-LABEL: func.func @unit_of_an_input_only
// CHECK: func.func private @pointwise_0
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
func.func @unit_of_an_input_only(%x: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %m = dyn_shape.sym "M" : index
  %n = dyn_shape.sym "N" : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %copy = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %copy : tensor<?x?xf32>
}
