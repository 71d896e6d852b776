// RUN: dyn-opt --dyn-infer-shapes --split-input-file %s | FileCheck %s

// As many windows as fit.
// CHECK-LABEL: @floor
// CHECK-NOT: dyn.require
// CHECK: -> tensor<4x?x3xf32, #dyn.dims<[4, n ceildiv 2, 3]>>
func.func @floor(%x: tensor<4x?xf32, #dyn.dims<[4, n]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[1]>} {
  %r = dyn.windows floor %x value(0.0 : f32) kernel [3] strides [2] dilations [1] pads [1, 1] : (tensor<4x?xf32, #dyn.dims<[4, n]>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// CHECK-LABEL: @same
// CHECK: #dyn.dims<[n ceildiv 2, 3]>
func.func @same(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %r = dyn.windows same_upper %x value(0.0 : f32) kernel [3] strides [2] dilations [1] pads [0, 0] : (tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// There must be as many elements as are asked for.
// CHECK-LABEL: @top_k
// CHECK: dyn.require 3 <= n because
// CHECK: -> tensor<3xi64>
func.func @top_k(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xi64>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %k = dyn.constant dense<3> : tensor<1xi64>
  %r = dyn.top_k %x, %k axis 0 : (tensor<?xf32, #dyn.dims<[n]>>, tensor<1xi64>) -> tensor<*xi64>
  return %r : tensor<*xi64>
}
