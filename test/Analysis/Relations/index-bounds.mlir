// Indices that sizes determine are checked with the sizes, where the ends of their interval are known to be reached.
// RUN: dyn-opt %s -dyn-infer-shapes -dyn-minimize-guards -split-input-file | FileCheck %s

// A table of positions: the last one is `S - 1`, and there is none where S is 0.
// CHECK-LABEL: func.func @positions
// CHECK-NEXT: dyn.require S <= 16 because "rows of `table`"
// CHECK-NOT: dyn.require
// CHECK: dyn.gather {{.*}} {in_bounds}
func.func @positions(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?x8xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %table = dyn.constant dense<0.0> : tensor<16x8xf32> loc("table")
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %0 = dyn.gather %table, %i axis 0 : (tensor<16x8xf32>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Positions behind a past, one list for each sequence: none is read where there is no sequence.
// CHECK-LABEL: func.func @past
// CHECK-NEXT: dyn.require P + S <= 16 or B == 0 or S == 0 because "rows of `table`"
// CHECK-NOT: dyn.require
// CHECK: dyn.gather {{.*}} {in_bounds}
func.func @past(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>, %p: tensor<?xf32, #dyn.dims<[P]>>) -> tensor<?x?x8xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1], P: [0, ?] from arg1[0]>} {
  %table = dyn.constant dense<0.0> : tensor<16x8xf32> loc("table")
  %past = dyn.dim_values [P] : tensor<i64>
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %j = dyn.add %i, %past : (tensor<?xi64, #dyn.dims<[S]>>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %all = dyn.broadcast %j : tensor<?xi64, #dyn.dims<[S]>> to tensor<?x?xi64, #dyn.dims<[B, S]>>
  %0 = dyn.gather %table, %all axis 0 : (tensor<16x8xf32>, tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}

// -----

// Rows and columns counted in one: sums of what varies along different dims, and products with sizes.
// CHECK-LABEL: func.func @flattened
// CHECK-NEXT: dyn.require S <= T or B == 0 because "rows of the result of `flat`"
// CHECK-NOT: dyn.require
// CHECK: dyn.gather {{.*}} {in_bounds}
func.func @flattened(%x: tensor<?x?xf32, #dyn.dims<[B, T]>>, %y: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], T: [1, ?] from arg0[1], S: [1, ?] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %width = dyn.dim_values [T] : tensor<i64>
  %rows = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[B]>>
  %begins = dyn.mul %rows, %width : (tensor<?xi64, #dyn.dims<[B]>>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[B]>>
  %r = dyn.unsqueeze %begins axes [1] : (tensor<?xi64, #dyn.dims<[B]>>) -> tensor<?x1xi64, #dyn.dims<[B, 1]>>
  %c = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %i = dyn.add %r, %c : (tensor<?x1xi64, #dyn.dims<[B, 1]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?x?xi64>
  %flat = dyn.reshape %x : tensor<?x?xf32, #dyn.dims<[B, T]>> to tensor<?xf32, #dyn.dims<[B * T]>> loc("flat")
  %0 = dyn.gather %flat, %i axis 0 : (tensor<?xf32, #dyn.dims<[B * T]>>, tensor<?x?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The lower end: counted backwards from the end, the last index is -S.
// CHECK-LABEL: func.func @backwards
// CHECK-NEXT: dyn.require S <= N because "rows of input `x`"
// CHECK-NOT: dyn.require
// CHECK: dyn.gather {{.*}} {in_bounds}
func.func @backwards(%x: tensor<?xf32, #dyn.dims<[N]>> {dyn.name = "x"}, %y: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], S: [0, ?] from arg1[0]>} {
  %minus = dyn.constant dense<-1> : tensor<i64>
  %i = dyn.iota %minus, %minus : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %0 = dyn.gather %x, %i axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// No guard where an end may not be reached: a part of a sequence, its difference with itself, what data choose. These
// are left to the kernel, and need only something to read.
// CHECK-LABEL: func.func @not_reached
// CHECK-NEXT: dyn.require 1 <= N or S == 0 because "indices into an empty dim"
// CHECK-NOT: dyn.require
// CHECK-NOT: in_bounds
// CHECK: return
func.func @not_reached(%x: tensor<?xf32, #dyn.dims<[N]>>, %b: tensor<?xi1, #dyn.dims<[S]>>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], S: [0, ?] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[2 * S]>>
  %part = dyn.slice %i[0:S] : tensor<?xi64, #dyn.dims<[2 * S]>> -> tensor<?xi64, #dyn.dims<[S]>>
  %0 = dyn.gather %x, %part axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32>
  %j = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %none = dyn.sub %j, %j : (tensor<?xi64, #dyn.dims<[S]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xi64, #dyn.dims<[S]>>
  %1 = dyn.gather %x, %none axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32>
  %chosen = dyn.select %b, %j, %zero : (tensor<?xi1, #dyn.dims<[S]>>, tensor<?xi64, #dyn.dims<[S]>>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %2 = dyn.gather %x, %chosen axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Indices of a run need a row to read, unless there are none: a guard like the others.
// CHECK-LABEL: func.func @runtime
// CHECK-NEXT: dyn.require 1 <= N or B == 0 or S == 0 because "indices into an empty dim"
// CHECK-NOT: dyn.require
// CHECK-NOT: in_bounds
// CHECK: return
func.func @runtime(%t: tensor<?x8xf32, #dyn.dims<[N, 8]>>, %i: tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], B: [0, ?] from arg1[0], S: [0, ?] from arg1[1]>} {
  %0 = dyn.gather %t, %i axis 0 : (tensor<?x8xf32, #dyn.dims<[N, 8]>>, tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A case that another guard rules out is left out.
// CHECK-LABEL: func.func @ruled_out
// CHECK-DAG: dyn.require B <= C because "rows of input `arg1`"
// CHECK-DAG: dyn.require 1 <= S because "dim 1 of input `arg0`"
// CHECK-NOT: dyn.require
// CHECK: return
func.func @ruled_out(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>, %m: tensor<?xf32, #dyn.dims<[C]>>) -> (tensor<?x?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1], C: [0, ?] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[B]>>
  %c = dyn.unsqueeze %i axes [1] : (tensor<?xi64, #dyn.dims<[B]>>) -> tensor<?x1xi64>
  %all = dyn.broadcast %c : tensor<?x1xi64> to tensor<?x?xi64, #dyn.dims<[B, S]>>
  %0 = dyn.gather %m, %all axis 0 : (tensor<?xf32, #dyn.dims<[C]>>, tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?xf32>
  %1 = dyn.gather %x, %zero axis 1 : (tensor<?x?xf32, #dyn.dims<[B, S]>>, tensor<i64>) -> tensor<?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?xf32>
}
