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
