// Gathers, scatters, contractions and sizes that data determine.
// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// Fires: an index that is a constant becomes a guard of the size, and needs no check in the kernel.
// CHECK-LABEL: func.func @constant_index
// CHECK: dyn.require -S <= -1 because "dim 1 of input `arg0`"
// CHECK: dyn.gather {{.*}}in_bounds{{.*}} -> tensor<?xf32, #dyn.dims<[B]>>
func.func @constant_index(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %i = dyn.constant dense<-1> : tensor<i64>
  %0 = dyn.gather %x, %i axis 1 : (tensor<?x?xf32, #dyn.dims<[B, S]>>, tensor<i64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Does not fire: indices that only the run knows.
// CHECK-LABEL: func.func @runtime_index
// CHECK-NOT: in_bounds
// CHECK: dyn.gather {{.*}} -> tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>>
func.func @runtime_index(%t: tensor<100x8xf32>, %i: tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg1[0], S: [0, ?] from arg1[1]>} {
  %0 = dyn.gather %t, %i axis 0 : (tensor<100x8xf32>, tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// Rejects: an index that no size allows.
func.func @outside(%x: tensor<3xf32>) -> tensor<f32> {
  %i = dyn.constant dense<3> : tensor<i64>
  // expected-error @+2 {{rows of input `arg0`: '3 < 3' cannot hold}}
  // expected-note @+1 {{3 < 3: rows of input `arg0`}}
  %0 = dyn.gather %x, %i axis 0 : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Elements through index tuples: one dim of a shape replaced, another one read.
// CHECK-LABEL: func.func @tuples
// CHECK: dyn.full_to {{.*}} -> tensor<?x5x?xf32, #dyn.dims<[B, 5, S]>>
func.func @tuples(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %s = dyn.shape_of %x : (tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<2xi64>
  %i = dyn.constant dense<[[-1]]> : tensor<1x1xi64>
  %five = dyn.constant dense<5> : tensor<1xi64>
  %n = dyn.scatter_nd %s, %i, %five : (tensor<2xi64>, tensor<1x1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %l = dyn.gather_nd %s, %i : (tensor<2xi64>, tensor<1x1xi64>) -> tensor<1xi64>
  %to = dyn.concat 0 (%n, %l) : (tensor<2xi64>, tensor<1xi64>) -> tensor<3xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<3xi64>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// Each entry of an index tuple has bounds of its own where an index tensor for each dim is concatenated: the second one
// needs that the last row is a column.
// CHECK-LABEL: func.func @tuple_bounds
// CHECK-NEXT: dyn.require B <= 3 because "dim 1 of input `arg0`"
// CHECK-NOT: dyn.require
// CHECK: dyn.gather_nd {{.*}}in_bounds
// CHECK: dyn.gather_nd {{.*}}in_bounds
// CHECK: return
func.func @tuple_bounds(%x: tensor<?x3xf32, #dyn.dims<[B, 3]>>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %two = dyn.constant dense<2> : tensor<i64>
  %rows = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[B]>>
  %columns = dyn.min %rows, %two : (tensor<?xi64, #dyn.dims<[B]>>, tensor<i64>) -> tensor<?xi64>
  %r = dyn.unsqueeze %rows axes [1] : (tensor<?xi64, #dyn.dims<[B]>>) -> tensor<?x1xi64>
  %c = dyn.unsqueeze %columns axes [1] : (tensor<?xi64>) -> tensor<?x1xi64>
  %i = dyn.concat 1 (%r, %c) : (tensor<?x1xi64>, tensor<?x1xi64>) -> tensor<?x2xi64>
  %0 = dyn.gather_nd %x, %i : (tensor<?x3xf32, #dyn.dims<[B, 3]>>, tensor<?x2xi64>) -> tensor<?xf32>
  %j = dyn.concat 1 (%c, %r) : (tensor<?x1xi64>, tensor<?x1xi64>) -> tensor<?x2xi64>
  %1 = dyn.gather_nd %x, %j : (tensor<?x3xf32, #dyn.dims<[B, 3]>>, tensor<?x2xi64>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The number of elements that are not zero is a symbol, at most all of them; the places of a list index the list.
// CHECK-LABEL: func.func @nonzero
// CHECK-SAME: [[U:u[0-9]*]]: [0, ?] bound
// CHECK: dyn.nonzero {{.*}} -> tensor<1x?xi64, #dyn.dims<[1, [[U]]]>>
// CHECK: dyn.gather {{.*}}in_bounds
func.func @nonzero(%x: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %i = dyn.nonzero %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?x?xi64>
  %0 = dyn.gather %x, %i axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?x?xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Masks that are computed alike have one number of places; another mask has its own.
// CHECK-LABEL: func.func @nonzero_of_equal_masks
// CHECK: dyn.nonzero {{.*}} -> tensor<1x?xi64, #dyn.dims<[1, [[U:u[0-9]+]]]>>
// CHECK: dyn.nonzero {{.*}} -> tensor<1x?xi64, #dyn.dims<[1, [[U]]]>>
// CHECK: dyn.nonzero {{.*}} -> tensor<1x?xi64, #dyn.dims<[1, [[V:u[0-9]+]]]>>
// CHECK: return {{.*}} #dyn.dims<[1, [[U]] + [[V]]]>>
func.func @nonzero_of_equal_masks(%x: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?x?xi64>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %a = dyn.abs %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
  %b = dyn.abs %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
  %c = dyn.neg %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
  %i = dyn.nonzero %a : (tensor<?xf32>) -> tensor<?x?xi64>
  %j = dyn.nonzero %b : (tensor<?xf32>) -> tensor<?x?xi64>
  %k = dyn.nonzero %c : (tensor<?xf32>) -> tensor<?x?xi64>
  %0 = dyn.concat 1 (%j, %k) : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  return %0 : tensor<?x?xi64>
}

// -----

// There is a place for the window, with padding or without.
// CHECK-LABEL: func.func @conv
// CHECK-DAG: dyn.require 1 <= W because "conv: dim 2 of input `arg1` must fit dim 2 of input `arg0` with its pads"
// CHECK-DAG: dyn.require 1 <= W - 2 because "conv: dim 2 of input `arg1` must fit dim 2 of input `arg0` with its pads"
// CHECK: dyn.conv {{.*}} -> tensor<1x8x?xf32, #dyn.dims<[1, 8, W]>>
// CHECK: dyn.conv {{.*}} -> tensor<1x8x?xf32, #dyn.dims<[1, 8, W ceildiv 2 - 1]>>
func.func @conv(%x: tensor<1x4x?xf32, #dyn.dims<[1, 4, W]>>, %f: tensor<8x4x3xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
    attributes {dyn.symbols = #dyn.symbols<W: [0, ?] from arg0[2]>} {
  %0 = dyn.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x4x?xf32, #dyn.dims<[1, 4, W]>>, tensor<8x4x3xf32>) -> tensor<?x?x?xf32>
  %1 = dyn.conv %x, %f {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x4x?xf32, #dyn.dims<[1, 4, W]>>, tensor<8x4x3xf32>) -> tensor<?x?x?xf32>
  return %0, %1 : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}
