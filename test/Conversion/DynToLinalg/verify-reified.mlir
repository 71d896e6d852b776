// RUN: dyn-opt %s --split-input-file --dyn-verify-reified --verify-diagnostics

func.func @op_above_the_waterline(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'dyn.exp' op is left below the waterline; only 'dyn.constant' may be; 'dyn-reify-shapes' should have lowered it}}
  %0 = dyn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{with an encoding below the waterline; 'dyn-reify-shapes' should have turned it into SSA values}}
func.func @encoding(%x: tensor<?xf32, #dyn.dims<[S]>>) attributes {dyn.symbols = #dyn.symbols<S: [1, 512] from arg0[0]>} {
  return
}

// -----

// expected-error @below {{with signed or unsigned integers below the waterline}}
func.func @unsigned_elements(%x: tensor<4xui8>) {
  return
}

// -----

// expected-error @below {{has an unranked tensor below the waterline; the shapes phase should have ranked it}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// Accepted: `linalg` on tensors with dynamic dims, sizes as values, and constants.
func.func @right(%x: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.symbols = #dyn.symbols<S: [1, 512] from arg0[0]>} {
  %S = dyn_shape.sym "S" : index
  %c = dyn.constant dense<1.0> : tensor<1xf32>
  %e = tensor.empty(%S) : tensor<?xf32>
  %0 = linalg.copy ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
