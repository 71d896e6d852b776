// RUN: dyn-opt %s -dyn-unroll-loops=max-ops=20 -split-input-file | FileCheck %s
// RUN: dyn-opt %s -dyn-unroll-loops=max-ops=20 -dyn-infer-shapes -dyn-resolve-shape-ops -dyn-minimize-guards -dyn-verify-symbols -split-input-file | FileCheck %s --check-prefix=SIZES

// Carried values go from trip to trip; what is stacked is a concatenation.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: -> (tensor<?xf32>, tensor<?x?xf32>)
// CHECK-NOT: dyn.loop
// CHECK: %[[A:.*]] = dyn.exp %arg0
// CHECK: %[[B:.*]] = dyn.exp %[[A]]
// CHECK: %[[ROW:.*]] = dyn.unsqueeze %[[A]] axes [0]
// CHECK: %[[NEXT:.*]] = dyn.unsqueeze %[[B]] axes [0]
// CHECK: %[[STACK:.*]] = dyn.concat 0(%[[ROW]], %[[NEXT]])
// CHECK: return %[[B]], %[[STACK]]
// SIZES-LABEL: func.func @carried
// SIZES-SAME: -> (tensor<?xf32, #dyn.dims<[M]>>, tensor<2x?xf32, #dyn.dims<[2, M]>>)
func.func @carried(%x: tensor<?xf32, #dyn.dims<[M]>>) -> (tensor<?xf32>, tensor<?x?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %two = dyn.constant dense<2> : tensor<i64>
  %0:2 = dyn.loop trips %two carrying %x : (tensor<i64>, tensor<?xf32, #dyn.dims<[M]>>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>):
    %1 = dyn.exp %p : (tensor<?xf32>) -> tensor<?xf32>
    dyn.yield %still, %1, %1 : tensor<i1>, tensor<?xf32>, tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// As many trips as slices; sizes that double are known.
// CHECK-LABEL: func.func @sliced
// CHECK-NOT: dyn.loop
// SIZES-LABEL: func.func @sliced
// SIZES-SAME: -> tensor<?xf32, #dyn.dims<[4 * M]>>
func.func @sliced(%x: tensor<?xf32, #dyn.dims<[M]>>, %s: tensor<2xf32>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %0 = dyn.loop carrying %x slicing %s : (tensor<?xf32, #dyn.dims<[M]>>, tensor<2xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>, %q: tensor<f32>):
    %1 = dyn.mul %p, %q : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
    %2 = dyn.concat 0 (%1, %p) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    dyn.yield %still, %2 : tensor<i1>, tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// The number of the trip decides how often an inner loop runs.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: dyn.loop
// CHECK-COUNT-3: dyn.neg
// CHECK-NOT: dyn.neg
// SIZES-LABEL: func.func @nested
func.func @nested(%x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %three = dyn.constant dense<3> : tensor<i64>
  %0 = dyn.loop trips %three carrying %x : (tensor<i64>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>):
    %1 = dyn.loop trips %i carrying %p : (tensor<i64>, tensor<?xf32>) -> tensor<?xf32> {
    ^bb0(%j: tensor<i64>, %more: tensor<i1>, %q: tensor<?xf32>):
      %2 = dyn.neg %q : (tensor<?xf32>) -> tensor<?xf32>
      dyn.yield %more, %2 : tensor<i1>, tensor<?xf32>
    }
    dyn.yield %still, %1 : tensor<i1>, tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Too many ops; a condition that data decide; a number that a run tells; a stack of nothing.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-4: dyn.loop
func.func @stays(%x: tensor<?xf32, #dyn.dims<[M]>>, %n: tensor<i64>, %c: tensor<i1>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %many = dyn.constant dense<21> : tensor<i64>
  %few = dyn.constant dense<2> : tensor<i64>
  %0 = dyn.loop trips %many carrying %x : (tensor<i64>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>):
    dyn.yield %still, %p : tensor<i1>, tensor<?xf32>
  }
  %1 = dyn.loop trips %few carrying %x : (tensor<i64>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>):
    dyn.yield %c, %p : tensor<i1>, tensor<?xf32>
  }
  %2 = dyn.loop trips %n carrying %x : (tensor<i64>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>):
    dyn.yield %still, %p : tensor<i1>, tensor<?xf32>
  }
  %3 = dyn.loop trips %zero : (tensor<i64>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    dyn.yield %still, %x : tensor<i1>, tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}
