// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<5x2x3xf32>, %w: tensor<3x3x1xf32>, %h: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.recurrent' op (1) 'weights' has rank 3, expected 2}}
  %0:2 = dyn.recurrent rnn %x weights %w hidden %h activations ["tanh"] alpha [0.0] beta [0.0]
      : (tensor<5x2x3xf32>, tensor<3x3x1xf32>, tensor<2x3xf32>) -> (tensor<5x2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @cell(%x: tensor<5x2x12xf32>, %w: tensor<12x3xf32>, %h: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.recurrent' op (2) 'cell' and 'last_cell' must be there for 'lstm' and for nothing else}}
  %0:2 = dyn.recurrent lstm %x weights %w hidden %h activations ["sigmoid", "tanh", "tanh"]
      alpha [0.0, 0.0, 0.0] beta [0.0, 0.0, 0.0]
      : (tensor<5x2x12xf32>, tensor<12x3xf32>, tensor<2x3xf32>) -> (tensor<5x2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @activation(%x: tensor<5x2x3xf32>, %w: tensor<3x3xf32>, %h: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.recurrent' op (3) 'swish' is no activation}}
  %0:2 = dyn.recurrent rnn %x weights %w hidden %h activations ["swish"] alpha [0.0] beta [0.0]
      : (tensor<5x2x3xf32>, tensor<3x3xf32>, tensor<2x3xf32>) -> (tensor<5x2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @bins(%x: tensor<1x2x8x8xf32>, %r: tensor<3x4xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{'dyn.roi_align' op (2) bins are 0 x 2 with 1 samples}}
  %0 = dyn.roi_align %x, %r, %b height 0 width 2 samples 1 scale 1.0
      : (tensor<1x2x8x8xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x2x?x2xf32>
  return
}

// -----

func.func @inverse(%x: tensor<3xf32>) {
  // expected-error @below {{'dyn.inverse' op (1) the operand has rank 1, expected at least 2}}
  %0 = dyn.inverse %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @matrix(%x: tensor<3xf32>) {
  // expected-error @below {{'dyn.det' op (1) the operand has rank 1, expected at least 2}}
  %0 = dyn.det %x : (tensor<3xf32>) -> tensor<f32>
  return
}
