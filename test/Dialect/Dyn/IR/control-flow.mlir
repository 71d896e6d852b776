// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --emit-bytecode | dyn-opt | FileCheck %s

// CHECK-LABEL: func.func @branches
// CHECK: dyn.if %{{.*}} binds ["u0"] : (tensor<i1>) -> tensor<?x3xf32> {
// CHECK: dyn.yield %{{.*}} : tensor<4x3xf32>
// CHECK: } else {
// CHECK: dyn.yield %{{.*}} : tensor<2x3xf32>
func.func @branches(%c: tensor<i1>, %x: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %0 = dyn.if %c binds ["u0"] : (tensor<i1>) -> tensor<?x3xf32> {
    %1 = dyn.concat 0 (%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    dyn.yield %1 : tensor<4x3xf32>
  } else {
    dyn.yield %x : tensor<2x3xf32>
  }
  return %0 : tensor<?x3xf32>
}

// A branch without results, and a branch of another rank.
// CHECK-LABEL: func.func @ranks
// CHECK: dyn.if %{{.*}} : (tensor<1xi1>) -> () {
// CHECK: dyn.if %{{.*}} : (tensor<1xi1>) -> tensor<*xf32> {
func.func @ranks(%c: tensor<1xi1>, %x: tensor<3xf32>, %y: tensor<f32>) -> tensor<*xf32> {
  dyn.if %c : (tensor<1xi1>) -> () {
    dyn.yield
  } else {
    dyn.yield
  }
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<*xf32> {
    dyn.yield %x : tensor<3xf32>
  } else {
    dyn.yield %y : tensor<f32>
  }
  return %0 : tensor<*xf32>
}

// CHECK-LABEL: func.func @loop
// CHECK: dyn.loop trips %{{.*}} while %{{.*}} carrying %{{.*}} slicing %{{.*}} binds ["t0"] counting "i0"
// CHECK-SAME: (tensor<i64>, tensor<i1>, tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>) {
// CHECK: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>):
// CHECK: dyn.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<3xf32>, tensor<3xf32>
func.func @loop(%m: tensor<i64>, %go: tensor<i1>, %x: tensor<3xf32>, %y: tensor<5x3xf32>) -> tensor<?x3xf32> {
  %0:2 = dyn.loop trips %m while %go carrying %x slicing %y binds ["t0"] counting "i0"
      : (tensor<i64>, tensor<i1>, tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<3xf32>, %q: tensor<3xf32>):
    %1 = dyn.add %p, %q : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    dyn.yield %still, %1, %p : tensor<i1>, tensor<3xf32>, tensor<3xf32>
  }
  return %0#1 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @forever
// CHECK: dyn.loop : () -> tensor<?xi64> {
func.func @forever() -> tensor<?xi64> {
  %0 = dyn.loop : () -> tensor<?xi64> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    dyn.yield %still, %i : tensor<i1>, tensor<i64>
  }
  return %0 : tensor<?xi64>
}
