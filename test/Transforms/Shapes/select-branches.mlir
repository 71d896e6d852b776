// RUN: dyn-opt %s -dyn-infer-shapes -dyn-select-branches -split-input-file | FileCheck %s

// Both are computed; what one of them hands on as it is stays so. The condition may be a vector of one element.
// CHECK-LABEL: func.func @both
// CHECK-NOT: dyn.if
// CHECK: %[[NEG:.*]] = dyn.neg %arg1
// CHECK: %[[C:.*]] = dyn.reshape %arg0 : tensor<1xi1> to tensor<i1>
// CHECK: %[[R:.*]] = dyn.select %[[C]], %[[NEG]], %arg1 {{.*}} -> tensor<?xf32, #dyn.dims<[M]>>
// CHECK: return %[[R]], %arg1
func.func @both(%c: tensor<1xi1>, %x: tensor<?xf32, #dyn.dims<[M]>>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[0]>} {
  %0:2 = dyn.if %c : (tensor<1xi1>) -> (tensor<?xf32>, tensor<?xf32>) {
    %1 = dyn.neg %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    dyn.yield %1, %x : tensor<?xf32>, tensor<?xf32, #dyn.dims<[M]>>
  } else {
    dyn.yield %x, %x : tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Branches in branches; an index that is inside whatever is taken.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: dyn.if
// CHECK: dyn.gather {{.*}}{in_bounds}
// CHECK-COUNT-2: dyn.select
func.func @nested(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<4xf32>) -> tensor<f32> {
  %two = dyn.constant dense<2> : tensor<i64>
  %zero = dyn.constant dense<0.0> : tensor<f32>
  %one = dyn.constant dense<1.0> : tensor<f32>
  %0 = dyn.if %c : (tensor<i1>) -> tensor<f32> {
    %1 = dyn.if %d : (tensor<i1>) -> tensor<f32> {
      %2 = dyn.gather %x, %two axis 0 : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
      dyn.yield %2 : tensor<f32>
    } else {
      dyn.yield %zero : tensor<f32>
    }
    dyn.yield %1 : tensor<f32>
  } else {
    dyn.yield %one : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// An index from data, a division by data, a need that only one branch has, or that its condition sees to, and results
// of other dims: not both are run.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-5: dyn.if
func.func @stays(%c: tensor<i1>, %x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>,
                 %i: tensor<1xi64>, %n: tensor<?xi64, #dyn.dims<[M]>>)
    -> (tensor<1xf32>, tensor<?xi64>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [2, ?] from arg1[0], N: [2, ?] from arg2[0]>} {
  %zero = dyn.constant dense<0.0> : tensor<1xf32>
  %m = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %k = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %same = dyn.compare eq %m, %k : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<i1>) -> tensor<1xf32> {
    %1 = dyn.gather %x, %i axis 0 : (tensor<?xf32, #dyn.dims<[M]>>, tensor<1xi64>) -> tensor<1xf32>
    dyn.yield %1 : tensor<1xf32>
  } else {
    dyn.yield %zero : tensor<1xf32>
  }
  %2 = dyn.if %c : (tensor<i1>) -> tensor<?xi64> {
    %3 = dyn.div %n, %n : (tensor<?xi64, #dyn.dims<[M]>>, tensor<?xi64, #dyn.dims<[M]>>) -> tensor<?xi64>
    dyn.yield %3 : tensor<?xi64>
  } else {
    dyn.yield %n : tensor<?xi64, #dyn.dims<[M]>>
  }
  %4 = dyn.if %c : (tensor<i1>) -> tensor<?xf32> {
    %5 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    dyn.yield %5 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  %6 = dyn.if %same : (tensor<1xi1>) -> tensor<?xf32> {
    %7 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    dyn.yield %7 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  %8 = dyn.if %c : (tensor<i1>) -> tensor<?xf32> {
    dyn.yield %y : tensor<?xf32, #dyn.dims<[N]>>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0, %2, %4, %6, %8 : tensor<1xf32>, tensor<?xi64>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// A need that is stricter than that of an op behind the branch, and would stand in for it: not both are run.
// CHECK-LABEL: func.func @stricter
// CHECK: dyn.require M == min(M, 16)
// CHECK: dyn.if
func.func @stricter(%c: tensor<i1>, %x: tensor<?xf32, #dyn.dims<[M]>>, %few: tensor<8xf32>, %many: tensor<16xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) attributes {dyn.symbols = #dyn.symbols<M: [2, ?] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %m = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %0 = dyn.if %c : (tensor<i1>) -> tensor<?xf32> {
    %1 = dyn.slice_to %few from %zero to %m : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
    %2 = dyn.add %x, %1 : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32>) -> tensor<?xf32>
    dyn.yield %2 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  %3 = dyn.slice_to %many from %zero to %m : (tensor<16xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %4 = dyn.add %x, %3 : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %4 : tensor<?xf32>, tensor<?xf32>
}
