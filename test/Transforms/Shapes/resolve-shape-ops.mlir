// RUN: dyn-opt %s --split-input-file --dyn-infer-shapes --dyn-resolve-shape-ops --verify-diagnostics | FileCheck %s

// Sizes that stood in tensors stand in types; what computed them is gone.
// CHECK-LABEL: func.func @reshape_by_a_shape_subgraph
// CHECK-NEXT: %[[R:.*]] = dyn.reshape %arg0 : tensor<?x8xf32, #dyn.dims<[S, 8]>> to tensor<?x2x4xf32, #dyn.dims<[S, 2, 4]>>
// CHECK-NEXT: return %[[R]]
func.func @reshape_by_a_shape_subgraph(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %shape = dyn.shape_of %x : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<2xi64>
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %rows = dyn.slice_to %shape from %zero to %one : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %heads = dyn.constant dense<[2, 4]> : tensor<2xi64>
  %dims = dyn.concat 0 (%rows, %heads) : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
  %0 = dyn.reshape_to %x, %dims : (tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<3xi64>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A size that is used as data is a value of its own.
// CHECK-LABEL: func.func @size_as_data
// CHECK-NEXT: %[[V:.*]] = dyn.dim_values [S, 8] : tensor<2xi64>
// CHECK-NEXT: return %[[V]]
func.func @size_as_data(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<2xi64>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %shape = dyn.shape_of %x : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<2xi64>
  return %shape : tensor<2xi64>
}

// -----

// Each of these has a static form.
// CHECK-LABEL: func.func @static_forms
// CHECK-DAG: dyn.slice %arg0[0:2, 0:4] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<2x4xf32>
// CHECK-DAG: dyn.broadcast %arg1 : tensor<1x8xf32> to tensor<3x8xf32>
// CHECK-DAG: dyn.tile %arg1 : tensor<1x8xf32> to tensor<1x16xf32>
// CHECK-DAG: dyn.iota
// CHECK-NOT: dyn.slice_to
// CHECK-NOT: dyn.expand_to
// CHECK-NOT: dyn.tile_to
// CHECK-NOT: dyn.range
func.func @static_forms(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>>, %y: tensor<1x8xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi64>)
    attributes {dyn.symbols = #dyn.symbols<S: [2, ?] from arg0[0]>} {
  %zeros = dyn.constant dense<0> : tensor<2xi64>
  %ends = dyn.constant dense<[2, 4]> : tensor<2xi64>
  %0 = dyn.slice_to %x from %zeros to %ends : (tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %dims = dyn.constant dense<[3, 8]> : tensor<2xi64>
  %1 = dyn.expand_to %y, %dims : (tensor<1x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %times = dyn.constant dense<[1, 2]> : tensor<2xi64>
  %2 = dyn.tile_to %y, %times : (tensor<1x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %a = dyn.constant dense<0> : tensor<i64>
  %b = dyn.constant dense<100> : tensor<i64>
  %c = dyn.constant dense<1> : tensor<i64>
  %3 = dyn.range %a, %b, %c : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xi64>
}

// -----

// Where an elementwise op repeats its operand anyway, a one-way broadcast leaves nothing but its obligation.
// CHECK-LABEL: func.func @one_way_left_to_the_addition
// CHECK-NEXT: dyn.require N == 4 because "one-way broadcast"
// CHECK-NOT: dyn.broadcast
// CHECK: dyn.add %{{.*}}, %arg1 :
func.func @one_way_left_to_the_addition(%x: tensor<?x?xf32, #dyn.dims<[M, N]>>, %b: tensor<4xf32>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg0[1]>} {
  %0 = dyn.expand_like %b, %x : (tensor<4xf32>, tensor<?x?xf32, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
  %1 = dyn.add %x, %0 : (tensor<?x?xf32, #dyn.dims<[M, N]>>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Whether C is repeated is open, and the result has the dims of x in any case.
// CHECK-LABEL: func.func @one_way_undecided
// CHECK-NEXT: dyn.require {{.*}} because "one-way broadcast"
// CHECK: %[[B:.*]] = dyn.broadcast %arg1 : tensor<?xf32, #dyn.dims<[C]>> to tensor<?x?xf32, #dyn.dims<[M, N]>>
// CHECK: dyn.add %arg0, %[[B]] : {{.*}} -> tensor<?x?xf32, #dyn.dims<[M, N]>>
func.func @one_way_undecided(%x: tensor<?x?xf32, #dyn.dims<[M, N]>>, %b: tensor<?xf32, #dyn.dims<[C]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg0[1], C: [0, ?] from arg1[0]>} {
  %0 = dyn.expand_like %b, %x : (tensor<?xf32, #dyn.dims<[C]>>, tensor<?x?xf32, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
  %1 = dyn.add %x, %0 : (tensor<?x?xf32, #dyn.dims<[M, N]>>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Nothing to do where no op takes sizes from tensors.
// CHECK-LABEL: func.func @nothing_to_resolve
// CHECK-NEXT: dyn.exp %arg0
// CHECK-NEXT: return
func.func @nothing_to_resolve(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

// -----

// Axes that a run decides have no static form.
func.func @axes_from_data(%x: tensor<8x8xf32>, %axes: tensor<1xi64>) -> tensor<8x8xf32> {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %eight = dyn.constant dense<8> : tensor<1xi64>
  // expected-error @below {{node '}}
  %0 = dyn.slice_to %x from %zero to %eight axes %axes : (tensor<8x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// In a loop that is counted, what is the same in each trip is resolved; what is not, each trip computes.
// CHECK-LABEL: func.func @loop
// CHECK: dyn.loop trips
// CHECK: %[[R:.*]] = dyn.reshape %{{.*}} : tensor<2x?xf32, #dyn.dims<[2, N]>> to tensor<?x2xf32, #dyn.dims<[N, 2]>>
// CHECK: %[[I:.*]] = dyn.reshape %arg{{[0-9]+}} : tensor<i64> to tensor<1xi64>
// CHECK: dyn.slice_to %{{.*}} from %[[I]] to
func.func @loop(%x: tensor<2x?xf32, #dyn.dims<[2, N]>>, %end: tensor<1xi64>) -> tensor<?x2xf32, #dyn.dims<[N, 2]>>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[1], i0: [0, ?] bound>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %trips = dyn.constant dense<2> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %to = dyn.constant dense<[-1, 2]> : tensor<2xi64>
  %zeros = dyn.full value(0.0 : f32) : tensor<?x2xf32, #dyn.dims<[N, 2]>>
  %0 = dyn.loop trips %trips carrying %zeros counting "i0" : (tensor<i64>, tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x2xf32, #dyn.dims<[N, 2]>> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<?x2xf32, #dyn.dims<[N, 2]>>):
    %1 = dyn.reshape_to %x, %to : (tensor<2x?xf32, #dyn.dims<[2, N]>>, tensor<2xi64>) -> tensor<?x2xf32, #dyn.dims<[N, 2]>>
    %2 = dyn.reshape_to %i, %one : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %3 = dyn.add %2, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %4 = dyn.slice_to %1 from %2 to %3 axes %one : (tensor<?x2xf32, #dyn.dims<[N, 2]>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x1xf32, #dyn.dims<[N, 1]>>
    %5 = dyn.add %v, %4 : (tensor<?x2xf32, #dyn.dims<[N, 2]>>, tensor<?x1xf32, #dyn.dims<[N, 1]>>) -> tensor<?x2xf32, #dyn.dims<[N, 2]>>
    dyn.yield %go, %5 : tensor<i1>, tensor<?x2xf32, #dyn.dims<[N, 2]>>
  }
  return %0 : tensor<?x2xf32, #dyn.dims<[N, 2]>>
}
