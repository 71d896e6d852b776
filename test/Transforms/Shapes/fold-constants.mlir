// RUN: rm -rf %t && mkdir %t && %python -c "open('%t/w.weights', 'wb').write(bytes(range(64)))"
// RUN: dyn-opt %s --split-input-file --dyn-fold-constants=weights-directory=%t | FileCheck %s
// RUN: dyn-opt %s --split-input-file --dyn-fold-constants | FileCheck %s --check-prefix=NOFILE
// RUN: dyn-opt %s --split-input-file --dyn-fold-constants="max-bytes=16 weights-directory=%t" | FileCheck %s --check-prefix=SMALL

// A chain of ops on constants is one constant; what only it used goes.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[R:.*]] = dyn.constant dense<{{\[\[}}2.000000e+00, 8.000000e+00], [0.000000e+00, 1.000000e+01], [6.000000e+00, 0.000000e+00]]> : tensor<3x2xf32>
// CHECK-NEXT:    return %[[R]]
func.func @chain() -> tensor<3x2xf32> {
  %c = dyn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %two = dyn.constant dense<2.0> : tensor<f32>
  %zero = dyn.constant dense<0.0> : tensor<f32>
  %mask = dyn.constant dense<[[true, false, true], [true, true, false]]> : tensor<2x3xi1>
  %t = dyn.mul %c, %two : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %s = dyn.select %mask, %t, %zero : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %r = dyn.transpose %s perm [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// A table of positions is computed where it is changed; as it is, kernels compute it for nothing. Equal elements are
// written once.
// CHECK-LABEL: func.func @positions
// CHECK-DAG:     dyn.iota
// CHECK-DAG:     dyn.full
// CHECK-DAG:     dyn.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>
// CHECK-DAG:     dyn.constant dense<9> : tensor<4xi64>
// CHECK-NOT:     dyn.cast
func.func @positions() -> (tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) {
  %start = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %start, %one : (tensor<i64>, tensor<i64>) -> tensor<4xi64>
  %f = dyn.cast %i : (tensor<4xi64>) -> tensor<4xf32>
  %3 = dyn.full value(3 : i64) : tensor<4xi64>
  %9 = dyn.mul %3, %3 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %i, %f, %3, %9 : tensor<4xi64>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>
}

// -----

// What depends on an argument, or has no result, stays; the run reports the index.
// CHECK-LABEL: func.func @stays
// CHECK:         dyn.add
// CHECK:         dyn.gather
func.func @stays(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<1xf32>) {
  %c = dyn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = dyn.constant dense<7> : tensor<1xi64>
  %0 = dyn.add %x, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = dyn.gather %c, %i axis 0 : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0, %1 : tensor<3xf32>, tensor<1xf32>
}

// -----

// The result may be larger than its operands up to a limit, and as large as they are beyond it.
// CHECK-LABEL: func.func @limits
// CHECK-NOT:     dyn.tile
// CHECK:         return
// SMALL-LABEL: func.func @limits
// SMALL:         dyn.constant dense<[3.000000e+00, 2.000000e+00, 1.000000e+00, 0.000000e+00, 7.000000e+00]> : tensor<5xf32>
// SMALL:         dyn.tile
func.func @limits() -> (tensor<10xf32>, tensor<5xf32>) {
  %c = dyn.constant dense<[-3.0, -2.0, -1.0, 0.0, -7.0]> : tensor<5xf32>
  %0 = dyn.neg %c : (tensor<5xf32>) -> tensor<5xf32>
  %1 = dyn.abs %c : (tensor<5xf32>) -> tensor<5xf32>
  %t = dyn.tile %0 : tensor<5xf32> to tensor<10xf32>
  return %t, %1 : tensor<10xf32>, tensor<5xf32>
}

// -----

// Never at all beyond 64 KiB where constants are smaller.
// CHECK-LABEL: func.func @huge
// CHECK:         dyn.tile
func.func @huge() -> tensor<65536xf32> {
  %c = dyn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %t = dyn.tile %c : tensor<2xf32> to tensor<65536xf32>
  return %t : tensor<65536xf32>
}

// -----

// Of data in a file only small results are made, and none where the file is not there.
// CHECK-LABEL: func.func @weights
// CHECK-NEXT:    dyn.constant dense<5> : tensor<1xi8>
// CHECK-NEXT:    dyn.constant dense<
// CHECK-NEXT:    return
// NOFILE-LABEL: func.func @weights
// NOFILE:         dyn.slice
// NOFILE:         dyn.transpose
// SMALL-LABEL: func.func @weights
// SMALL-DAG:     dyn.constant dense<5> : tensor<1xi8>
// SMALL-DAG:     dyn.transpose
// SMALL:         return
func.func @weights() -> (tensor<1xi8>, tensor<8x4xi8>) {
  %w = dyn.constant #dyn.weight<"w.weights", 4, 32> : tensor<32xi8>
  %0 = dyn.slice %w[1:2] : tensor<32xi8> -> tensor<1xi8>
  %m = dyn.constant #dyn.weight<"w.weights", 0, 32> : tensor<4x8xi8>
  %1 = dyn.transpose %m perm [1, 0] : (tensor<4x8xi8>) -> tensor<8x4xi8>
  return %0, %1 : tensor<1xi8>, tensor<8x4xi8>
}

// -----

// A constant that an op reads twice is erased once.
// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    %[[R:.*]] = dyn.constant dense<4> : tensor<1xi8>
// CHECK-NEXT:    return %[[R]]
func.func @twice() -> tensor<1xi8> {
  %c = dyn.constant dense<2> : tensor<1xi8>
  %0 = dyn.add %c, %c : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %0 : tensor<1xi8>
}
