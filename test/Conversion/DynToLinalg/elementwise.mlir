// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// A decided broadcast shows in the maps.
// CHECK-LABEL: func.func @decided_broadcast
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>, affine_map<(d0, d1, d2) -> (d2)>
// CHECK: arith.select
func.func @decided_broadcast(%c: tensor<?x12x?xi1, #dyn.dims<[B, 12, S]>>, %x: tensor<?x1x?xf32, #dyn.dims<[B, 1, S]>>,
                             %y: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?x12x?xf32, #dyn.dims<[B, 12, S]>>
    attributes {dyn.symbols = #dyn.symbols<B: [1, 64] from arg0[0], S: [1, 512] from arg0[2]>} {
  %0 = dyn.select %c, %x, %y : (tensor<?x12x?xi1, #dyn.dims<[B, 12, S]>>, tensor<?x1x?xf32, #dyn.dims<[B, 1, S]>>,
      tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?x12x?xf32, #dyn.dims<[B, 12, S]>>
  return %0 : tensor<?x12x?xf32, #dyn.dims<[B, 12, S]>>
}

// -----

// An undecided one reads at index times a factor that the host computes: 1 where the dim is as long as the loop.
// CHECK-LABEL: func.func @undecided_broadcast
// CHECK-DAG: %[[M:.*]] = dyn_shape.sym "M"
// CHECK-DAG: %[[N:.*]] = dyn_shape.sym "N"
// CHECK: %[[IS_WHOLE:.*]] = dyn_shape.holds M == bcast(M, N) (M = %[[M]], N = %[[N]])
// CHECK: %[[FACTOR:.*]] = arith.index_castui %[[IS_WHOLE]]
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = arith.muli %[[I]], %[[FACTOR]]
// CHECK: tensor.extract %{{.*}}[%[[J]]]
// CHECK: arith.addf
func.func @undecided_broadcast(%u: tensor<?xf32, #dyn.dims<[M]>>, %v: tensor<?xf32, #dyn.dims<[N]>>)
    -> tensor<?xf32, #dyn.dims<[bcast(M, N)]>>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  dyn.require M == N or M == 1 or N == 1 because "add"
  %0 = dyn.add %u, %v : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>)
      -> tensor<?xf32, #dyn.dims<[bcast(M, N)]>>
  return %0 : tensor<?xf32, #dyn.dims<[bcast(M, N)]>>
}

// -----

// Constants of one value stand in the body; a power of two is a product.
// CHECK-LABEL: func.func @powers
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<4xf32>)
// CHECK: arith.mulf %[[A:.*]], %[[A]] : f32
// CHECK: math.sqrt
// CHECK: math.powf
// CHECK-NOT: dyn.constant
func.func @powers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = dyn.constant dense<2.0> : tensor<f32>
  %half = dyn.constant dense<0.5> : tensor<1xf32>
  %other = dyn.constant dense<2.5> : tensor<f32>
  %0 = dyn.pow %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = dyn.pow %0, %half : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %2 = dyn.pow %1, %other : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Division by zero and the lowest number by -1 trap in the processor, so they are kept from it; the former is an error.
// CHECK-LABEL: func.func @integer_division
// CHECK-SAME: dyn.index_guards = [{divisor_of = "/Div"}]
// CHECK: %[[ZERO:.*]] = arith.cmpi eq
// CHECK: %[[INDEX:.*]] = arith.index_castui %[[ZERO]] : i1 to index
// CHECK: dyn_shape.bound %[[INDEX]] below %c1{{.*}} guard 0 : index
// CHECK: %[[DIVISOR:.*]] = arith.select %[[ZERO]]
// CHECK: arith.cmpi eq, %[[DIVISOR]]
// CHECK: %[[SAFE:.*]] = arith.select
// CHECK: arith.divsi %{{.*}}, %[[SAFE]]
// CHECK: arith.select
func.func @integer_division(%x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> {
  %0 = dyn.div %x, %y : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64> loc("/Div")
  return %0 : tensor<4xi64>
}

// -----

// CHECK-LABEL: func.func @comparisons
// CHECK: arith.cmpf une
// CHECK: arith.cmpf olt
// CHECK: arith.andi %{{.*}}, %{{.*}} : i1
func.func @comparisons(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %0 = dyn.compare ne %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = dyn.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = dyn.and %0, %1 : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %2 : tensor<4xi1>
}

// -----

// Floats that do not fit give the nearest end.
// CHECK-LABEL: func.func @saturating_cast
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf oge
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: arith.select
// CHECK: arith.select
func.func @saturating_cast(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = dyn.cast %x : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
