// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// The loops that stay come first; a mean divides by the size that the host knows.
// CHECK-LABEL: func.func @mean_over_middle
// CHECK-DAG: %[[S:.*]] = dyn_shape.sym "S"
// CHECK: %[[INIT:.*]] = linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: outs(%[[INIT]]
// CHECK: arith.addf
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = arith.index_cast %[[S]] : index to i64
// CHECK: arith.sitofp %[[I]] : i64 to f32
// CHECK: arith.divf
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]]
func.func @mean_over_middle(%x: tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>>) -> tensor<?x1x8xf32, #dyn.dims<[B, 1, 8]>>
    attributes {dyn.symbols = #dyn.symbols<B: [1, 64] from arg0[0], S: [0, 512] from arg0[1]>} {
  %0 = dyn.reduce mean %x axes [1] keep_dims : (tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>>)
      -> tensor<?x1x8xf32, #dyn.dims<[B, 1, 8]>>
  return %0 : tensor<?x1x8xf32, #dyn.dims<[B, 1, 8]>>
}

// -----

// Sums of 16 bits are accumulated in 32.
// CHECK-LABEL: func.func @half_sum
// CHECK: linalg.fill ins(%{{.*}} : f32)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half_sum(%x: tensor<2x4xf16>) -> tensor<2xf16> {
  %0 = dyn.reduce sum %x axes [1] : (tensor<2x4xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

// CHECK-LABEL: func.func @arg_max
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: arith.cmpf ogt
// CHECK: linalg.index 1
// CHECK: return %[[R]]#1
func.func @arg_max(%x: tensor<2x4xf32>) -> tensor<2xi64> {
  %0 = dyn.arg_reduce max %x axis 1 : (tensor<2x4xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

// CHECK-LABEL: func.func @running_sum
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<2x4xf32>, f32)
// CHECK: tensor.extract
// CHECK: arith.addf
// CHECK: tensor.insert
func.func @running_sum(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = dyn.cumsum %x axis 1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// In front of the last dim in the order of memory: a row of sums is the one before it and a row of the operand. The first
// row reads itself, and begins with nothing instead.
// CHECK-LABEL: func.func @running_sum_of_rows
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step {{.*}} iter_args(%[[SUMS:.*]] = %{{.*}})
// CHECK:   scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[SUMS]])
// CHECK:     %[[FIRST:.*]] = arith.cmpi eq, %[[ROW]]
// CHECK:     %[[BEFORE:.*]] = arith.select %[[FIRST]]
// CHECK:     %[[SUM:.*]] = tensor.extract %[[INNER]][%[[BEFORE]]
// CHECK:     %[[START:.*]] = arith.select %[[FIRST]], %{{.*}}, %[[SUM]] : f32
// CHECK:     arith.addf %[[START]]
// CHECK:     tensor.insert
func.func @running_sum_of_rows(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = dyn.cumsum %x axis 0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
