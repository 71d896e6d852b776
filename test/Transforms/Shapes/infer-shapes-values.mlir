// Elements of small tensors and intervals of large ones, through ops that compute. Elements show in the dims of what
// they shape, intervals at gathers that need no check.
// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// Arithmetic on sizes stays an expression.
// CHECK: #[[DIMS:.*]] = #dyn.dims<[2 * S + 1, S floordiv 3, S mod 4, max(S, 7)]>
// CHECK-LABEL: func.func @arithmetic
// CHECK: dyn.full_to {{.*}} -> tensor<?x?x?x?xf32, #[[DIMS]]>
func.func @arithmetic(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?x?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %s = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %three = dyn.constant dense<3> : tensor<1xi64>
  %four = dyn.constant dense<4> : tensor<1xi64>
  %seven = dyn.constant dense<7> : tensor<1xi64>
  %a0 = dyn.mul %s, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %a = dyn.add %a0, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b = dyn.div %s, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %c = dyn.mod %s, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %d = dyn.max %s, %seven : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %to = dyn.concat 0 (%a, %b, %c, %d) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// -----

// `Where(Equal(shape, -1), ones, shape)` of exported Expands: a size is never -1.
// CHECK-LABEL: func.func @expand_idiom
// CHECK: dyn.full_to {{.*}} -> tensor<?x3xf32, #dyn.dims<[S, 3]>>
func.func @expand_idiom(%x: tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %s = dyn.shape_of %x : (tensor<?x3xf32, #dyn.dims<[S, 3]>>) -> tensor<2xi64>
  %none = dyn.constant dense<-1> : tensor<i64>
  %ones = dyn.constant dense<1> : tensor<2xi64>
  %is = dyn.compare eq %s, %none : (tensor<2xi64>, tensor<i64>) -> tensor<2xi1>
  %to = dyn.select %is, %ones, %s : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Which one is taken is computed at run time.
// CHECK-LABEL: func.func @undecided_select
// CHECK-NOT: dyn.require
// CHECK: dyn.full_to {{.*}} -> tensor<?x?x?xf32, #dyn.dims<[S + S mod 2, max(S, 1), min(S, 9)]>>
func.func @undecided_select(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %s = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %nine = dyn.constant dense<9> : tensor<1xi64>
  %m = dyn.mod %s, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %even = dyn.compare eq %m, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %next = dyn.add %s, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %a = dyn.select %even, %s, %next : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %none = dyn.compare eq %s, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %b = dyn.select %none, %one, %s : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %few = dyn.compare lt %s, %nine : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %c = dyn.select %few, %s, %nine : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %to = dyn.concat 0 (%a, %b, %c) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<3xi64>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// -----

// A size divided as a float, as exporters write `ceildiv`: exact as long as floats hold what is divided.
// CHECK-LABEL: func.func @through_floats
// CHECK-NEXT: dyn.require S <= 8388607 because "a size computed with floats"
// CHECK: dyn.full_to {{.*}} -> tensor<?xf32, #dyn.dims<[S ceildiv 3]>>
func.func @through_floats(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %s = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
  %three = dyn.constant dense<3.0> : tensor<1xf32>
  %f = dyn.cast %s : (tensor<1xi64>) -> tensor<1xf32>
  %q = dyn.div %f, %three : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %r = dyn.ceil %q : (tensor<1xf32>) -> tensor<1xf32>
  %to = dyn.cast %r : (tensor<1xf32>) -> tensor<1xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Does not fire: where data decide, nothing is made up.
func.func @select_by_data(%is: tensor<1xi1>, %x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %s = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %to = dyn.select %is, %two, %s : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  // expected-error @below {{full_to}}
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Constants follow ONNX: division rounds towards zero, mod has the sign of the divisor (of the dividend with fmod),
// floats have their precision, casts round towards zero.
// CHECK-LABEL: func.func @constants
// CHECK: dyn.full_to {{.*}} -> tensor<2x1x3x8x2xf32>
func.func @constants() -> tensor<?x?x?x?x?xf32> {
  %m7 = dyn.constant dense<-7> : tensor<1xi64>
  %three = dyn.constant dense<3> : tensor<1xi64>
  %q = dyn.div %m7, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %a = dyn.neg %q : (tensor<1xi64>) -> tensor<1xi64>
  %b0 = dyn.mod %m7, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b1 = dyn.sign %b0 : (tensor<1xi64>) -> tensor<1xi64>
  %f = dyn.constant dense<12.25> : tensor<1xf32>
  %r = dyn.sqrt %f : (tensor<1xf32>) -> tensor<1xf32>
  %c = dyn.cast %r : (tensor<1xf32>) -> tensor<1xi64>
  %two = dyn.constant dense<2> : tensor<1xi64>
  %d = dyn.pow %two, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %h = dyn.constant dense<2.5> : tensor<1xf32>
  %h1 = dyn.round %h : (tensor<1xf32>) -> tensor<1xf32>
  %e = dyn.cast %h1 : (tensor<1xf32>) -> tensor<1xi64>
  %to = dyn.concat 0 (%a, %b1, %c, %d, %e) : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<5xi64>) -> tensor<?x?x?x?x?xf32>
  return %0 : tensor<?x?x?x?x?xf32>
}

// -----

// What a size divides exists only where that size is not 0: it is a guard.
// CHECK-LABEL: func.func @divided_by_a_size
// CHECK: dyn.require 1 <= B because "divisor"
// CHECK: dyn.full_to {{.*}} -> tensor<?x?xf32, #dyn.dims<[S, S mod B]>>
func.func @divided_by_a_size(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %shape = dyn.shape_of %x : (tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<2xi64>
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<1xi64>
  %b = dyn.gather %shape, %zero axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %s = dyn.gather %shape, %one axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %all = dyn.mul %b, %s : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %q = dyn.div %all, %b : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = dyn.mod %s, %b : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %to = dyn.concat 0 (%q, %r) : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A constant that does not fit the type it is cast to wraps around, and is not followed.
func.func @narrow_cast(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %c = dyn.constant dense<300> : tensor<1xi64>
  %n = dyn.cast %c : (tensor<1xi64>) -> tensor<1xi8>
  %to = dyn.cast %n : (tensor<1xi8>) -> tensor<1xi64>
  // expected-error @below {{full_to}}
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Reductions and running sums of sizes, also along one of two axes.
// CHECK-LABEL: func.func @reductions
// CHECK: dyn.full_to {{.*}} -> tensor<?x?x?x3xf32, #dyn.dims<[3 * B * S, B, B + S, 3]>>
func.func @reductions(%x: tensor<?x?x3xf32, #dyn.dims<[B, S, 3]>>) -> tensor<?x?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %s = dyn.shape_of %x : (tensor<?x?x3xf32, #dyn.dims<[B, S, 3]>>) -> tensor<3xi64>
  %p = dyn.reduce prod %s axes [0] keep_dims : (tensor<3xi64>) -> tensor<1xi64>
  %sums = dyn.cumsum %s axis 0 : (tensor<3xi64>) -> tensor<3xi64>
  %one = dyn.constant dense<[0, 1]> : tensor<2xi64>
  %two = dyn.gather %sums, %one axis 0 : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  %table = dyn.constant dense<[[1, 3], [2, 0]]> : tensor<2x2xi64>
  %m = dyn.reduce max %table axes [0] : (tensor<2x2xi64>) -> tensor<2xi64>
  %i = dyn.constant dense<[1]> : tensor<1xi64>
  %last = dyn.gather %m, %i axis 0 : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  %to = dyn.concat 0 (%p, %two, %last) : (tensor<1xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<4xi64>
  %0 = dyn.full_to %to value(0.0 : f32) : (tensor<4xi64>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// -----

// Clipped data lie inside; the intervals of sums and of remainders do too.
// CHECK-LABEL: func.func @intervals
// CHECK-COUNT-3: dyn.gather {{.*}}in_bounds
func.func @intervals(%t: tensor<10xf32>, %i: tensor<?xi64, #dyn.dims<[N]>>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %five = dyn.constant dense<5> : tensor<i64>
  %four = dyn.constant dense<4> : tensor<i64>
  %ten = dyn.constant dense<10> : tensor<i64>
  %a = dyn.max %i, %zero : (tensor<?xi64, #dyn.dims<[N]>>, tensor<i64>) -> tensor<?xi64>
  %b = dyn.min %a, %five : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %c = dyn.add %b, %four : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %d = dyn.mod %i, %ten : (tensor<?xi64, #dyn.dims<[N]>>, tensor<i64>) -> tensor<?xi64>
  %0 = dyn.gather %t, %b axis 0 : (tensor<10xf32>, tensor<?xi64>) -> tensor<?xf32>
  %1 = dyn.gather %t, %c axis 0 : (tensor<10xf32>, tensor<?xi64>) -> tensor<?xf32>
  %2 = dyn.gather %t, %d axis 0 : (tensor<10xf32>, tensor<?xi64>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Does not fire: one end that is not known stays unknown where it meets a known one; sums of numbers without an upper
// end may wrap around; the greatest of no elements is no element.
// CHECK-LABEL: func.func @no_intervals
// CHECK-NOT: in_bounds
// CHECK: return
func.func @no_intervals(%t: tensor<10xf32>, %i: tensor<?xi64, #dyn.dims<[N]>>, %is: tensor<?xi1, #dyn.dims<[N]>>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, 10] from arg1[0]>} {
  %zero = dyn.constant dense<0> : tensor<i64>
  %one = dyn.constant dense<1> : tensor<i64>
  %nine = dyn.constant dense<9> : tensor<i64>
  %a = dyn.select %is, %i, %nine : (tensor<?xi1, #dyn.dims<[N]>>, tensor<?xi64, #dyn.dims<[N]>>, tensor<i64>) -> tensor<?xi64>
  %b = dyn.max %a, %zero : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %0 = dyn.gather %t, %b axis 0 : (tensor<10xf32>, tensor<?xi64>) -> tensor<?xf32>
  %c = dyn.max %i, %zero : (tensor<?xi64, #dyn.dims<[N]>>, tensor<i64>) -> tensor<?xi64>
  %d = dyn.add %c, %one : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %e = dyn.min %d, %nine : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  %1 = dyn.gather %t, %e axis 0 : (tensor<10xf32>, tensor<?xi64>) -> tensor<?xf32>
  %places = dyn.mod %i, %nine : (tensor<?xi64, #dyn.dims<[N]>>, tensor<i64>) -> tensor<?xi64>
  %most = dyn.reduce max %places axes [0] : (tensor<?xi64>) -> tensor<i64>
  %2 = dyn.gather %t, %most axis 0 : (tensor<10xf32>, tensor<i64>) -> tensor<f32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<f32>
}

// -----

// Sizes in 32 bits are guarded where nothing bounds them.
// CHECK-LABEL: func.func @sizes_in_32_bits
// CHECK: dyn.require 2 * n <= 2147483647 because "an element of 32 bits"
// CHECK: dyn.full_to {{.*}} -> tensor<?xf32, #dyn.dims<[2 * n]>>
func.func @sizes_in_32_bits(%x: tensor<?xf32, #dyn.dims<[n]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %shape = dyn.shape_of %x : (tensor<?xf32, #dyn.dims<[n]>>) -> tensor<1xi64>
  %narrow = dyn.cast %shape : (tensor<1xi64>) -> tensor<1xi32>
  %twice = dyn.add %narrow, %narrow : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %wide = dyn.cast %twice : (tensor<1xi32>) -> tensor<1xi64>
  %0 = dyn.full_to %wide value(0.0 : f32) : (tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
