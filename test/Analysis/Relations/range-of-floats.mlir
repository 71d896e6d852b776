// RUN: dyn-opt %s --dyn-infer-shapes --split-input-file | FileCheck %s

// Between sizes, a range of floats has the elements of the range of integers, as long as the floats are exact.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: -> tensor<?xf32, #dyn.dims<[2 * n]>>
// CHECK: dyn.require -8388608 <= -n because "range: an integer that the float type holds"
func.func @sizes(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %axis = dyn.constant dense<> : tensor<0xi64>
  %shape = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[n]>>) -> tensor<1xi64>
  %n = dyn.reshape_to %shape, %axis : (tensor<1xi64>, tensor<0xi64>) -> tensor<i64>
  %limit = dyn.cast %n : (tensor<i64>) -> tensor<f32>
  %minus = dyn.neg %n : (tensor<i64>) -> tensor<i64>
  %start = dyn.cast %minus : (tensor<i64>) -> tensor<f32>
  %delta = dyn.constant dense<1.0> : tensor<f32>
  %r = dyn.range %start, %limit, %delta : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Numbers that are known are taken as they are.
// CHECK-LABEL: func.func @given
// CHECK-SAME: -> tensor<4xf32>
func.func @given() -> tensor<?xf32> {
  %start = dyn.constant dense<0.5> : tensor<f32>
  %limit = dyn.constant dense<4.0> : tensor<f32>
  %delta = dyn.constant dense<1.0> : tensor<f32>
  %r = dyn.range %start, %limit, %delta : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
