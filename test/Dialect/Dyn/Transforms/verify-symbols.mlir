// RUN: dyn-opt %s --split-input-file --dyn-verify-symbols --verify-diagnostics

func.func @declared_symbols_pass(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S + S0]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], S0: [0, 4] = min(S, 4)>} {
  dyn.require S <= 4096 because "test"
  %0 = dyn.assume_shape %x : tensor<?xf32, #dyn.dims<[S]>> to tensor<?xf32, #dyn.dims<[S + S0]>>
  return %0 : tensor<?xf32, #dyn.dims<[S + S0]>>
}

// -----

// expected-error @below {{type of argument 0 mentions symbol 'S', which 'argument' does not declare}}
func.func @argument(%x: tensor<?xf32, #dyn.dims<[S]>>) {
  return
}

// -----

func.func @result_of_an_op(%x: tensor<4xf32>) {
  // expected-error @below {{type of result 0 mentions symbol 'S', which 'result_of_an_op' does not declare}}
  %0 = dyn.reshape %x : tensor<4xf32> to tensor<?x4xf32, #dyn.dims<[S, 4]>>
  return
}

// -----

func.func @attribute() {
  // expected-error @below {{attribute 'predicate' mentions symbol 'S', which 'attribute' does not declare}}
  dyn.require S == 4 because "test"
  return
}

// -----

func.func @bound_symbols_pass(%x: tensor<4xf32>) -> tensor<1x?xi64, #dyn.dims<[1, u0]>>
    attributes {dyn.symbols = #dyn.symbols<u0: [0, 4] bound>} {
  %0 = dyn.nonzero %x binds "u0" : (tensor<4xf32>) -> tensor<1x?xi64, #dyn.dims<[1, u0]>>
  dyn.require u0 >= 1 because "test"
  return %0 : tensor<1x?xi64, #dyn.dims<[1, u0]>>
}

// -----

func.func @used_before_it_is_bound(%x: tensor<4xf32>) attributes {dyn.symbols = #dyn.symbols<u0: [0, 4] bound>} {
  // expected-error @below {{mentions symbol 'u0' where the op that binds it does not dominate}}
  dyn.require u0 >= 1 because "test"
  %0 = dyn.nonzero %x binds "u0" : (tensor<4xf32>) -> tensor<1x?xi64, #dyn.dims<[1, u0]>>
  return
}

// -----

func.func @bound_by_nothing() attributes {dyn.symbols = #dyn.symbols<u0: [0, 4] bound>} {
  // expected-error @below {{mentions symbol 'u0', which is declared 'bound' but no op binds}}
  dyn.require u0 >= 1 because "test"
  return
}

// -----

func.func private @symbolic(tensor<?xf32, #dyn.dims<[S]>>) attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>}

func.func @plain_call(%x: tensor<?xf32, #dyn.dims<[S]>>) attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-error @below {{calls 'symbolic', whose symbols only 'dyn.call' gives values}}
  func.call @symbolic(%x) : (tensor<?xf32, #dyn.dims<[S]>>) -> ()
  return
}
