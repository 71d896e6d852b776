// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @slice_end(%x: tensor<8xf32>) {
  // expected-error @below {{dim 0 ends at '5', but the result has the size '4'}}
  %0 = dyn.slice %x[0:5] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_without_colon(%x: tensor<8xf32>) {
  // expected-error @below {{expected ':'}}
  %0 = dyn.slice %x[0] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @slice_offset(%x: tensor<8xf32>) {
  // expected-error @below {{expected an expression}}
  %0 = dyn.slice %x[:4] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @nonzero_upper(%x: tensor<8xf32>) {
  // expected-error @below {{'u0' is at most the number of elements, '8', not '7'}}
  %0 = dyn.nonzero %x binds [u0: 0 ... 7] : tensor<8xf32> -> tensor<1x?xi64>
  return
}

// -----

func.func @nonzero_lower(%x: tensor<8xf32>) {
  // expected-error @below {{'u0' may be 0, so that its range begins there}}
  %0 = dyn.nonzero %x binds [u0: 1 ... 8] : tensor<8xf32> -> tensor<1x?xi64>
  return
}

// -----

func.func @unknown_word(%x: tensor<8xf32>) {
  // expected-error @below {{expected}}
  %0 = dyn.reduce most %x : (tensor<8xf32>) -> tensor<f32>
  return
}
