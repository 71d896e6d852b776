// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @condition(%c: tensor<2xi1>) {
  // expected-error @below {{'dyn.if' op (1) 'condition' is 'tensor<2xi1>', expected one element}}
  dyn.if %c : (tensor<2xi1>) -> () {
    dyn.yield
  } else {
    dyn.yield
  }
  return
}

// -----

func.func @counts(%c: tensor<i1>, %x: tensor<3xf32>) {
  // expected-error @below {{'dyn.if' op (2) the 'else' region yields 0 values for 1 results}}
  %0 = dyn.if %c : (tensor<i1>) -> tensor<3xf32> {
    dyn.yield %x : tensor<3xf32>
  } else {
    dyn.yield
  }
  return
}

// -----

func.func @types(%c: tensor<i1>, %x: tensor<3xf32>, %y: tensor<3xi32>) {
  // expected-error @below {{'dyn.if' op (2) the 'else' region yields 'tensor<3xi32>' for result 0, 'tensor<3xf32>'}}
  %0 = dyn.if %c : (tensor<i1>) -> tensor<3xf32> {
    dyn.yield %x : tensor<3xf32>
  } else {
    dyn.yield %y : tensor<3xi32>
  }
  return
}

// -----

func.func @loop_arguments(%m: tensor<i64>) {
  // expected-error @below {{'dyn.loop' op (2) the region has 1 arguments, expected 2}}
  dyn.loop trips %m : (tensor<i64>) -> () {
  ^bb0(%i: tensor<i64>):
    %0 = dyn.constant dense<true> : tensor<i1>
    dyn.yield %0 : tensor<i1>
  }
  return
}

// -----

func.func @loop_counts(%m: tensor<i64>, %x: tensor<3xf32>) {
  // expected-error @below {{'dyn.loop' op (3) the region yields 1 values; 1 are carried, and there are 1 results}}
  %0 = dyn.loop trips %m carrying %x : (tensor<i64>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<3xf32>):
    dyn.yield %still : tensor<i1>
  }
  return
}

// -----

func.func @loop_condition(%m: tensor<i64>) {
  // expected-error @below {{'dyn.loop' op (3) the condition that the region yields is 'tensor<i64>'}}
  dyn.loop trips %m : (tensor<i64>) -> () {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    dyn.yield %i : tensor<i64>
  }
  return
}

// -----

func.func @carried(%m: tensor<i64>, %x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'dyn.loop' op (4) the yield of carried value 0 is 'tensor<4xf32>', its argument 'tensor<3xf32>'}}
  %0 = dyn.loop trips %m carrying %x : (tensor<i64>, tensor<3xf32>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<3xf32>):
    dyn.yield %still, %y : tensor<i1>, tensor<4xf32>
  }
  return
}

// -----

func.func @stack(%m: tensor<i64>, %x: tensor<3xf32>) {
  // expected-error @below {{'dyn.loop' op (5) 'stack 0' has rank 1, expected 2}}
  %0 = dyn.loop trips %m : (tensor<i64>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    dyn.yield %still, %x : tensor<i1>, tensor<3xf32>
  }
  return
}

// -----

func.func @lengths(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'dyn.loop' op (6) the first dims of sliced tensors are 3 and 4}}
  dyn.loop slicing %x, %y : (tensor<3xf32>, tensor<4xf32>) -> () {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<f32>, %q: tensor<f32>):
    dyn.yield %still : tensor<i1>
  }
  return
}
