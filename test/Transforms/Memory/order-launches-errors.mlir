// RUN: dyn-opt %s --dyn-order-launches --verify-diagnostics

// expected-error @below {{no sizes are possible}}
func.func @contradiction(%x: memref<?xf32> {dyn.dims = #dyn.dims<[S]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, 4] from arg0[0]>, dyn.constraints = #dyn.constraints<"S == 5">} {
  return
}
