// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @unfinished_predicate() {
  // expected-error-re @below {{{{.+}}}}
  dyn.require S + because "text"
}

// -----

func.func @no_reason() {
  // expected-error @+1 {{unexpected character in symbolic text}}
  dyn.require S == 4 %x
  return
}

// -----

func.func @assumption(%x: tensor<3xf32>) {
  // expected-error @below {{'dyn.assume_shape' op (1) 'tensor<3xf32>' cannot be 'tensor<4xf32>'}}
  %0 = dyn.assume_shape %x : tensor<3xf32> to tensor<4xf32>
  return
}

// -----

func.func @no_callee() {
  // expected-error @below {{there is no function 'missing'}}
  dyn.call @missing() : () -> ()
  return
}

// -----

func.func private @f(tensor<?xf32, #dyn.dims<[n]>>) attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>}

func.func @missing_symbol(%x: tensor<?xf32, #dyn.dims<[S]>>) {
  // expected-error @below {{gives no value to symbol 'n' of 'f'}}
  dyn.call @f(%x) : (tensor<?xf32, #dyn.dims<[S]>>) -> ()
  return
}

// -----

func.func private @f(tensor<?xf32, #dyn.dims<[n]>>) attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>}

func.func @unknown_symbol(%x: tensor<?xf32, #dyn.dims<[S]>>) {
  // expected-error @below {{gives a value to 'm', which 'f' does not declare}}
  dyn.call @f<[n = S, m = 4]>(%x) : (tensor<?xf32, #dyn.dims<[S]>>) -> ()
  return
}

// -----

func.func private @f(tensor<?xf32, #dyn.dims<[n]>>) attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>}

func.func @types_after_substitution(%x: tensor<?xf32, #dyn.dims<[S]>>) {
  // expected-error @below {{operand 0 is 'tensor<?xf32, #dyn.dims<[S]>>', expected 'tensor<?xf32, #dyn.dims<[S + 1]>>'}}
  dyn.call @f<[n = S + 1]>(%x) : (tensor<?xf32, #dyn.dims<[S]>>) -> ()
  return
}
