// RUN: dyn-opt %s -dyn-reify-shapes -split-input-file | FileCheck %s

// What a trip computes has memory before the loop; parts are written before what is carried, which parts may read.
// CHECK-LABEL: func.func @scan
// CHECK: %[[S:.*]] = dyn_shape.sym "S"
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%arg1
// CHECK: %[[STACK:.*]] = tensor.empty(%[[S]]) : tensor<?x2xf32>
// CHECK-COUNT-2: tensor.empty() : tensor<2xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[S]] {{.*}} iter_args(%[[P:.*]] = %[[FIRST]], %[[Q:.*]] = %[[STACK]])
// CHECK: tensor.extract %arg0[%[[I]],
// CHECK: %[[NEXT:.*]] = linalg.generic {{.*}} ins(%[[P]],
// CHECK: %[[PART:.*]] = tensor.insert_slice %[[P]] into %[[Q]][%[[I]], 0] [1, 2] [1, 1]
// CHECK: %[[CARRIED:.*]] = tensor.insert_slice %[[NEXT]] into %[[P]][0] [2] [1]
// CHECK: scf.yield %[[CARRIED]], %[[PART]]
func.func @scan(%x: tensor<?x2xf32, #dyn.dims<[S, 2]>>, %p: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<?x2xf32, #dyn.dims<[S, 2]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %0:2 = dyn.loop carrying %p slicing %x : (tensor<2xf32>, tensor<?x2xf32, #dyn.dims<[S, 2]>>)
      -> (tensor<2xf32>, tensor<?x2xf32, #dyn.dims<[S, 2]>>) {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>, %s: tensor<2xf32>):
    %1 = dyn.add %v, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    dyn.yield %go, %1, %v : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<?x2xf32, #dyn.dims<[S, 2]>>
}

// -----

// Values that change places are read before either is written. The number of the trip is an element like others.
// CHECK-LABEL: func.func @swap
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.index_cast %[[I]] : index to i64
// CHECK: linalg.generic {{.*}} ins(%[[P]],
// CHECK: %[[OLD:.*]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK: %[[A:.*]] = tensor.insert_slice %{{.*}} into %[[P]]
// CHECK: %[[B:.*]] = tensor.insert_slice %[[OLD]] into %[[Q]]
// CHECK: scf.yield %[[A]], %[[B]]
func.func @swap(%p: tensor<2xi64>, %q: tensor<2xi64>, %n: tensor<?xi64, #dyn.dims<[N]>>) -> (tensor<2xi64>, tensor<2xi64>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg2[0]>} {
  %go = dyn.constant dense<true> : tensor<i1>
  %trips = dyn.dim_values [N] : tensor<i64>
  %0:2 = dyn.loop trips %trips carrying %p, %q : (tensor<i64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>) {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xi64>, %w: tensor<2xi64>):
    %1 = dyn.add %v, %i : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
    %2 = dyn.mul %1, %w : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    dyn.yield %go, %2, %v : tensor<i1>, tensor<2xi64>, tensor<2xi64>
  }
  return %0#0, %0#1 : tensor<2xi64>, tensor<2xi64>
}
