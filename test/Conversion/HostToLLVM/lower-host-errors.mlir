// RUN: dyn-opt %s --dyn-lower-host --split-input-file --verify-diagnostics

// Nothing says what M is.
// expected-error @below {{no input determines 'M': dim 0 of input 'arg0' is M * M, and no dim is M, or linear in it with the rest known}}
func.func @main(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M * M]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  return
}

// -----

// expected-error @below {{symbol 'u' is a size that data determine}}
func.func @main() attributes {dyn.symbols = #dyn.symbols<u: [0, ?] bound>} {
  return
}

// -----

func.func @main(%x: memref<?xf32> {dyn.dims = #dyn.dims<[N]>},
                %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  // expected-error @below {{has no lowered kernel 'k'}}
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @k(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @first() {
  return
}
// expected-error @below {{is a second public function, after 'first'}}
func.func @second() {
  return
}
