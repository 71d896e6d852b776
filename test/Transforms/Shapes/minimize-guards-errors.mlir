// RUN: dyn-opt %s --dyn-minimize-guards --verify-diagnostics

// expected-error @below {{declares facts that contradict each other}}
func.func @contradiction(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, 4] from arg0[0]>, dyn.constraints = #dyn.constraints<"S == 5">} {
  return %x : tensor<?xf32, #dyn.dims<[S]>>
}
