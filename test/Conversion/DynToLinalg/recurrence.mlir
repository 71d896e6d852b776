// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// Sequences, then their steps, then elements, in this order; a sequence that is over keeps its state and adds zeros.
// CHECK-LABEL: func.func @layer
// CHECK-DAG: %[[T:.*]] = dyn_shape.sym "T"
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[T]]
// CHECK: dyn_shape.bound
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc>
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
