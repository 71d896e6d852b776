// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @rank(%x: tensor<4xf32>) {
  // expected-error @below {{(1) windows of 2 dims over an operand of rank 1}}
  %0 = dyn.windows floor %x value(0.0 : f32) kernel [2, 2] strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @entries(%x: tensor<4xf32>) {
  // expected-error @below {{(2) 'kernel', 'strides' and 'dilations' must be positive, one is 0}}
  %0 = dyn.windows floor %x value(0.0 : f32) kernel [2] strides [0] dilations [1] pads [0, 0] : (tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @result(%x: tensor<4xf32>) {
  // expected-error @below {{(3)}}
  %0 = dyn.windows ceil %x value(0.0 : f32) kernel [2] strides [1] dilations [1] pads [0, 0] : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @value(%x: tensor<4xf32>) {
  // expected-error @below {{(4) 'value' has type 'i64', the operand elements of type 'f32'}}
  %0 = dyn.windows same_upper %x value(0 : i64) kernel [2] strides [1] dilations [1] pads [0, 0] : (tensor<4xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @top_k(%x: tensor<4xf32>, %k: tensor<2xi64>) {
  // expected-error @below {{(2)}}
  %0 = dyn.top_k %x, %k axis 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @bitcast(%x: tensor<4xf32>) {
  // expected-error @below {{elements of type 'f32' have another width than those of type 'i64'}}
  %0 = dyn.bitcast %x : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @scatter(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @below {{(4) 'reduction' is 'mean'}}
  %0 = dyn.scatter_nd %x, %i, %u reduction mean : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}
