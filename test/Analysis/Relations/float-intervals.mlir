// RUN: dyn-opt %s --dyn-infer-shapes=open --split-input-file | FileCheck %s

// The image that keeps its ratio in a square of 64: no formula over h and w gives what floats make of it, but it lies
// between numbers.
// CHECK-LABEL: func.func @fitted
// CHECK-SAME: u0: [0, 32768] bound
func.func @fitted(%x: tensor<?x?xf32, #dyn.dims<[h, w]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<h: [1, 512] from arg0[0], w: [1, 512] from arg0[1]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %shape = dyn.shape_of %x : (tensor<?x?xf32, #dyn.dims<[h, w]>>) -> tensor<2xi64>
  %h = dyn.gather %shape, %zero axis 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %w = dyn.gather %shape, %one axis 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %hf = dyn.cast %h : (tensor<i64>) -> tensor<f32>
  %wf = dyn.cast %w : (tensor<i64>) -> tensor<f32>
  %target = dyn.constant dense<64.0> : tensor<f32>
  %first = dyn.div %target, %hf : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %second = dyn.div %target, %wf : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %scale = dyn.min %first, %second : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %scaled = dyn.mul %hf, %scale : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %floor = dyn.floor %scaled : (tensor<f32>) -> tensor<f32>
  %size = dyn.cast %floor : (tensor<f32>) -> tensor<i64>
  %axis = dyn.constant dense<0> : tensor<1xi64>
  %list = dyn.unsqueeze %size axes [0] : (tensor<i64>) -> tensor<1xi64>
  // The size is taken out of several again.
  %sizes = dyn.concat 0(%shape, %list) : (tensor<2xi64>, tensor<1xi64>) -> tensor<3xi64>
  %place = dyn.constant dense<-1> : tensor<1xi64>
  %taken = dyn.gather %sizes, %place axis 0 : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = dyn.full_to %taken value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Where the divisor may be 0, anything may come out.
// CHECK-LABEL: func.func @divisor_may_be_zero
// CHECK-SAME: u0: [0, ?] bound
func.func @divisor_may_be_zero(%x: tensor<?xf32, #dyn.dims<[h]>>, %y: tensor<?xf32, #dyn.dims<[w]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<h: [0, 512] from arg0[0], w: [0, 512] from arg1[0]>} {
  %h = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[h]>>) -> tensor<1xi64>
  %w = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[w]>>) -> tensor<1xi64>
  %hf = dyn.cast %h : (tensor<1xi64>) -> tensor<1xf32>
  %wf = dyn.cast %w : (tensor<1xi64>) -> tensor<1xf32>
  %quotient = dyn.div %hf, %wf : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %root = dyn.sqrt %quotient : (tensor<1xf32>) -> tensor<1xf32>
  %size = dyn.cast %root : (tensor<1xf32>) -> tensor<1xi64>
  %r = dyn.full_to %size value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Roots, sums and differences of what lies in 9.75 to 15.5, each for itself, and a little more.
// CHECK-LABEL: func.func @root
// CHECK-SAME: u0: [3, 21] bound
func.func @root(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [4, 100] from arg0[0]>} {
  %n = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[n]>>) -> tensor<1xi64>
  %nf = dyn.cast %n : (tensor<1xi64>) -> tensor<1xf32>
  %root = dyn.sqrt %nf : (tensor<1xf32>) -> tensor<1xf32>
  %given = dyn.constant dense<[5.5]> : tensor<1xf32>
  %sum = dyn.add %root, %given : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %least = dyn.constant dense<[9.75]> : tensor<1xf32>
  %between = dyn.max %sum, %least : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %twice = dyn.sub %between, %between : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %back = dyn.sub %between, %twice : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %size = dyn.cast %back : (tensor<1xf32>) -> tensor<1xi64>
  %r = dyn.full_to %size value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
