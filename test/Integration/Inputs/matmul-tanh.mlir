func.func @main(%x: tensor<?x?xf32, #dyn.dims<[B, S]>> {dyn.name = "x"}, %w: tensor<?x5xf32, #dyn.dims<[S, 5]>> {dyn.name = "w"}) -> (tensor<?x5xf32, #dyn.dims<[B, 5]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %0 = dyn.matmul %x, %w : (tensor<?x?xf32, #dyn.dims<[B, S]>>, tensor<?x5xf32, #dyn.dims<[S, 5]>>) -> tensor<?x5xf32, #dyn.dims<[B, 5]>>
  %1 = dyn.tanh %0 : (tensor<?x5xf32, #dyn.dims<[B, 5]>>) -> tensor<?x5xf32, #dyn.dims<[B, 5]>>
  return %1 : tensor<?x5xf32, #dyn.dims<[B, 5]>>
}
