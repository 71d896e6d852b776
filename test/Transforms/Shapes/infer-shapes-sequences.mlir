// RUN: dyn-opt %s --dyn-infer-shapes=open -split-input-file | FileCheck %s

// Of a sequence its length is known, and the dims that all of its tensors have.
// CHECK-LABEL: func.func @equal_dims
// CHECK: dyn.sequence_at {{.*}} -> tensor<?x4xf32, #dyn.dims<[N, 4]>>
// CHECK: dyn.sequence_join {{.*}} {axis = 0 : i64} {{.*}} -> tensor<?x4xf32, #dyn.dims<[3 * N, 4]>>
// CHECK: dyn.sequence_join {{.*}} {axis = -1 : i64, new_axis} {{.*}} -> tensor<?x4x3xf32, #dyn.dims<[N, 4, 3]>>
func.func @equal_dims(%x: tensor<?x4xf32, #dyn.dims<[N, 4]>>, %place: tensor<i64>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %pair = dyn.sequence_make %x, %x : (tensor<?x4xf32, #dyn.dims<[N, 4]>>, tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> !dyn.sequence<tensor<*xf32>>
  %list = dyn.sequence_insert %pair, %x : (!dyn.sequence<tensor<*xf32>>, tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> !dyn.sequence<tensor<*xf32>>
  %at = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %joined = dyn.sequence_join %list {axis = 0} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  %stacked = dyn.sequence_join %list {axis = -1, new_axis} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  return %at, %joined, %stacked : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// A dim that differs is another size for each tensor that is taken out, and for all together; ranks that differ leave
// nothing.
// CHECK-LABEL: func.func @other_dims
// CHECK: dyn.sequence_at {{.*}} -> tensor<?x4xf32, #dyn.dims<[u0, 4]>>
// CHECK: dyn.sequence_at {{.*}} -> tensor<?x4xf32, #dyn.dims<[u1, 4]>>
// CHECK: dyn.sequence_join {{.*}} -> tensor<?x4xf32, #dyn.dims<[u2, 4]>>
// CHECK: dyn.sequence_at {{.*}} -> tensor<*xf32>
func.func @other_dims(%x: tensor<?x4xf32, #dyn.dims<[N, 4]>>, %y: tensor<7x4xf32>, %z: tensor<4xf32>, %place: tensor<i64>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %list = dyn.sequence_make %x, %y : (tensor<?x4xf32, #dyn.dims<[N, 4]>>, tensor<7x4xf32>) -> !dyn.sequence<tensor<*xf32>>
  %first = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %again = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %joined = dyn.sequence_join %list {axis = 0} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  %more = dyn.sequence_insert %list, %z : (!dyn.sequence<tensor<*xf32>>, tensor<4xf32>) -> !dyn.sequence<tensor<*xf32>>
  %one = dyn.sequence_at %more, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  return %first, %again, %joined, %one : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// An empty sequence says nothing of dims: those of the other branch hold.
// CHECK-LABEL: func.func @empty_branch
// CHECK: dyn.sequence_at {{.*}} -> tensor<?x4xf32, #dyn.dims<[N, 4]>>
// CHECK: dyn.sequence_join {{.*}} -> tensor<?x4xf32, #dyn.dims<[{{.*}}u0{{.*}}, 4]>>
func.func @empty_branch(%c: tensor<i1>, %x: tensor<?x4xf32, #dyn.dims<[N, 4]>>, %place: tensor<i64>)
    -> (tensor<*xf32>, tensor<*xf32>) attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0]>} {
  %list = dyn.if %c : (tensor<i1>) -> !dyn.sequence<tensor<*xf32>> {
    %none = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %none : !dyn.sequence<tensor<*xf32>>
  } else {
    %some = dyn.sequence_make %x : (tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %some : !dyn.sequence<tensor<*xf32>>
  }
  %at = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %joined = dyn.sequence_join %list {axis = 0} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  return %at, %joined : tensor<*xf32>, tensor<*xf32>
}

// -----

// What a branch decides for itself is nothing that is known behind it.
// CHECK-LABEL: func.func @size_of_a_branch
// CHECK: dyn.sequence_at {{.*}} -> tensor<?xf32, #dyn.dims<[u{{[0-9]+}}]>>
func.func @size_of_a_branch(%c: tensor<i1>, %x: tensor<9xf32>, %end: tensor<1xi64>, %place: tensor<i64>) -> tensor<*xf32> {
  %list = dyn.if %c : (tensor<i1>) -> !dyn.sequence<tensor<*xf32>> {
    %none = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %none : !dyn.sequence<tensor<*xf32>>
  } else {
    %above = dyn.compare lt %x, %x : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %places = dyn.nonzero %above : (tensor<9xi1>) -> tensor<1x?xi64>
    %flat = dyn.squeeze %places axes [0] : (tensor<1x?xi64>) -> tensor<?xi64>
    %part = dyn.gather %x, %flat axis 0 : (tensor<9xf32>, tensor<?xi64>) -> tensor<?xf32>
    %some = dyn.sequence_make %part : (tensor<?xf32>) -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %some : !dyn.sequence<tensor<*xf32>>
  }
  %at = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  return %at : tensor<*xf32>
}

// -----

// Each trip of a loop puts a tensor into a sequence that was empty.
// CHECK-LABEL: func.func @grown_by_a_loop
// CHECK: dyn.sequence_join {{.*}} -> tensor<?x4xf32, #dyn.dims<[N * trips, 4]>>
func.func @grown_by_a_loop(%m: tensor<i64>, %x: tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0], trips: [0, 100] from arg0{0}>} {
  %empty = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
  %list = dyn.loop trips %m carrying %empty : (tensor<i64>, !dyn.sequence<tensor<*xf32>>) -> !dyn.sequence<tensor<*xf32>> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %before: !dyn.sequence<tensor<*xf32>>):
    %row = dyn.neg %x : (tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> tensor<?x4xf32>
    %after = dyn.sequence_insert %before, %row : (!dyn.sequence<tensor<*xf32>>, tensor<?x4xf32>) -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %still, %after : tensor<i1>, !dyn.sequence<tensor<*xf32>>
  }
  %joined = dyn.sequence_join %list {axis = 0} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  return %joined : tensor<*xf32>
}

// -----

// Tensors that grow from trip to trip have no common size.
// CHECK-LABEL: func.func @grows_inside
// CHECK: dyn.sequence_at {{.*}} -> tensor<?xf32, #dyn.dims<[u{{[0-9]+}}]>>
func.func @grows_inside(%m: tensor<i64>, %x: tensor<?xf32, #dyn.dims<[N]>>, %place: tensor<i64>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0], trips: [0, 100] from arg0{0}>} {
  %empty = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
  %list, %last = dyn.loop trips %m carrying %empty, %x : (tensor<i64>, !dyn.sequence<tensor<*xf32>>, tensor<?xf32, #dyn.dims<[N]>>)
      -> (!dyn.sequence<tensor<*xf32>>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %before: !dyn.sequence<tensor<*xf32>>, %p: tensor<?xf32>):
    %after = dyn.sequence_insert %before, %p : (!dyn.sequence<tensor<*xf32>>, tensor<?xf32>) -> !dyn.sequence<tensor<*xf32>>
    %next = dyn.concat 0 (%p, %x) : (tensor<?xf32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    dyn.yield %still, %after, %next : tensor<i1>, !dyn.sequence<tensor<*xf32>>, tensor<?xf32>
  }
  %at = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  return %at : tensor<*xf32>
}

// -----

// Parts of one size, and parts of which the last may be smaller.
// CHECK-LABEL: func.func @parts
// CHECK: dyn.sequence_at {{.*}} -> tensor<1x6xf32
// CHECK: dyn.sequence_at {{.*}} -> tensor<?xf32, #dyn.dims<[N]>>
// CHECK: dyn.sequence_at {{.*}} -> tensor<?x3xf32, #dyn.dims<[N, 3]>>
// CHECK: dyn.sequence_at {{.*}} -> tensor<?x?xf32, #dyn.dims<[N, u0]>>
// CHECK: dyn.sequence_join {{.*}} -> tensor<2x?x3xf32, #dyn.dims<[2, N, 3]>>
func.func @parts(%x: tensor<?x6xf32, #dyn.dims<[N, 6]>>, %place: tensor<i64>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %three = dyn.constant dense<3> : tensor<i64>
  %four = dyn.constant dense<4> : tensor<i64>
  %rows = dyn.sequence_split %x {axis = 0} : (tensor<?x6xf32, #dyn.dims<[N, 6]>>) -> !dyn.sequence<tensor<*xf32>>
  %columns = dyn.sequence_split %x {axis = 1, squeeze} : (tensor<?x6xf32, #dyn.dims<[N, 6]>>) -> !dyn.sequence<tensor<*xf32>>
  %halves = dyn.sequence_split %x, %three {axis = 1} : (tensor<?x6xf32, #dyn.dims<[N, 6]>>, tensor<i64>) -> !dyn.sequence<tensor<*xf32>>
  %uneven = dyn.sequence_split %x, %four {axis = 1} : (tensor<?x6xf32, #dyn.dims<[N, 6]>>, tensor<i64>) -> !dyn.sequence<tensor<*xf32>>
  %row = dyn.sequence_at %rows, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %column = dyn.sequence_at %columns, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %half = dyn.sequence_at %halves, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %part = dyn.sequence_at %uneven, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %stacked = dyn.sequence_join %halves {axis = 0, new_axis} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  return %row, %column, %half, %part, %stacked : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// One tensor less has the same dims. Nothing is known of what an input holds, nor of what stands in a sequence whose
// tensors have other ranks from trip to trip.
// CHECK-LABEL: func.func @other_sequences
// CHECK: dyn.sequence_join {{.*}} -> tensor<1x?xf32, #dyn.dims<[1, N]>>
// CHECK: dyn.sequence_at {{.*}} -> tensor<*xf32>
// CHECK: dyn.sequence_at {{.*}} -> tensor<*xf32>
func.func @other_sequences(%x: tensor<?xf32, #dyn.dims<[N]>>, %s: !dyn.sequence<tensor<*xf32>>, %m: tensor<i64>, %place: tensor<i64>)
    -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], trips: [0, 100] from arg2{0}>} {
  %pair = dyn.sequence_make %x, %x : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?xf32, #dyn.dims<[N]>>) -> !dyn.sequence<tensor<*xf32>>
  %one = dyn.sequence_erase %pair, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> !dyn.sequence<tensor<*xf32>>
  %joined = dyn.sequence_join %one {axis = 0, new_axis} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  %given = dyn.sequence_at %s, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  %empty = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
  %list, %last = dyn.loop trips %m carrying %empty, %x : (tensor<i64>, !dyn.sequence<tensor<*xf32>>, tensor<?xf32, #dyn.dims<[N]>>)
      -> (!dyn.sequence<tensor<*xf32>>, tensor<*xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %before: !dyn.sequence<tensor<*xf32>>, %p: tensor<*xf32>):
    %after = dyn.sequence_insert %before, %p : (!dyn.sequence<tensor<*xf32>>, tensor<*xf32>) -> !dyn.sequence<tensor<*xf32>>
    %next = dyn.unsqueeze %p axes [0] : (tensor<*xf32>) -> tensor<*xf32>
    dyn.yield %still, %after, %next : tensor<i1>, !dyn.sequence<tensor<*xf32>>, tensor<*xf32>
  }
  %at = dyn.sequence_at %list, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  return %joined, %given, %at : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// -----

// A later op says which branch is taken: the one that gives nothing, of which no rank is known.
// CHECK-LABEL: func.func @decided_later
// CHECK: %[[NONE:.*]] = dyn.sequence_make : ()
// CHECK: dyn.sequence_length %[[NONE]]
func.func @decided_later(%x: tensor<?x?xf32, #dyn.dims<[N, M]>>, %sizes: tensor<2xf32>, %w: tensor<2x4xf32>) -> (tensor<i64>, tensor<*xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [0, ?] from arg0[1]>} {
  %three = dyn.constant dense<3> : tensor<i64>
  %to = dyn.cast %sizes : (tensor<2xf32>) -> tensor<2xi64>
  %r = dyn.reshape_to %x, %to : (tensor<?x?xf32, #dyn.dims<[N, M]>>, tensor<2xi64>) -> tensor<?x?xf32>
  %one = dyn.constant dense<1> : tensor<i64>
  %size = dyn.shape_of %r : (tensor<?x?xf32>) -> tensor<2xi64>
  %width = dyn.gather %size, %one axis 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %c = dyn.compare lt %width, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %list = dyn.if %c : (tensor<i1>) -> !dyn.sequence<tensor<*xf32>> {
    %some = dyn.sequence_make %x : (tensor<?x?xf32, #dyn.dims<[N, M]>>) -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %some : !dyn.sequence<tensor<*xf32>>
  } else {
    %none = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
    dyn.yield %none : !dyn.sequence<tensor<*xf32>>
  }
  %rows = dyn.concat 0 (%r, %w) : (tensor<?x?xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  %length = dyn.sequence_length %list : (!dyn.sequence<tensor<*xf32>>) -> tensor<i64>
  return %length, %rows : tensor<i64>, tensor<*xf32>
}
