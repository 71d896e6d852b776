// RUN: not dyn-opt %s --dyn-infer-shapes --split-input-file 2>&1 | FileCheck %s

// A contradiction names the values that an op reads, and the dims of them that should be equal.
func.func @sum(%x: tensor<?x3xf32, #dyn.dims<[N, 3]>> {dyn.name = "x"}, %y: tensor<?x4xf32, #dyn.dims<[N, 4]>> {dyn.name = "y"})
    -> tensor<*xf32> attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  // CHECK: node '/add': add: 3 and 4 cannot be equal; dim 1 of input 'x' [N, 3], dim 1 of input 'y' [N, 4]
  %0 = dyn.add %x, %y : (tensor<?x3xf32, #dyn.dims<[N, 3]>>, tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> tensor<*xf32> loc("/add")
  return %0 : tensor<*xf32>
}

// -----

// Values of other nodes, and constants, have the names of these.
func.func @product(%x: tensor<?x3xf32, #dyn.dims<[N, 3]>> {dyn.name = "x"}) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %w = dyn.constant dense<0.0> : tensor<4x3xf32> loc("w")
  %r = dyn.neg %x : (tensor<?x3xf32, #dyn.dims<[N, 3]>>) -> tensor<*xf32> loc("/neg")
  // CHECK: node '/mm': matmul: contraction: 3 and 4 cannot be equal; dim 1 of the result of node '/neg' [N, 3], dim 0 of 'w' [4, 3]
  %0 = dyn.matmul %r, %w : (tensor<*xf32>, tensor<4x3xf32>) -> tensor<*xf32> loc("/mm")
  return %0 : tensor<*xf32>
}

// -----

// Which dims it is about may not be clear: then all are shown, and what is no dim.
func.func @expand(%x: tensor<?x8xf32, #dyn.dims<[N, 8]>> {dyn.name = "x"}) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %shape = dyn.constant dense<[-1, 5]> : tensor<2xi64> loc("shape")
  // CHECK: node '/expand': expand: a size from data: '0 <= -1' cannot hold; input 'x' [N, 8], 'shape' = [-1, 5]
  %0 = dyn.expand_to %x, %shape : (tensor<?x8xf32, #dyn.dims<[N, 8]>>, tensor<2xi64>) -> tensor<*xf32> loc("/expand")
  return %0 : tensor<*xf32>
}
