// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @gather_axis(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'dyn.gather' op (1) axis 2 is out of range for rank 2}}
  %0 = dyn.gather %x, %i axis 2 : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_rank(%x: tensor<2x3xf32>, %i: tensor<4x5xi64>) {
  // expected-error @below {{'dyn.gather' op (2) 'result' has rank 2, expected 3}}
  %0 = dyn.gather %x, %i axis 1 : (tensor<2x3xf32>, tensor<4x5xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_elements(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'dyn.gather_elements' op (2) 'indices' has rank 1, expected 2}}
  %0 = dyn.gather_elements %x, %i axis 1 : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @batch_dims(%x: tensor<2x3xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{'dyn.gather_nd' op (1) 'batch_dims' is 1 for 'indices' of rank 1}}
  %0 = dyn.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @tuple(%x: tensor<2x3xf32>, %i: tensor<5x4xi64>) {
  // expected-error @below {{'dyn.gather_nd' op (2) index tuples have 4 elements for 2 dims}}
  %0 = dyn.gather_nd %x, %i : (tensor<2x3xf32>, tensor<5x4xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @updates(%x: tensor<2x3xf32>, %i: tensor<5x1xi64>, %u: tensor<5xf32>) {
  // expected-error @below {{'dyn.scatter_nd' op (3) 'updates' has rank 1, expected 2}}
  %0 = dyn.scatter_nd %x, %i, %u : (tensor<2x3xf32>, tensor<5x1xi64>, tensor<5xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @places(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.nonzero' op (1) 'result' has rank 1, expected 2}}
  %0 = dyn.nonzero %x : (tensor<2x3xf32>) -> tensor<?xi64>
  return
}
