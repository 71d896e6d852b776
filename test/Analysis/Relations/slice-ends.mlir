// RUN: dyn-opt %s --split-input-file --dyn-infer-shapes | FileCheck %s

// INT_MAX and INT_MIN of 32 bits are the ends of dims that they lie behind.
// CHECK-LABEL: func.func @small
// CHECK-NOT:   dyn.require
// CHECK:       dyn.slice_to {{.*}} -> tensor<?xf32, #dyn.dims<[n - 1]>>
func.func @small(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [1, 2147483647] from arg0[0]>} {
  %start = dyn.constant dense<1> : tensor<1xi64>
  %end = dyn.constant dense<2147483647> : tensor<1xi64>
  %0 = dyn.slice_to %x from %start to %end : (tensor<?xf32, #dyn.dims<[n]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// They are places of dims that may be larger.
// CHECK-LABEL: func.func @large
// CHECK-NOT:   dyn.require
// CHECK:       dyn.slice_to {{.*}} -> tensor<?xf32, #dyn.dims<[min(n, 2147483647)]>>
func.func @large(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, 4000000000] from arg0[0]>} {
  %start = dyn.constant dense<0> : tensor<1xi64>
  %end = dyn.constant dense<2147483647> : tensor<1xi64>
  %0 = dyn.slice_to %x from %start to %end : (tensor<?xf32, #dyn.dims<[n]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// CHECK-LABEL: func.func @large_from_behind
// CHECK:       dyn.slice_to {{.*}} -> tensor<?xf32, #dyn.dims<[min(n, 2147483648)]>>
func.func @large_from_behind(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, 4000000000] from arg0[0]>} {
  %start = dyn.constant dense<-2147483648> : tensor<1xi64>
  %end = dyn.constant dense<9223372036854775807> : tensor<1xi64>
  %0 = dyn.slice_to %x from %start to %end : (tensor<?xf32, #dyn.dims<[n]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Where nothing is known, they are ends, and the run checks that it may be so.
// CHECK-LABEL: func.func @unknown
// CHECK:       dyn.require n <= 2147483647 because "slice: a bound of 32 bits that stands for the end"
// CHECK:       dyn.slice_to {{.*}} -> tensor<?xf32, #dyn.dims<[n]>>
func.func @unknown(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %start = dyn.constant dense<2147483647> : tensor<1xi64>
  %end = dyn.constant dense<-2147483648> : tensor<1xi64>
  %axes = dyn.constant dense<0> : tensor<1xi64>
  %step = dyn.constant dense<-1> : tensor<1xi64>
  %0 = dyn.slice_to %x from %start to %end axes %axes steps %step : (tensor<?xf32, #dyn.dims<[n]>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
