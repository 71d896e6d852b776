// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @scalar(%a: tensor<f32>, %b: tensor<4x4xf32>) {
  // expected-error @below {{'dyn.matmul' op (1) 'lhs' has rank 0}}
  %0 = dyn.matmul %a, %b : (tensor<f32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @contracted(%a: tensor<?x768xf32>, %b: tensor<1024x4xf32>) {
  // expected-error @below {{'dyn.matmul' op (2) the contracted dims are 768 and 1024: dim 1 of 'lhs', dim 0 of 'rhs'}}
  %0 = dyn.matmul %a, %b : (tensor<?x768xf32>, tensor<1024x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @leading(%a: tensor<3x4x4xf32>, %b: tensor<2x4x4xf32>) {
  // expected-error @below {{'dyn.matmul' op (3) leading dims 3 and 2 do not broadcast}}
  %0 = dyn.matmul %a, %b : (tensor<3x4x4xf32>, tensor<2x4x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

func.func @rank(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @below {{'dyn.matmul' op (4) 'result' has rank 2, expected 1}}
  %0 = dyn.matmul %a, %b : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @vectors_give_a_scalar(%a: tensor<4xf32>) -> tensor<f32> {
  %0 = dyn.matmul %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @conv_rank(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3xf32>) {
  // expected-error @below {{'dyn.conv' op (1) 'filter' has rank 3, expected 4}}
  %0 = dyn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<?x3x?x?xf32>, tensor<8x3x3xf32>) -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @conv_pads(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3x3xf32>) {
  // expected-error @below {{'dyn.conv' op (2) 'pads' has 2 entries, expected 4}}
  %0 = dyn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @conv_stride(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3x3xf32>) {
  // expected-error @below {{'dyn.conv' op (2) a stride or dilation is 0, expected at least 1}}
  %0 = dyn.conv %x, %w {strides = array<i64: 0, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @conv_group(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x3x3xf32>) {
  // expected-error @below {{'dyn.conv' op (3) dim 1 of 'input' is 3, expected 6}}
  %0 = dyn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
                        group = 2 : i64}
    : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32>
  return
}

// -----

// Values are called as the model calls them.
func.func @names(%x: tensor<?x3x8x8xf32> {dyn.name = "x"}) -> tensor<*xf32> {
  %w = dyn.constant dense<0.0> : tensor<4x5x3x3xf32> loc("w")
  // expected-error @below {{(3) dim 1 of 'input' (input 'x') is 3, expected 5}}
  %0 = dyn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    : (tensor<?x3x8x8xf32>, tensor<4x5x3x3xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
