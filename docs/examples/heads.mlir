// The start of an attention layer as an exporter writes it: learned positions are added to x, and the result is split
// into 2 heads by a reshape whose dims are computed from the dims of x.
func.func @main(%x: tensor<?x?x8xf32, #dyn.dims<[batch, seq, 8]>> {dyn.name = "x"},
                %table: tensor<16x8xf32> {dyn.name = "table"})
    -> (tensor<?x?x?x?xf32> {dyn.name = "heads"})
    attributes {dyn.symbols = #dyn.symbols<batch: [0, ?] from arg0[0], seq: [0, ?] from arg0[1]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %heads = dyn.constant dense<[2, -1]> : tensor<2xi64>
  %shape = dyn.shape_of %x : (tensor<?x?x8xf32, #dyn.dims<[batch, seq, 8]>>) -> tensor<3xi64>
  %seq = dyn.slice_to %shape from %one to %two : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %rows = dyn.slice_to %table from %zero to %seq : (tensor<16x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x8xf32>
  %sum = dyn.add %x, %rows : (tensor<?x?x8xf32, #dyn.dims<[batch, seq, 8]>>, tensor<?x8xf32>) -> tensor<?x?x8xf32> loc("/embeddings/Add")
  %outer = dyn.slice_to %shape from %zero to %two : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %dims = dyn.concat 0 (%outer, %heads) : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %split = dyn.reshape_to %sum, %dims : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  %result = dyn.transpose %split perm [0, 2, 1, 3] : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %result : tensor<?x?x?x?xf32>
}
