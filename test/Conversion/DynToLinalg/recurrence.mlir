// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// Steps, then sequences, then elements, in this order; a sequence that is over keeps its state and adds zeros.
// CHECK-LABEL: func.func @layer
// CHECK-DAG: %[[T:.*]] = dyn_shape.sym "T"
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[T]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TWO]]
// CHECK: dyn_shape.bound
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract>
// CHECK: arith.maximumf
// CHECK: arith.select
// CHECK: tensor.insert
func.func @layer(%x: tensor<?x2x4xf32, #dyn.dims<[T, 2, 4]>>, %w: tensor<4x4xf32>, %h: tensor<2x4xf32>, %n: tensor<2xi32>)
    -> (tensor<?x2x4xf32, #dyn.dims<[T, 2, 4]>>, tensor<2x4xf32>)
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0]>} {
  %0:2 = dyn.recurrent rnn %x weights %w hidden %h lengths %n activations ["relu"] alpha [0.0] beta [0.0] reverse
      : (tensor<?x2x4xf32, #dyn.dims<[T, 2, 4]>>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<2xi32>)
      -> (tensor<?x2x4xf32, #dyn.dims<[T, 2, 4]>>, tensor<2x4xf32>)
  return %0#0, %0#1 : tensor<?x2x4xf32, #dyn.dims<[T, 2, 4]>>, tensor<2x4xf32>
}

// -----

// Four sequences take a step together, so that a weight is read once for them; those that are left, one by one.
// CHECK-LABEL: func.func @batch
// CHECK-DAG: %[[T:.*]] = dyn_shape.sym "T"
// CHECK-DAG: %[[GROUPS:.*]] = dyn_shape.apply N floordiv 4
// CHECK-DAG: %[[REST:.*]] = dyn_shape.apply N mod 4
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[T]]
// CHECK:   scf.for %{{.*}} = %{{.*}} to %[[GROUPS]]
// CHECK:     scf.for
// CHECK:       scf.for
// CHECK-COUNT-4: tensor.extract
// CHECK:         %[[WEIGHT:.*]] = tensor.extract
// CHECK-COUNT-4: arith.mulf %[[WEIGHT]]
// CHECK:   scf.for %{{.*}} = %{{.*}} to %[[REST]]
// CHECK:         %[[FACTOR:.*]] = tensor.extract
// CHECK:         %[[OWN:.*]] = tensor.extract
// CHECK:         arith.mulf %[[OWN]], %[[FACTOR]]
func.func @batch(%x: tensor<?x?x4xf32, #dyn.dims<[T, N, 4]>>, %w: tensor<4x4xf32>, %h: tensor<?x4xf32, #dyn.dims<[N, 4]>>)
    -> (tensor<?x?x4xf32, #dyn.dims<[T, N, 4]>>, tensor<?x4xf32, #dyn.dims<[N, 4]>>)
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0], N: [0, ?] from arg0[1]>} {
  %0:2 = dyn.recurrent rnn %x weights %w hidden %h activations ["relu"] alpha [0.0] beta [0.0]
      : (tensor<?x?x4xf32, #dyn.dims<[T, N, 4]>>, tensor<4x4xf32>, tensor<?x4xf32, #dyn.dims<[N, 4]>>)
      -> (tensor<?x?x4xf32, #dyn.dims<[T, N, 4]>>, tensor<?x4xf32, #dyn.dims<[N, 4]>>)
  return %0#0, %0#1 : tensor<?x?x4xf32, #dyn.dims<[T, N, 4]>>, tensor<?x4xf32, #dyn.dims<[N, 4]>>
}
