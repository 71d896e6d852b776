// RUN: dyn-opt %s -dyn-verify-shapes -split-input-file -verify-diagnostics

// Accepted.
func.func @right(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

// -----

func.func @no_expression(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-error @below {{has a dynamic dim without an expression in 'tensor<?xf32>'; 'dyn-infer-shapes' should have given one}}
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @shape_op(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-error @below {{takes sizes from tensors; 'dyn-resolve-shape-ops' should have replaced it}}
  %0 = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @wrong(%x: tensor<?xf32, #dyn.dims<[S]>>, %y: tensor<?xf32, #dyn.dims<[T]>>) -> tensor<?xf32, #dyn.dims<[T]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg1[0]>} {
  // expected-error @below {{exp: dim 0: 'T == S' does not follow from the guards of the function, as far as can be shown}}
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[T]>>
  return %0 : tensor<?xf32, #dyn.dims<[T]>>
}

// -----

func.func @no_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @below {{has a tensor without a rank; 'dyn-infer-shapes' should have found it}}
  %0 = dyn.exp %x : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
