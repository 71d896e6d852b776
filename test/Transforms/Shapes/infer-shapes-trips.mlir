// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file | FileCheck %s
// RUN: dyn-opt %s -dyn-infer-shapes -dyn-resolve-shape-ops -dyn-verify-shapes -dyn-verify-symbols -split-input-file -o /dev/null

// A number that grows by three in each trip, and has to stay below a size: the trip that reaches it is the last one.
// CHECK-LABEL: func.func @counts_up
// CHECK: dyn.loop {{.*}} -> (tensor<i64>, tensor<?x2xf32, #dyn.dims<[max(N ceildiv 3, 1), 2]>>)
func.func @counts_up(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<2xf32>) -> tensor<?x2xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %size = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %n = dyn.squeeze %size axes [0] : (tensor<1xi64>) -> tensor<i64>
  %0:2 = dyn.loop carrying %zero : (tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %three = dyn.constant dense<3> : tensor<i64>
    %next = dyn.add %count, %three : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %below = dyn.compare lt %next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// A loop that starts where the count is positive, and a limit: the fewer trips count, and may be none.
// CHECK-LABEL: func.func @two_limits
// CHECK: dyn.loop {{.*}} -> (tensor<i64>, tensor<?x2xf32, #dyn.dims<[min(N, max(m, 0)), 2]>>)
func.func @two_limits(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<2xf32>, %m: tensor<i64>) -> tensor<?x2xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], m: [?, ?] from arg2{0}>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %size = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %n = dyn.squeeze %size axes [0] : (tensor<1xi64>) -> tensor<i64>
  %go = dyn.compare lt %zero, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %0:2 = dyn.loop trips %m while %go carrying %zero : (tensor<i64>, tensor<i1>, tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %next = dyn.add %count, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %below = dyn.compare lt %next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// A limit that data give may end the loop before.
// CHECK-LABEL: func.func @limit_from_data
// CHECK-SAME: t0: [0, 9] bound
// CHECK: dyn.loop {{.*}} binds ["t0"] {{.*}} -> (tensor<i64>, tensor<?x2xf32, #dyn.dims<[t0, 2]>>)
func.func @limit_from_data(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<?x2xf32> {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %nine = dyn.constant dense<9> : tensor<i64>
  %largest = dyn.reduce max %x axes [0] : (tensor<4xf32>) -> tensor<f32>
  %m = dyn.cast %largest : (tensor<f32>) -> tensor<i64>
  %0:2 = dyn.loop trips %m carrying %zero : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %next = dyn.add %count, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %below = dyn.compare lt %next, %nine : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// So may one that stands beside slices.
// CHECK-LABEL: func.func @limit_beside_slices
// CHECK: dyn.loop {{.*}} binds ["t0"] {{.*}} -> tensor<?x2xf32, #dyn.dims<[t0, 2]>>
func.func @limit_beside_slices(%x: tensor<4xf32>, %y: tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x2xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0]>} {
  %largest = dyn.reduce max %x axes [0] : (tensor<4xf32>) -> tensor<f32>
  %m = dyn.cast %largest : (tensor<f32>) -> tensor<i64>
  %0 = dyn.loop trips %m slicing %y : (tensor<i64>, tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x2xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %row: tensor<2xf32>):
    dyn.yield %still, %row : tensor<i1>, tensor<2xf32>
  }
  return %0 : tensor<?x2xf32>
}

// -----

// A number that falls; no trip tells the next one to start where it is not above zero.
// CHECK-LABEL: func.func @counts_down
// CHECK: dyn.loop {{.*}} -> (tensor<i64>, tensor<?x2xf32, #dyn.dims<[max(N floordiv 2, 1), 2]>>)
func.func @counts_down(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<2xf32>) -> tensor<?x2xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1> : tensor<i64>
  %two = dyn.constant dense<2> : tensor<i64>
  %size = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %n = dyn.squeeze %size axes [0] : (tensor<1xi64>) -> tensor<i64>
  %0:2 = dyn.loop carrying %n : (tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %next = dyn.sub %count, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %above = dyn.compare lt %one, %next : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %above, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// A number that moves away from what it is compared with, and one that stays, tell nothing.
// CHECK-LABEL: func.func @counts_away
// CHECK: dyn.loop {{.*}} binds ["t0"]
// CHECK: dyn.loop {{.*}} binds ["t{{.*}}"]
func.func @counts_away(%x: tensor<?xf32, #dyn.dims<[N]>>, %y: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1> : tensor<i64>
  %two = dyn.constant dense<2> : tensor<i64>
  %size = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %n = dyn.squeeze %size axes [0] : (tensor<1xi64>) -> tensor<i64>
  %0:2 = dyn.loop carrying %one : (tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %next = dyn.sub %count, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %below = dyn.compare lt %next, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  %1:2 = dyn.loop carrying %one : (tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %below = dyn.compare lt %count, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %count, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1, %1#1 : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// A number of 32 bits that wraps around is below again: there may be more trips.
// CHECK-LABEL: func.func @wraps_around
// CHECK: dyn.loop {{.*}} binds ["t0"]
func.func @wraps_around(%y: tensor<2xf32>) -> tensor<?x2xf32> {
  %zero = dyn.constant dense<0> : tensor<i32>
  %step = dyn.constant dense<1073741824> : tensor<i32>
  %end = dyn.constant dense<2147483647> : tensor<i32>
  %0:2 = dyn.loop carrying %zero : (tensor<i32>) -> (tensor<i32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i32>):
    %next = dyn.add %count, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %below = dyn.compare lt %next, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// So is one of 64 bits.
// CHECK-LABEL: func.func @wraps_around_late
// CHECK: dyn.loop {{.*}} binds ["t0"]
func.func @wraps_around_late(%y: tensor<2xf32>) -> tensor<?x2xf32> {
  %zero = dyn.constant dense<0> : tensor<i64>
  %step = dyn.constant dense<4611686018427387904> : tensor<i64>
  %end = dyn.constant dense<9223372036854775807> : tensor<i64>
  %0:2 = dyn.loop carrying %zero : (tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %next = dyn.add %count, %step : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %below = dyn.compare lt %next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// A step that the trips change is none.
// CHECK-LABEL: func.func @doubles
// CHECK: dyn.loop {{.*}} binds ["t0"]
func.func @doubles(%y: tensor<2xf32>) -> tensor<?x2xf32> {
  %one = dyn.constant dense<1> : tensor<i64>
  %end = dyn.constant dense<100> : tensor<i64>
  %0:2 = dyn.loop carrying %one : (tensor<i64>) -> (tensor<i64>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %count: tensor<i64>):
    %next = dyn.add %count, %count : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %below = dyn.compare lt %next, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %next, %y : tensor<i1>, tensor<i64>, tensor<2xf32>
  }
  return %0#1 : tensor<?x2xf32>
}

// -----

// The number of the trip counts as well. What data decide may end a loop before; a branch may as well.
// CHECK-LABEL: func.func @ends_before
// CHECK-SAME: t0: [0, 8] bound
// CHECK: dyn.loop {{.*}} -> tensor<8x2xf32>
// CHECK: dyn.loop binds ["t0"] {{.*}} -> tensor<?x2xf32, #dyn.dims<[t0, 2]>>
// CHECK: dyn.loop {{.*}} -> tensor<1x2xf32>
func.func @ends_before(%y: tensor<2xf32>, %c: tensor<i1>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %seven = dyn.constant dense<7> : tensor<i64>
  %no = dyn.constant dense<false> : tensor<i1>
  %0 = dyn.loop : () -> tensor<?x2xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    %below = dyn.compare lt %i, %seven : (tensor<i64>, tensor<i64>) -> tensor<i1>
    dyn.yield %below, %y : tensor<i1>, tensor<2xf32>
  }
  %1 = dyn.loop : () -> tensor<?x2xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    %below = dyn.compare lt %i, %seven : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %both = dyn.if %below : (tensor<i1>) -> tensor<i1> {
      dyn.yield %c : tensor<i1>
    } else {
      dyn.yield %no : tensor<i1>
    }
    dyn.yield %both, %y : tensor<i1>, tensor<2xf32>
  }
  %2 = dyn.loop : () -> tensor<?x2xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>):
    dyn.yield %no, %y : tensor<i1>, tensor<2xf32>
  }
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
