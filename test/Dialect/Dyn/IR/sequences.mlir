// RUN: dyn-opt --split-input-file %s | dyn-opt --split-input-file | FileCheck %s
// RUN: not dyn-opt --split-input-file --dyn-infer-shapes %s 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: dyn-opt --split-input-file --dyn-infer-shapes=open %s | FileCheck %s --check-prefix=OPEN

// CLOSED: node 'pair' (dyn.sequence_make): only a run tells what is in result 0, a sequence; `dyn-run --reference` runs the model

// CHECK-LABEL: func.func @sequences
// OPEN-LABEL: func.func @sequences
func.func @sequences(%x: tensor<2x3xf32>, %place: tensor<i64>) -> (tensor<*xf32>, tensor<i64>) {
  // CHECK: dyn.sequence_make %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> !dyn.sequence<tensor<*xf32>>
  %pair = dyn.sequence_make %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> !dyn.sequence<tensor<*xf32>> loc("pair")
  // CHECK: dyn.sequence_insert
  %more = dyn.sequence_insert %pair, %x, %place : (!dyn.sequence<tensor<*xf32>>, tensor<2x3xf32>, tensor<i64>) -> !dyn.sequence<tensor<*xf32>>
  // CHECK: dyn.sequence_erase
  %less = dyn.sequence_erase %more : (!dyn.sequence<tensor<*xf32>>) -> !dyn.sequence<tensor<*xf32>>
  // CHECK: dyn.sequence_length
  %length = dyn.sequence_length %less : (!dyn.sequence<tensor<*xf32>>) -> tensor<i64>
  // CHECK: dyn.sequence_join {{.*}} {axis = 0 : i64, new_axis}
  // OPEN: dyn.sequence_join {{.*}} -> tensor<2x2x3xf32>
  %whole = dyn.sequence_join %less {axis = 0, new_axis} : (!dyn.sequence<tensor<*xf32>>) -> tensor<*xf32>
  return %whole, %length : tensor<*xf32>, tensor<i64>
}

// -----

// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<2x3xf32>, %place: tensor<i64>, %sizes: tensor<2xi64>) -> tensor<*xf32> {
  // CHECK: dyn.sequence_split %{{.*}}, %{{.*}} {axis = -1 : i64}
  %parts = dyn.sequence_split %x, %sizes {axis = -1} : (tensor<2x3xf32>, tensor<2xi64>) -> !dyn.sequence<tensor<*xf32>>
  // CHECK: dyn.sequence_at
  %part = dyn.sequence_at %parts, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<*xf32>
  return %part : tensor<*xf32>
}

// CHECK-LABEL: func.func @optionals
func.func @optionals(%x: tensor<2x3xf32>) -> (tensor<i1>, tensor<i1>, tensor<2x3xf32>) {
  %list = dyn.sequence_make : () -> !dyn.sequence<tensor<*xf32>>
  // CHECK: dyn.optional_some {{.*}} -> !dyn.optional<!dyn.sequence<tensor<*xf32>>>
  %some = dyn.optional_some %list : (!dyn.sequence<tensor<*xf32>>) -> !dyn.optional<!dyn.sequence<tensor<*xf32>>>
  // CHECK: dyn.optional_has
  %has = dyn.optional_has %some : (!dyn.optional<!dyn.sequence<tensor<*xf32>>>) -> tensor<i1>
  // CHECK: dyn.optional_none : () -> !dyn.optional<tensor<*xf32>>
  %none = dyn.optional_none : () -> !dyn.optional<tensor<*xf32>>
  %hasNone = dyn.optional_has %none : (!dyn.optional<tensor<*xf32>>) -> tensor<i1>
  %tensor = dyn.optional_some %x : (tensor<2x3xf32>) -> !dyn.optional<tensor<*xf32>>
  // CHECK: dyn.optional_get {{.*}} -> tensor<2x3xf32>
  %got = dyn.optional_get %tensor : (!dyn.optional<tensor<*xf32>>) -> tensor<2x3xf32>
  return %has, %hasNone, %got : tensor<i1>, tensor<i1>, tensor<2x3xf32>
}

// -----

// What is in a branch is no more known than what is outside.
// CLOSED: node 'inner' (dyn.sequence_split): only a run tells what is in result 0
func.func @branch(%x: tensor<2x3xf32>, %place: tensor<i64>, %condition: tensor<i1>) -> tensor<2x3xf32> {
  %y = dyn.if %condition : (tensor<i1>) -> tensor<2x3xf32> {
    %parts = dyn.sequence_split %x {axis = 0} : (tensor<2x3xf32>) -> !dyn.sequence<tensor<*xf32>> loc("inner")
    %part = dyn.sequence_at %parts, %place : (!dyn.sequence<tensor<*xf32>>, tensor<i64>) -> tensor<2x3xf32>
    dyn.yield %part : tensor<2x3xf32>
  } else {
    dyn.yield %x : tensor<2x3xf32>
  }
  return %y : tensor<2x3xf32>
}
