// RUN: dyn-opt %s --dyn-expand-extremes | FileCheck %s

// CHECK-LABEL: func.func @maximum(
// CHECK-SAME:    %[[LHS:.*]]: vector<8xf32>, %[[RHS:.*]]: vector<8xf32>)
// CHECK-DAG:     %[[GREATER:.*]] = arith.cmpf ogt, %[[RHS]], %[[LHS]]
// CHECK-DAG:     %[[EXTREME:.*]] = arith.select %[[GREATER]], %[[RHS]], %[[LHS]]
// CHECK-DAG:     %[[NAN:.*]] = arith.cmpf uno, %[[RHS]], %[[RHS]]
// CHECK:         %[[RESULT:.*]] = arith.select %[[NAN]], %[[RHS]], %[[EXTREME]]
// CHECK:         return %[[RESULT]]
func.func @maximum(%lhs: vector<8xf32>, %rhs: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.maximumf %lhs, %rhs : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @minimum
// CHECK:         arith.cmpf olt, %{{.*}} : f64
// CHECK-NOT:     minimumf
func.func @minimum(%lhs: f64, %rhs: f64) -> f64 {
  %0 = arith.minimumf %lhs, %rhs : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @reduction(
// CHECK-SAME:    %[[V:.*]]: vector<4xf32>, %[[ACC:.*]]: f32)
// CHECK-DAG:     vector.shuffle %[[V]], %[[V]] [0, 1] : vector<4xf32>, vector<4xf32>
// CHECK-DAG:     vector.shuffle %[[V]], %[[V]] [2, 3] : vector<4xf32>, vector<4xf32>
// CHECK:         arith.cmpf ogt, %{{.*}} : vector<2xf32>
// CHECK:         arith.cmpf ogt, %{{.*}} : vector<1xf32>
// CHECK:         arith.cmpf ogt, %{{.*}}, %[[ACC]] : f32
// CHECK-NOT:     vector.reduction
func.func @reduction(%v: vector<4xf32>, %acc: f32) -> f32 {
  %0 = vector.reduction <maximumf>, %v, %acc : vector<4xf32> into f32
  return %0 : f32
}

// CHECK-LABEL: func.func @others
// CHECK:         arith.maximumf %{{.*}} : f16
// CHECK:         vector.reduction <maximumf>, %{{.*}} : vector<3xf32>
// CHECK:         vector.reduction <add>, %{{.*}} : vector<4xf32>
func.func @others(%a: f16, %b: f16, %v: vector<3xf32>, %w: vector<4xf32>) -> (f16, f32, f32) {
  %0 = arith.maximumf %a, %b : f16
  %1 = vector.reduction <maximumf>, %v : vector<3xf32> into f32
  %2 = vector.reduction <add>, %w : vector<4xf32> into f32
  return %0, %1, %2 : f16, f32, f32
}

// What passes over NaN is one comparison if an operand is no NaN, as what a reduction carries.
// CHECK-LABEL: func.func @number
// CHECK:         %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<2xf32>) {
// CHECK-NEXT:      %[[GREATER:.*]] = arith.cmpf ogt, %[[IN:.*]], %[[OLD]]
// CHECK-NEXT:      %[[NEW:.*]] = arith.select %[[GREATER]], %[[IN]], %[[OLD]]
// CHECK-NEXT:      scf.yield %[[NEW]]
// CHECK-NOT:     uno
// CHECK-NOT:     maxnum
func.func @number(%count: index, %in: vector<2xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant dense<0xFF800000> : vector<2xf32>
  %0 = scf.for %i = %zero to %count step %one iter_args(%old = %start) -> (vector<2xf32>) {
    %1 = arith.maxnumf %old, %in : vector<2xf32>
    scf.yield %1 : vector<2xf32>
  }
  %2 = vector.reduction <maxnumf>, %0 : vector<2xf32> into f32
  return %2 : f32
}

// A loop that begins with, or comes to, something else may carry NaN.
// CHECK-LABEL: func.func @no_number
// CHECK-COUNT-2: arith.minnumf
// CHECK:         return
func.func @no_number(%count: index, %in: f32, %start: f32) -> (f32, f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %number = arith.constant 1.0 : f32
  %0 = scf.for %i = %zero to %count step %one iter_args(%old = %start) -> (f32) {
    %1 = arith.minnumf %old, %in : f32
    scf.yield %1 : f32
  }
  %2 = scf.for %i = %zero to %count step %one iter_args(%old = %number) -> (f32) {
    %3 = arith.minnumf %old, %in : f32
    %4 = arith.subf %3, %in : f32
    scf.yield %4 : f32
  }
  return %0, %2 : f32, f32
}
