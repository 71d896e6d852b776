// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @range(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.reduce' op (1) axis 2 is out of range for rank 2}}
  %0 = dyn.reduce sum %x axes [2] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.reduce' op (1) axis -1 stands twice}}
  %0 = dyn.reduce sum %x axes [1, -1] : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.reduce' op (2) 'result' has rank 1, expected 2}}
  %0 = dyn.reduce max %x axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @kind(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.arg_reduce' op (1) kind is 'sum', expected 'max' or 'min'}}
  %0 = dyn.arg_reduce sum %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @arg_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.arg_reduce' op (3) 'result' has rank 2, expected 1}}
  %0 = dyn.arg_reduce max %x axis 1 : (tensor<2x3xf32>) -> tensor<2x1xi64>
  return
}

// -----

func.func @running(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.cumsum' op (2) axis -3 is out of range for rank 2}}
  %0 = dyn.cumsum %x axis -3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
