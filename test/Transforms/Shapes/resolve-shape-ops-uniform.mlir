// Tensors all of whose elements are one number, for their intervals say so, and ops that change nothing.
// RUN: dyn-opt %s --pass-pipeline='builtin.module(func.func(dyn-infer-shapes,dyn-resolve-shape-ops))' -split-input-file | FileCheck %s

// Fires: positions are not negative, so that `and` keeps the mask; a disjunction with it is always true.
// CHECK-LABEL: func.func @compared
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<?xi1
// CHECK: %[[T:.*]] = dyn.full value(true) : tensor<?xi1, #dyn.dims<[S]>>
// CHECK-NOT: dyn.{{compare|and|or}}
// CHECK: return %[[M]], %[[T]]
func.func @compared(%m: tensor<?xi1, #dyn.dims<[S]>>) -> (tensor<?xi1>, tensor<?xi1>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %c = dyn.compare ge %i, %zero : (tensor<?xi64, #dyn.dims<[S]>>, tensor<i64>) -> tensor<?xi1>
  %0 = dyn.and %c, %m : (tensor<?xi1>, tensor<?xi1, #dyn.dims<[S]>>) -> tensor<?xi1>
  %1 = dyn.or %m, %c : (tensor<?xi1, #dyn.dims<[S]>>, tensor<?xi1>) -> tensor<?xi1>
  return %0, %1 : tensor<?xi1>, tensor<?xi1>
}

// -----

// Fires: what is always chosen is repeated where it is smaller; sums with 0 and products with 1 are what they were.
// CHECK-LABEL: func.func @chosen
// CHECK-NOT: dyn.{{select|add|mul|not|compare}}
// CHECK: dyn.broadcast %arg1 : tensor<?xi64, #dyn.dims<[S]>> to tensor<?x?xi64, #dyn.dims<[B, S]>>
// CHECK-NOT: dyn.{{select|add|mul|not|compare}}
// CHECK: return
func.func @chosen(%x: tensor<?x?xi64, #dyn.dims<[B, S]>>, %y: tensor<?xi64, #dyn.dims<[S]>>) -> (tensor<?x?xi64>, tensor<?x?xi64>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %one, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %below = dyn.compare lt %i, %one : (tensor<?xi64, #dyn.dims<[S]>>, tensor<i64>) -> tensor<?xi1>
  %above = dyn.not %below : (tensor<?xi1>) -> tensor<?xi1>
  %0 = dyn.select %above, %y, %x : (tensor<?xi1>, tensor<?xi64, #dyn.dims<[S]>>, tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?xi64>
  %sum = dyn.add %x, %zero : (tensor<?x?xi64, #dyn.dims<[B, S]>>, tensor<i64>) -> tensor<?x?xi64>
  %product = dyn.mul %one, %sum : (tensor<i64>, tensor<?x?xi64>) -> tensor<?x?xi64>
  return %0, %product : tensor<?x?xi64>, tensor<?x?xi64>
}

// -----

// Fires: whatever place is read holds the same. Does not fire: where an index of the run may be out of bounds.
// CHECK-LABEL: func.func @read
// CHECK: %[[F:.*]] = dyn.full value(5.0{{.*}} : f32) : tensor<?xf32, #dyn.dims<[S]>>
// CHECK: %[[G:.*]] = dyn.gather
// CHECK: return %[[F]], %[[G]]
func.func @read(%x: tensor<?xi64, #dyn.dims<[S]>>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, 16] from arg0[0]>} {
  %table = dyn.constant dense<5.0> : tensor<16xf32>
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %0 = dyn.gather %table, %i axis 0 : (tensor<16xf32>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32>
  %1 = dyn.gather %table, %x axis 0 : (tensor<16xf32>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Does not fire: it depends on the size, or on data.
// CHECK-LABEL: func.func @undecided
// CHECK: dyn.compare
// CHECK: dyn.and
// CHECK: return
func.func @undecided(%m: tensor<?xi1, #dyn.dims<[S]>>) -> tensor<?xi1>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %i = dyn.iota %zero, %one : (tensor<i64>, tensor<i64>) -> tensor<?xi64, #dyn.dims<[S]>>
  %c = dyn.compare ge %i, %one : (tensor<?xi64, #dyn.dims<[S]>>, tensor<i64>) -> tensor<?xi1>
  %0 = dyn.and %c, %m : (tensor<?xi1>, tensor<?xi1, #dyn.dims<[S]>>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}
