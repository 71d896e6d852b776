// y = concat(x w + b, past), where no two inputs share a name.
func.func @main(%x: tensor<?x?xf32, #dyn.dims<[n, k]>> {dyn.name = "x"}, %w: tensor<?x?xf32, #dyn.dims<[k2, m]>> {dyn.name = "w"},
                %b: tensor<?xf32, #dyn.dims<[m2]>> {dyn.name = "b"}, %past: tensor<?x?xf32, #dyn.dims<[p, m3]>> {dyn.name = "past"})
    -> (tensor<?x?xf32> {dyn.declared_dims = #dyn.dims<[total, width]>, dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0], k: [0, ?] from arg0[1], k2: [0, ?] from arg1[0],
                m: [0, ?] from arg1[1], m2: [0, ?] from arg2[0], p: [0, ?] from arg3[0], m3: [0, ?] from arg3[1]>} {
  %0 = dyn.matmul %x, %w : (tensor<?x?xf32, #dyn.dims<[n, k]>>, tensor<?x?xf32, #dyn.dims<[k2, m]>>) -> tensor<?x?xf32> loc("/mm")
  %1 = dyn.add %0, %b : (tensor<?x?xf32>, tensor<?xf32, #dyn.dims<[m2]>>) -> tensor<?x?xf32> loc("/add")
  %2 = dyn.concat 0(%1, %past) : (tensor<?x?xf32>, tensor<?x?xf32, #dyn.dims<[p, m3]>>) -> tensor<?x?xf32> loc("/cat")
  return %2 : tensor<?x?xf32>
}
