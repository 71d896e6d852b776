// RUN: dyn-opt %s -dyn-infer-shapes -dyn-minimize-guards -split-input-file -verify-diagnostics | FileCheck %s
// RUN: dyn-opt %s -dyn-infer-shapes -dyn-resolve-shape-ops -dyn-minimize-guards -dyn-verify-shapes -dyn-verify-symbols -split-input-file -verify-diagnostics

// What both branches give is kept; another dim is a symbol with the join of what is known of it.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: u0: [0, 16] mod 2 bound
// CHECK: dyn.if %{{.*}} binds ["u0"] : (tensor<i1>) -> tensor<?x?xf32, #dyn.dims<[u0, N]>>
// CHECK: dyn.concat {{.*}} -> tensor<?x?xf32, #dyn.dims<[2 * M, N]>>
func.func @branches(%c: tensor<i1>, %x: tensor<?x?xf32, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, 8] mod 2 from arg1[0], N: [0, ?] from arg1[1]>} {
  %0 = dyn.if %c : (tensor<i1>) -> tensor<?x?xf32> {
    %1 = dyn.concat 0 (%x, %x) : (tensor<?x?xf32, #dyn.dims<[M, N]>>, tensor<?x?xf32, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    %1 = dyn.neg %x : (tensor<?x?xf32, #dyn.dims<[M, N]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// -----

// A fact of a branch is none behind it, and none of the other's: no guard says M == N.
// CHECK-LABEL: func.func @scoped_facts
// CHECK-NOT: dyn.require
// CHECK: dyn.if %{{.*}} : (tensor<i1>) -> tensor<?xf32, #dyn.dims<[M]>>
func.func @scoped_facts(%c: tensor<i1>, %x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [2, ?] from arg1[0], N: [2, ?] from arg2[0]>} {
  %0 = dyn.if %c : (tensor<i1>) -> tensor<?xf32> {
    %1 = dyn.add %x, %y : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    dyn.yield %1 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0 : tensor<?xf32>
}

// -----

// Where sizes decide the branch, they decide the size of its result.
// CHECK-LABEL: func.func @size_decides
// CHECK-SAME: u0: [0, ?] = {{.*}}M
// CHECK: dyn.if %{{.*}} -> tensor<?xf32, #dyn.dims<[u0]>>
func.func @size_decides(%x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  %four = dyn.constant dense<4> : tensor<1xi64>
  %d = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %c = dyn.compare lt %d, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<?xf32> {
    %1 = dyn.concat 0 (%x, %x) : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    dyn.yield %1 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0 : tensor<?xf32>
}

// -----

// A choice between booleans is a condition as well.
// CHECK-LABEL: func.func @chosen_condition
// CHECK: %[[OUTER:.*]] = dyn.if
// CHECK-NOT: dyn.if
// CHECK: return
func.func @chosen_condition(%x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %four = dyn.constant dense<4> : tensor<1xi64>
  %m = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %n = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %few = dyn.compare lt %m, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %many = dyn.compare gt %n, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %equal = dyn.compare eq %m, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %no = dyn.constant dense<false> : tensor<1xi1>
  %c = dyn.select %few, %many, %no : (tensor<1xi1>, tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<?xf32> {
    %1 = dyn.if %equal : (tensor<1xi1>) -> tensor<?xf32> {
      %2 = dyn.concat 0 (%x, %x) : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
      dyn.yield %2 : tensor<?xf32>
    } else {
      dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
    }
    dyn.yield %1 : tensor<?xf32>
  } else {
    dyn.yield %y : tensor<?xf32, #dyn.dims<[N]>>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @ranks(%c: tensor<i1>, %x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[0]>} {
  // expected-error @below {{the rank of result 0 can't be found before the run: a value of rank 2 in one branch, of rank 1 in the other}}
  %0 = dyn.if %c : (tensor<i1>) -> tensor<*xf32> {
    %1 = dyn.unsqueeze %x axes [0] : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0 : tensor<*xf32>
}

// -----

// A carried dim stays as it is, grows by the same step in each trip, or is anything.
// CHECK-LABEL: func.func @carried
// CHECK: dyn.loop {{.*}} binds ["c1", "u0"] {{.*}} -> (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[N * trips + M]>>, tensor<?xf32, #dyn.dims<[u0]>>, tensor<?x?xf32, #dyn.dims<[trips, M]>>)
// CHECK: ^bb0({{.*}}: tensor<?xf32, #dyn.dims<[M]>>, %{{.*}}: tensor<?xf32, #dyn.dims<[N * i0 + M]>>, %{{.*}}: tensor<?xf32, #dyn.dims<[c1]>>):
func.func @carried(%m: tensor<i64>, %x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[0], N: [0, ?] from arg2[0], trips: [0, 100] from arg0{0}>} {
  %0:4 = dyn.loop trips %m carrying %x, %x, %x : (tensor<i64>, tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[M]>>)
      -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>):
    %1 = dyn.neg %a : (tensor<?xf32>) -> tensor<?xf32>
    %2 = dyn.concat 0 (%b, %y) : (tensor<?xf32>, tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    %3 = dyn.concat 0 (%c, %c) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    dyn.yield %still, %1, %2, %3, %a : tensor<i1>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>
}

// -----

// Slices tell the number of trips; a condition that data decide makes it a symbol.
// CHECK-LABEL: func.func @trips
// CHECK: dyn.require N == N2
// CHECK: dyn.loop slicing {{.*}} -> tensor<?x?xf32, #dyn.dims<[N, M]>>
// CHECK: dyn.loop slicing {{.*}} binds ["t0"] {{.*}} -> tensor<?x?xf32, #dyn.dims<[t0, M]>>
func.func @trips(%x: tensor<?x?xf32, #dyn.dims<[N, M]>>, %y: tensor<?xi1, #dyn.dims<[N2]>>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], M: [0, ?] from arg0[1], N2: [0, ?] from arg1[0]>} {
  %0 = dyn.loop slicing %x, %y : (tensor<?x?xf32, #dyn.dims<[N, M]>>, tensor<?xi1, #dyn.dims<[N2]>>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>, %q: tensor<i1>):
    dyn.yield %still, %p : tensor<i1>, tensor<?xf32>
  }
  %1 = dyn.loop slicing %x, %y : (tensor<?x?xf32, #dyn.dims<[N, M]>>, tensor<?xi1, #dyn.dims<[N2]>>) -> tensor<?x?xf32> {
  ^bb0(%i: tensor<i64>, %still: tensor<i1>, %p: tensor<?xf32>, %q: tensor<i1>):
    dyn.yield %q, %p : tensor<i1>, tensor<?xf32>
  }
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A branch that sizes decide stands without the question.
// CHECK-LABEL: func.func @decided
// CHECK-NOT: dyn.if
// CHECK: dyn.concat {{.*}} -> tensor<?xf32, #dyn.dims<[2 * M]>>
// CHECK-NEXT: return
func.func @decided(%x: tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, 3] from arg0[0]>} {
  %four = dyn.constant dense<4> : tensor<1xi64>
  %d = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<1xi64>
  %c = dyn.compare lt %d, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %c : (tensor<1xi1>) -> tensor<?xf32> {
    %1 = dyn.concat 0 (%x, %x) : (tensor<?xf32, #dyn.dims<[M]>>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    dyn.yield %1 : tensor<?xf32>
  } else {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  }
  return %0 : tensor<?xf32>
}

// -----

// A size in a branch is evaluated at entry: what holds in the branch only is no fact of it.
// CHECK-LABEL: func.func @inner_size
// CHECK-SAME: u0: [0, ?] mod 4 = {{.*}}M
// CHECK: dyn.if %{{.*}} -> tensor<?xf32, #dyn.dims<[u0]>>
func.func @inner_size(%x: tensor<?xf32, #dyn.dims<[4 * M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], N: [0, ?] from arg1[0]>} {
  %one = dyn.constant dense<1> : tensor<1xi64>
  %twelve = dyn.constant dense<12> : tensor<1xi64>
  %m = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[4 * M]>>) -> tensor<1xi64>
  %n = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<1xi64>
  %few = dyn.compare lt %m, %twelve : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %inner = dyn.compare lt %n, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %0 = dyn.if %few : (tensor<1xi1>) -> tensor<?xf32> {
    %1 = dyn.if %inner : (tensor<1xi1>) -> tensor<?xf32> {
      %2 = dyn.concat 0 (%x, %x) : (tensor<?xf32, #dyn.dims<[4 * M]>>, tensor<?xf32, #dyn.dims<[4 * M]>>) -> tensor<?xf32>
      dyn.yield %2 : tensor<?xf32>
    } else {
      dyn.yield %x : tensor<?xf32, #dyn.dims<[4 * M]>>
    }
    %3 = dyn.neg %1 : (tensor<?xf32>) -> tensor<?xf32>
    dyn.yield %3 : tensor<?xf32>
  } else {
    dyn.yield %y : tensor<?xf32, #dyn.dims<[N]>>
  }
  return %0 : tensor<?xf32>
}

// -----

// A size that a branch decides keeps its symbol where a guard behind it says which one it must be.
// CHECK-LABEL: func.func @guarded_size
// CHECK-NOT: dyn.require
// CHECK: dyn.if %{{.*}} binds ["u0"] : (tensor<i1>) -> tensor<1x?xf32, #dyn.dims<[1, u0]>>
// CHECK: dyn.require u0 == N because "matmul: contraction"
// CHECK-NEXT: dyn.matmul
func.func @guarded_size(%c: tensor<i1>, %x: tensor<1x?xf32, #dyn.dims<[1, M]>>, %y: tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg1[1], N: [0, ?] from arg2[0]>} {
  %0 = dyn.if %c : (tensor<i1>) -> tensor<?x?xf32> {
    %1 = dyn.concat 1 (%x, %x) : (tensor<1x?xf32, #dyn.dims<[1, M]>>, tensor<1x?xf32, #dyn.dims<[1, M]>>) -> tensor<?x?xf32>
    dyn.yield %1 : tensor<?x?xf32>
  } else {
    dyn.yield %x : tensor<1x?xf32, #dyn.dims<[1, M]>>
  }
  %2 = dyn.matmul %0, %y : (tensor<?x?xf32>, tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// A branch that every run takes goes where it was: the sizes that data decide inside of it are those behind it.
// CHECK-LABEL: func.func @taken_around_data
// CHECK-NOT: dyn.require
// CHECK: %[[INNER:.*]] = dyn.if %{{.*}} binds ["u0"] : (tensor<i1>) -> tensor<?x2xf32, #dyn.dims<[u0, 2]>>
// CHECK: dyn.neg %[[INNER]] : (tensor<?x2xf32, #dyn.dims<[u0, 2]>>) -> tensor<?x2xf32, #dyn.dims<[u0, 2]>>
func.func @taken_around_data(%c: tensor<i1>, %x: tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0]>} {
  %yes = dyn.constant dense<true> : tensor<i1>
  %0 = dyn.if %yes : (tensor<i1>) -> tensor<?x?xf32> {
    %2 = dyn.if %c : (tensor<i1>) -> tensor<?x?xf32> {
      %3 = dyn.concat 0 (%x, %x) : (tensor<?x2xf32, #dyn.dims<[N, 2]>>, tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x?xf32>
      dyn.yield %3 : tensor<?x?xf32>
    } else {
      dyn.yield %x : tensor<?x2xf32, #dyn.dims<[N, 2]>>
    }
    dyn.yield %2 : tensor<?x?xf32>
  } else {
    %2 = dyn.neg %x : (tensor<?x2xf32, #dyn.dims<[N, 2]>>) -> tensor<?x2xf32>
    dyn.yield %2 : tensor<?x2xf32>
  }
  %1 = dyn.neg %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// What decides a branch or a loop is one element.
// CHECK-LABEL: func.func @conditions
// CHECK-DAG: dyn.require K == 1 because "elements of the condition"
// CHECK-DAG: dyn.require T == 1 because "elements of the number of trips"
func.func @conditions(%c: tensor<?xi1, #dyn.dims<[K]>>, %n: tensor<?xi64, #dyn.dims<[T]>>, %x: tensor<?xf32, #dyn.dims<[M]>>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<K: [0, ?] from arg0[0], T: [0, ?] from arg1[0], M: [0, ?] from arg2[0]>} {
  %0 = dyn.if %c : (tensor<?xi1, #dyn.dims<[K]>>) -> tensor<?xf32> {
    dyn.yield %x : tensor<?xf32, #dyn.dims<[M]>>
  } else {
    %2 = dyn.neg %x : (tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32>
    dyn.yield %2 : tensor<?xf32>
  }
  %1 = dyn.loop trips %n carrying %x : (tensor<?xi64, #dyn.dims<[T]>>, tensor<?xf32, #dyn.dims<[M]>>) -> tensor<?xf32> {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %carried: tensor<?xf32>):
    %2 = dyn.neg %carried : (tensor<?xf32>) -> tensor<?xf32>
    dyn.yield %go, %2 : tensor<i1>, tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
