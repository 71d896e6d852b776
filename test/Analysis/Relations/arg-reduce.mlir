// RUN: dyn-opt --dyn-infer-shapes --split-input-file %s | FileCheck %s

// An empty dim has no greatest element.
// CHECK-LABEL: @of_a_symbol
// CHECK: dyn.require 1 <= n because
func.func @of_a_symbol(%x: tensor<?x4xf32, #dyn.dims<[n, 4]>>) -> tensor<*xi64>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %r = dyn.arg_reduce max %x axis 0 : (tensor<?x4xf32, #dyn.dims<[n, 4]>>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}

// -----

// No rows, no questions.
// CHECK-LABEL: @of_rows
// CHECK-NOT: dyn.require
func.func @of_rows(%x: tensor<?x4xf32, #dyn.dims<[n, 4]>>) -> tensor<*xi64>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %r = dyn.arg_reduce max %x axis 1 : (tensor<?x4xf32, #dyn.dims<[n, 4]>>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}
