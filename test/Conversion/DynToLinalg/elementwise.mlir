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

// The power of e is bounded by the greatest number of the type; test/unit/KernelsToCPU measures the errors of this form.
// CHECK-LABEL: func.func @sigmoid
// CHECK: %[[LIMIT:.*]] = arith.constant 8.800000e+01 : f32
// CHECK: %[[IS_ABOVE:.*]] = arith.cmpf ogt, %[[X:.*]], %[[LIMIT]] : f32
// CHECK: %[[BOUNDED:.*]] = arith.select %[[IS_ABOVE]], %[[LIMIT]], %[[X]] : f32
// CHECK: %[[POWER:.*]] = math.exp %[[BOUNDED]] : f32
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[SUM:.*]] = arith.addf %[[ONE]], %[[POWER]] : f32
// CHECK: arith.divf %[[POWER]], %[[SUM]] : f32
// CHECK: arith.constant 1.100000e+01 : f16
// CHECK: arith.constant 8.800000e+01 : bf16
// CHECK: arith.constant 7.090000e+02 : f64
func.func @sigmoid(%x: tensor<4xf32>, %h: tensor<4xf16>, %b: tensor<4xbf16>, %d: tensor<4xf64>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf64>) {
  %0 = dyn.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dyn.sigmoid %h : (tensor<4xf16>) -> tensor<4xf16>
  %2 = dyn.sigmoid %b : (tensor<4xbf16>) -> tensor<4xbf16>
  %3 = dyn.sigmoid %d : (tensor<4xf64>) -> tensor<4xf64>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf64>
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

// Floats that do not fit, and NaN, give the lowest integer of the width that they go through.
// CHECK-LABEL: func.func @cast
// CHECK: %[[MAGNITUDE:.*]] = math.absf %[[X:.*]] : f32
// CHECK: %[[END:.*]] = arith.constant 2.14748365E+9 : f32
// CHECK: %[[FITS:.*]] = arith.cmpf olt, %[[MAGNITUDE]], %[[END]]
// CHECK: %[[LOWEST:.*]] = arith.constant -2.14748365E+9 : f32
// CHECK: %[[SAFE:.*]] = arith.select %[[FITS]], %[[X]], %[[LOWEST]]
// CHECK: %[[WIDE:.*]] = arith.fptosi %[[SAFE]] : f32 to i32
// CHECK-NEXT: %[[NARROW:.*]] = arith.trunci %[[WIDE]] : i32 to i8
// CHECK-NEXT: linalg.yield %[[NARROW]]
func.func @cast(%x: tensor<4xf32>) -> tensor<4xui8> {
  %0 = dyn.cast %x : (tensor<4xf32>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

// Integers of 32 bits without sign go through 64 bits.
// CHECK-LABEL: func.func @cast_to_ui32
// CHECK: arith.fptosi %{{.*}} : f64 to i64
// CHECK-NEXT: arith.trunci %{{.*}} : i64 to i32
func.func @cast_to_ui32(%x: tensor<4xf64>) -> tensor<4xui32> {
  %0 = dyn.cast %x : (tensor<4xf64>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// -----

// Powers of integers: 2 and 3 are products, all others those of doubles, which are products of squares where doubles hold
// these.
// CHECK-LABEL: func.func @integer_powers
// CHECK: arith.muli %[[X:.*]], %[[X]] : i64
// CHECK: %[[POWER:.*]] = math.powf %{{.*}} : f64
// CHECK-COUNT-6: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK: %[[PRODUCT:.*]] = arith.sitofp %{{.*}} : i64 to f64
// CHECK: arith.select %{{.*}}, %[[PRODUCT]], %[[POWER]] : f64
// CHECK: arith.fptosi %{{.*}} : f64 to i64
// CHECK: arith.cmpi eq, %{{.*}}, %c2
// CHECK: arith.cmpi eq, %{{.*}}, %c3
func.func @integer_powers(%x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> {
  %two = dyn.constant dense<2> : tensor<i64>
  %0 = dyn.pow %x, %two : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %1 = dyn.pow %0, %y : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}

// -----

// A shift by the bits of the type and more is left to the double.
// CHECK-LABEL: func.func @powers_of_two
// CHECK: math.powf
// CHECK: %[[IS_SHIFT:.*]] = arith.cmpi ult, %[[COUNT:.*]], %c8{{.*}} : i8
// CHECK: %[[BOUNDED:.*]] = arith.select %[[IS_SHIFT]], %[[COUNT]], %c0{{.*}} : i8
// CHECK: %[[SHIFTED:.*]] = arith.shli %c1{{.*}}, %[[BOUNDED]] : i8
// CHECK: arith.select %[[IS_SHIFT]], %[[SHIFTED]], %{{.*}} : i8
func.func @powers_of_two(%n: tensor<4xui8>) -> tensor<4xui8> {
  %two = dyn.constant dense<2> : tensor<ui8>
  %0 = dyn.pow %two, %n : (tensor<ui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
