// A broadcast that sizes do not decide, a concat whose operands are written in place, rows that are read where they lie,
// a table that is folded.
func.func @main(%x: tensor<?x?xf32, #dyn.dims<[M, K]>> {dyn.name = "x"}, %y: tensor<?x?xf32, #dyn.dims<[N, C]>> {dyn.name = "y"})
    -> (tensor<?x?xf32> {dyn.name = "joined"}, tensor<?x2xf32> {dyn.name = "projected"}, tensor<?x?xf32> {dyn.name = "sum"})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], K: [3, 3] from arg0[1], N: [0, ?] from arg1[0], C: [0, ?] from arg1[1]>} {
  %sum = dyn.add %x, %y : (tensor<?x?xf32, #dyn.dims<[M, K]>>, tensor<?x?xf32, #dyn.dims<[N, C]>>) -> tensor<?x?xf32>
  %a = dyn.exp %sum : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = dyn.tanh %x : (tensor<?x?xf32, #dyn.dims<[M, K]>>) -> tensor<?x?xf32>
  %joined = dyn.concat 0 (%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %inner = dyn.concat 0 (%joined, %x) : (tensor<?x?xf32>, tensor<?x?xf32, #dyn.dims<[M, K]>>) -> tensor<?x?xf32>
  %table = dyn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %half = dyn.constant dense<0.5> : tensor<f32>
  %weights = dyn.mul %table, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %turned = dyn.transpose %weights perm [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %all = dyn.constant dense<9223372036854775807> : tensor<1xi64>
  %rows = dyn.slice_to %inner from %one to %all : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %projected = dyn.matmul %rows, %turned : (tensor<?x?xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  return %inner, %projected, %sum : tensor<?x?xf32>, tensor<?x2xf32>, tensor<?x?xf32>
}
