// RUN: dyn-opt %s -dyn-infer-shapes -dyn-count-loops -split-input-file | FileCheck %s

// A condition that orders the number of the trip says how often the loop is run. What is sliced does so without one.
// CHECK-LABEL: func.func @fires
// CHECK: %[[N:.*]] = dyn.dim_values [N] : tensor<i64>
// CHECK: %[[TRUE:.*]] = dyn.constant dense<true> : tensor<i1>
// CHECK: dyn.loop trips %[[N]] carrying %{{[0-9]+}} counting
// CHECK: dyn.yield %[[TRUE]],
// CHECK: dyn.loop carrying %arg1 slicing %arg0 counting
func.func @fires(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>)
    attributes {dyn.symbols = #dyn.symbols<N: [1, ?] from arg0[0]>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %one = dyn.constant dense<1> : tensor<i64>
  %shape = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %n = dyn.squeeze %shape axes [0] : (tensor<1xi64>) -> tensor<i64>
  %f = dyn.cast %n : (tensor<i64>) -> tensor<f32>
  %0 = dyn.loop while %go carrying %f : (tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<f32>):
    %1 = dyn.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = dyn.compare lt %1, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %3 = dyn.add %v, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    dyn.yield %2, %3 : tensor<i1>, tensor<f32>
  }
  %4 = dyn.loop carrying %y slicing %x : (tensor<f32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<f32>, %s: tensor<f32>):
    %5 = dyn.mul %v, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
    dyn.yield %go, %5 : tensor<i1>, tensor<f32>
  }
  return %0, %4 : tensor<f32>, tensor<f32>
}

// -----

// What a region needs of sizes is asked before the first op, unless there is no trip.
// CHECK-LABEL: func.func @needs
// CHECK: dyn.require
// CHECK-SAME: N <= 0 or M == K
func.func @needs(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<?xf32, #dyn.dims<[M]>>, %z: tensor<?x2xf32, #dyn.dims<[K, 2]>>)
    -> tensor<?x2xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [0, ?] from arg1[0], K: [0, ?] from arg2[0]>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %0 = dyn.loop slicing %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?x2xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<f32>):
    %1 = dyn.matmul %y, %z : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?x2xf32, #dyn.dims<[K, 2]>>) -> tensor<2xf32>
    %2 = dyn.mul %1, %s : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    dyn.yield %go, %2 : tensor<i1>, tensor<2xf32>
  }
  return %0 : tensor<?x2xf32>
}

// -----

// Data end the loop.
// CHECK-LABEL: func.func @does_not_fire
// CHECK: dyn.loop trips %{{.*}} while %{{.*}} carrying
func.func @does_not_fire(%x: tensor<f32>, %y: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {
  %go = dyn.constant dense<true> : tensor<i1>
  %0 = dyn.loop trips %n while %go carrying %x : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<f32>):
    %1 = dyn.add %v, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %2 = dyn.compare lt %1, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    dyn.yield %2, %1 : tensor<i1>, tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// A loop in a loop: its needs are asked where both make a trip.
// CHECK-LABEL: func.func @nested
// CHECK: dyn.require N <= 0 or M <= 0 or K == 4
func.func @nested(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<?xf32, #dyn.dims<[M]>>, %z: tensor<?xf32, #dyn.dims<[K]>>,
                  %w: tensor<4xf32>) -> tensor<f32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [0, ?] from arg1[0], K: [0, ?] from arg2[0]>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %start = dyn.constant dense<0.0> : tensor<f32>
  %0 = dyn.loop carrying %start slicing %x : (tensor<f32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<f32>, %s: tensor<f32>):
    %1 = dyn.loop carrying %v slicing %y : (tensor<f32>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<f32> {
    ^bb0(%j: tensor<i64>, %d: tensor<i1>, %u: tensor<f32>, %t: tensor<f32>):
      %2 = dyn.matmul %z, %w : (tensor<?xf32, #dyn.dims<[K]>>, tensor<4xf32>) -> tensor<f32>
      %3 = dyn.add %2, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
      dyn.yield %go, %3 : tensor<i1>, tensor<f32>
    }
    dyn.yield %go, %1 : tensor<i1>, tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// What the region needs differs between trips: the index of one that there may not be.
// CHECK-LABEL: func.func @needs_of_a_trip
// CHECK: dyn.loop while
func.func @needs_of_a_trip(%x: tensor<?xf32, #dyn.dims<[N]>>, %n: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [0, ?] from arg1[0]>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %zero = dyn.constant dense<0> : tensor<i64>
  %0 = dyn.loop while %go slicing %n : (tensor<i1>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %s: tensor<f32>):
    %1 = dyn.gather %x, %i axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<i64>) -> tensor<f32>
    dyn.yield %go, %1 : tensor<i1>, tensor<f32>
  }
  return %0 : tensor<?xf32>
}
