// RUN: dyn-opt %s --dyn-infer-shapes=open -split-input-file | FileCheck %s
// RUN: not dyn-opt %s --dyn-infer-shapes -split-input-file 2>&1 | FileCheck %s --check-prefix=CLOSED

// A size that data determine is a symbol, at most what the op can give; a guard that mentions it stands behind the op.
// CLOSED: dim 0 of result 0 depends on the elements of operand 2
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: u0: [0, 9] bound
// CHECK: %[[PART:.*]] = dyn.slice_to {{.*}} -> tensor<?xf32, #dyn.dims<[u0]>>
// CHECK-NEXT: dyn.require u0 == N or u0 == 1 or N == 1 because "add"
// CHECK: dyn.add
func.func @bounded(%x: tensor<9xf32>, %end: tensor<1xf32>, %w: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg2[0]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %place = dyn.cast %end : (tensor<1xf32>) -> tensor<1xi64>
  %part = dyn.slice_to %x from %zero to %place : (tensor<9xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %sum = dyn.add %part, %w : (tensor<?xf32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// A rank that only a run tells stays open, and so does what follows from it.
// CLOSED: the rank of result 0 can't be found before the run
// CHECK-LABEL: func.func @unranked
// CHECK: dyn.reshape_to {{.*}} -> tensor<*xf32>
// CHECK: dyn.neg {{.*}} -> tensor<*xf32>
func.func @unranked(%x: tensor<4xf32>, %shape: tensor<?xi64, #dyn.dims<[R]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<R: [0, ?] from arg1[0]>} {
  %y = dyn.reshape_to %x, %shape : (tensor<4xf32>, tensor<?xi64, #dyn.dims<[R]>>) -> tensor<*xf32>
  %z = dyn.neg %y : (tensor<*xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}

// -----

// A constant times what data say is not the square of the constant.
// CHECK-LABEL: func.func @constant_times_data
// CHECK: dyn.full_to {{.*}} -> tensor<?xf32, #dyn.dims<[u0]>>
func.func @constant_times_data(%scale: tensor<1xf32>) -> tensor<?xf32> {
  %two = dyn.constant dense<2.0> : tensor<1xf32>
  %product = dyn.mul %two, %scale : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %floor = dyn.floor %product : (tensor<1xf32>) -> tensor<1xf32>
  %size = dyn.cast %floor : (tensor<1xf32>) -> tensor<1xi64>
  %0 = dyn.full_to %size value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What a later op makes of the broadcast of such a size has no value before the run either.
// CHECK-LABEL: func.func @decided_later
// CHECK-NOT: dyn.require
// CHECK: dyn.slice_to
// CHECK-NEXT: dyn.require N == bcast(N, u0)
// CHECK-NEXT: dyn.require u0 == N or u0 == 1 or N == 1 because "add"
// CHECK: dyn.concat
func.func @decided_later(%x: tensor<9x4xf32>, %end: tensor<1xf32>, %w: tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg2[0]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %place = dyn.cast %end : (tensor<1xf32>) -> tensor<1xi64>
  %part = dyn.slice_to %x from %zero to %place : (tensor<9x4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  %sum = dyn.add %part, %w : (tensor<?x?xf32>, tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> tensor<?x?xf32>
  %both = dyn.concat 1 (%sum, %w) : (tensor<?x?xf32>, tensor<?x4xf32, #dyn.dims<[N, 4]>>) -> tensor<?x?xf32>
  return %both : tensor<?x?xf32>
}
