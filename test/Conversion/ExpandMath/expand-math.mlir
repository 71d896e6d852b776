// RUN: dyn-opt %s --dyn-expand-math=vector-bits=512 | FileCheck %s

// Executed in test/unit/KernelsToCPU.

// CHECK-LABEL: func.func @vectors
// CHECK-NOT:     math.exp
// CHECK:         math.roundeven %{{.*}} : vector<16xf32>
// CHECK-NOT:     arith.shli
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NEXT:    return
func.func @vectors(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Several registers at once.
// CHECK-LABEL: func.func @wide_vectors
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK:         return %{{.*}} : vector<32xf32>
func.func @wide_vectors(%x: vector<32xf32>) -> vector<32xf32> {
  %0 = math.exp %x : vector<32xf32>
  return %0 : vector<32xf32>
}

// Others have no instruction for powers of two.
// CHECK-LABEL: func.func @shorter_vectors
// CHECK-NOT:     scalef
// CHECK-COUNT-2: arith.shli
// CHECK-NOT:     scalef
// CHECK:         return
func.func @shorter_vectors(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @narrow_floats
// CHECK:         arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK-NOT:     math.tanh
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @narrow_floats(%x: vector<8xbf16>) -> vector<8xbf16> {
  %0 = math.tanh %x : vector<8xbf16>
  return %0 : vector<8xbf16>
}

// CHECK-LABEL: func.func @square
// CHECK-SAME:    (%[[X:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK-NEXT:    return %[[R]]
func.func @square(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = math.powf %x, %two : f32
  return %0 : f32
}

// Left to the C library.
// CHECK-LABEL: func.func @double_precision
// CHECK:         math.exp %{{.*}} : f64
func.func @double_precision(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}

// Arguments beyond 2^20 are reduced with integers, behind a branch that is taken where any lane has one.
// CHECK-LABEL: func.func @large_arguments
// CHECK:         %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<8xi1> into i1
// CHECK:         scf.if %[[ANY]] -> (vector<8xf64>, vector<8xf32>) {
// CHECK:           arith.muli %{{.*}} : vector<8xi64>
// CHECK:         } else {
// CHECK-NEXT:      scf.yield
func.func @large_arguments(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// 1 + erf x is simpler than erf x: one range of arguments, and none of the selections that join two.
// CHECK-LABEL: func.func @one_plus_erf
// CHECK-NOT:     math.copysign
// CHECK-COUNT-2: arith.subf %{{.*}} : vector<8xf32>
// CHECK-NEXT:    %[[R:.*]] = arith.select
// CHECK-NEXT:    return %[[R]]
func.func @one_plus_erf(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = math.erf %x : vector<8xf32>
  %1 = arith.addf %one, %0 : vector<8xf32>
  return %1 : vector<8xf32>
}

// In a GELU, neither scaling the argument nor halving is an operation of its own, whatever the order.
// CHECK-LABEL: func.func @gelu(
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
// CHECK:         math.absf %[[X]]
// CHECK:         %[[SIGN:.*]] = arith.cmpf olt, %[[X]],
// CHECK:         %[[HALF:.*]] = arith.select %[[SIGN]],
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[X]], %[[HALF]]
// CHECK-NEXT:    return %[[R]]
func.func @gelu(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %half = arith.constant dense<0.5> : vector<8xf32>
  %scale = arith.constant dense<0.707106769> : vector<8xf32>
  %0 = arith.mulf %x, %scale : vector<8xf32>
  %1 = math.erf %0 : vector<8xf32>
  %2 = arith.addf %1, %one : vector<8xf32>
  %3 = arith.mulf %x, %half : vector<8xf32>
  %4 = arith.mulf %3, %2 : vector<8xf32>
  return %4 : vector<8xf32>
}

// CHECK-LABEL: func.func @gelu_halved_last(
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         math.absf %[[X]]
// CHECK:         %[[SIGN:.*]] = arith.cmpf olt, %[[X]],
// CHECK:         %[[HALF:.*]] = arith.select %[[SIGN]],
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[X]], %[[HALF]]
// CHECK-NEXT:    return %[[R]]
func.func @gelu_halved_last(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %scale = arith.constant 0.707106769 : f32
  %0 = arith.mulf %x, %scale : f32
  %1 = math.erf %0 : f32
  %2 = arith.addf %1, %one : f32
  %3 = arith.mulf %x, %2 : f32
  %4 = arith.mulf %3, %half : f32
  return %4 : f32
}

// A scale that powers of would leave the range of coefficients, and a factor that is no half, stay.
// CHECK-LABEL: func.func @not_quite_gelu(
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK:         %[[T:.*]] = arith.mulf %[[X]], %{{.*}}
// CHECK:         math.absf %[[T]]
// CHECK:         %[[SIGN:.*]] = arith.cmpf olt, %[[T]],
// CHECK:         %[[SUM:.*]] = arith.select %[[SIGN]],
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[X]], %[[SUM]]
// CHECK-NEXT:    %[[R:.*]] = arith.mulf %[[P]], %{{.*}}
// CHECK-NEXT:    return %[[R]]
func.func @not_quite_gelu(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %third = arith.constant 0.3 : f32
  %scale = arith.constant 1.0e-20 : f32
  %0 = arith.mulf %x, %scale : f32
  %1 = math.erf %0 : f32
  %2 = arith.addf %1, %one : f32
  %3 = arith.mulf %x, %2 : f32
  %4 = arith.mulf %3, %third : f32
  return %4 : f32
}

// CHECK-LABEL: func.func @one_plus_tanh
// CHECK-NOT:     math.copysign
// CHECK:         %[[R:.*]] = arith.divf
// CHECK-NEXT:    return %[[R]]
func.func @one_plus_tanh(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %0 = math.tanh %x : f32
  %1 = arith.addf %0, %one : f32
  return %1 : f32
}

// Not where there is something else to read, or to add.
// CHECK-LABEL: func.func @read_twice
// CHECK:         math.copysign
// CHECK-LABEL: func.func @two_plus_tanh
// CHECK:         math.copysign
func.func @read_twice(%x: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %0 = math.tanh %x : f32
  %1 = arith.addf %0, %one : f32
  return %0, %1 : f32, f32
}
func.func @two_plus_tanh(%x: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %0 = math.tanh %x : f32
  %1 = arith.addf %0, %two : f32
  return %1 : f32
}
