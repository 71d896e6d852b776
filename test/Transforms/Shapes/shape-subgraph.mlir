// The shape subgraph of an exporter's head split vanishes: Shape, Gather, Unsqueeze, Concat, Reshape.
// RUN: dyn-opt %s -dyn-infer-shapes -dyn-resolve-shape-ops -canonicalize -dyn-minimize-guards -dyn-verify-shapes | FileCheck %s

// CHECK-LABEL: func.func @split_heads
// CHECK-NOT: dyn.require
// CHECK: %[[R:.*]] = dyn.reshape %{{.*}} to tensor<?x?x12x32xf32, #{{.*}}>
// CHECK: %[[T:.*]] = dyn.transpose %[[R]] perm [0, 2, 1, 3]
// CHECK-SAME: -> tensor<?x12x?x32xf32
// CHECK-NEXT: return %[[T]]
func.func @split_heads(%x: tensor<?x?x384xf32, #dyn.dims<[B, S, 384]>>) -> tensor<?x?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %tail = dyn.constant dense<[-1, 32]> : tensor<2xi64>
  %s = dyn.shape_of %x : (tensor<?x?x384xf32, #dyn.dims<[B, S, 384]>>) -> tensor<3xi64>
  %b = dyn.gather %s, %zero axis 0 : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %n = dyn.gather %s, %one axis 0 : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %b1 = dyn.unsqueeze %b axes [0] : (tensor<i64>) -> tensor<1xi64>
  %n1 = dyn.unsqueeze %n axes [0] : (tensor<i64>) -> tensor<1xi64>
  %to = dyn.concat 0 (%b1, %n1, %tail) : (tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<4xi64>
  %r = dyn.reshape_to %x, %to : (tensor<?x?x384xf32, #dyn.dims<[B, S, 384]>>, tensor<4xi64>) -> tensor<?x?x?x?xf32>
  %t = dyn.transpose %r perm [0, 2, 1, 3] : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %t : tensor<?x?x?x?xf32>
}

// Positions up to the sequence length from a table: the length of the table is a bound of the input.
// CHECK-LABEL: func.func @positions
// CHECK: dyn.require S <= 512 because "rows of input `arg1`"
// CHECK: dyn.gather {{.*}}in_bounds
func.func @positions(%x: tensor<?x?x384xf32, #dyn.dims<[B, S, 384]>>, %table: tensor<512x384xf32>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %i = dyn.constant dense<1> : tensor<i64>
  %i2 = dyn.constant dense<2> : tensor<1xi64>
  %start = dyn.constant dense<0> : tensor<i64>
  %limit = dyn.constant dense<512> : tensor<i64>
  %all = dyn.range %start, %limit, %i : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %row = dyn.unsqueeze %all axes [0] : (tensor<?xi64>) -> tensor<1x?xi64>
  %s = dyn.shape_of %x : (tensor<?x?x384xf32, #dyn.dims<[B, S, 384]>>) -> tensor<3xi64>
  %n = dyn.slice_to %s from %one to %i2 axes %zero : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %part = dyn.slice_to %row from %zero to %n axes %one : (tensor<1x?xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xi64>
  %e = dyn.gather %table, %part axis 0 : (tensor<512x384xf32>, tensor<?x?xi64>) -> tensor<?x?x384xf32>
  %0 = dyn.add %x, %e : (tensor<?x?x384xf32, #dyn.dims<[B, S, 384]>>, tensor<?x?x384xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// A size on its way through floats: Cast, Min against the length of a table, Cast. Rounding keeps the order, so the
// smaller one is exact.
// CHECK-LABEL: func.func @floats
// CHECK: dyn.slice %{{.*}}[0:min(S, 512)] : tensor<512xf32> -> tensor<?xf32, #dyn.dims<[min(S, 512)]>>
func.func @floats(%x: tensor<?xf32, #dyn.dims<[S]>>, %table: tensor<512xf32>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %most = dyn.constant dense<512.0> : tensor<1xf32>
  %s = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
  %f = dyn.cast %s : (tensor<1xi64>) -> tensor<1xf32>
  %m = dyn.min %f, %most : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %i = dyn.cast %m : (tensor<1xf32>) -> tensor<1xi64>
  %r = dyn.slice_to %table from %zero to %i axes %zero : (tensor<512xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// What the first product needs follows from what the second one needs: a half rounded up that is 1, or that is no larger
// than the half rounded down, leaves few cases.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: dyn.require D floordiv 2 ==
// CHECK: dyn.require D ceildiv 2 == min(C, D floordiv 2) or D ceildiv 2 == 1 or min(C, D floordiv 2) == 1 because "mul"
// CHECK-NOT: dyn.require D floordiv 2 ==
func.func @halves(%x: tensor<?x?xf32, #dyn.dims<[B, D]>>, %y: tensor<?xf32, #dyn.dims<[C]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], D: [0, ?] from arg0[1], C: [0, ?] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %end = dyn.constant dense<9223372036854775807> : tensor<1xi64>
  %shape = dyn.shape_of %x : (tensor<?x?xf32, #dyn.dims<[B, D]>>) -> tensor<2xi64>
  %size = dyn.slice_to %shape from %one to %two : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %half = dyn.div %size, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %a = dyn.slice_to %x from %zero to %half axes %one
      : (tensor<?x?xf32, #dyn.dims<[B, D]>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %b = dyn.slice_to %x from %half to %end axes %one
      : (tensor<?x?xf32, #dyn.dims<[B, D]>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %c = dyn.slice_to %y from %zero to %half
      : (tensor<?xf32, #dyn.dims<[C]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %m = dyn.mul %a, %c : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %n = dyn.mul %b, %c : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %r = dyn.sub %m, %n : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
