// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @unbound(%S: index) {
  // expected-error @below {{'dyn_shape.apply' op has no operand for symbol 'P'}}
  %0 = dyn_shape.apply S + P (S = %S) : index
  return
}

// -----

func.func @bound_twice(%S: index) {
  // expected-error @below {{'dyn_shape.apply' op binds symbol 'S' twice}}
  %0 = dyn_shape.apply S (S = %S, S = %S) : index
  return
}

// -----

func.func @unbound_in_check(%S: index) {
  // expected-error @below {{'dyn_shape.check' op has no operand for symbol 'P'}}
  dyn_shape.check S == P (S = %S) because "add"
  return
}

// -----

func.func @unbound_in_holds(%S: index) {
  // expected-error @below {{'dyn_shape.holds' op has no operand for symbol 'P'}}
  %0 = dyn_shape.holds S == P (S = %S) : i1
  return
}

// -----

func.func @names(%S: index) {
  // expected-error @below {{'dyn_shape.apply' op has 2 symbol names for 1 operands}}
  %0 = "dyn_shape.apply"(%S) {expr = #dyn.expr<S>, names = ["S", "P"]} : (index) -> index
  return
}

// -----

func.func @no_kernel(%x: tensor<4xf32>) {
  // expected-error @below {{there is no function 'missing'}}
  %0 = dyn_shape.launch @missing ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

func.func @not_a_kernel(%x: tensor<4xf32>) {
  // expected-error @below {{function 'k' is no kernel: it has no attribute 'dyn.kernel'}}
  %0 = dyn_shape.launch @k ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

func.func @operands(%x: tensor<4xf32>) {
  // expected-error @below {{passes 1 operands to 'k', which takes 2}}
  %0 = dyn_shape.launch @k outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @k(tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// A kernel with `?` takes any size; one with a size takes that.
func.func @types(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  %0 = dyn_shape.launch @k ins(%y : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{operand 1 is 'tensor<?xf32>' but 'k' takes 'tensor<4xf32>'}}
  %1 = dyn_shape.launch @k ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

func.func @results(%x: tensor<4xf32>) {
  // expected-error @below {{has 0 results, expected 1 for 1 tensors in 'outs'}}
  dyn_shape.launch @k ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
  return
}

// -----

func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}
func.func private @v(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

func.func @version_is_no_kernel(%x: tensor<4xf32>, %c: i1) {
  // expected-error @below {{function 'v' is no kernel: it has no attribute 'dyn.kernel'}}
  %0 = dyn_shape.launch @k ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) versions(@v if %c) -> tensor<4xf32>
  return
}

// -----

func.func private @k(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
func.func private @v(tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

func.func @version_of_other_type(%x: tensor<?xf32>, %c: i1) {
  // expected-error @below {{version 'v' is of type '(tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>' but 'k' of type '(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>'}}
  %0 = dyn_shape.launch @k ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) versions(@v if %c) -> tensor<?xf32>
  return
}

// -----

func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

func.func @version_without_condition(%x: tensor<4xf32>) {
  // expected-error @below {{has 1 versions but 0 conditions}}
  %0 = "dyn_shape.launch"(%x, %x) <{kernel = @k, versions = [@k], operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @part_of_other_elements(%x: memref<4xf32>, %n: index) {
  // expected-error @below {{has elements of type 'i32', those of the source are of type 'f32'}}
  %0 = dyn_shape.part %x from %n : memref<4xf32> to memref<2xi32>
  return
}

// -----

func.func @part_without_dims(%x: memref<4xf32>, %n: index) {
  // expected-error @below {{has 0 dims for 'memref<?xf32>'}}
  %0 = dyn_shape.part %x from %n : memref<4xf32> to memref<?xf32>
  return
}

// -----

func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}
func.func @after_too_far(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{is after the launch 16 before it; distances are from 1 to 15 and grow}}
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) after [1, 16]
  return
}

// -----

func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}
func.func @after_in_disorder(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{is after the launch 2 before it; distances are from 1 to 15 and grow}}
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) after [3, 2]
  return
}

// -----

func.func @part_with_layout(%x: memref<4xf32>, %n: index) {
  // expected-error @below {{has a layout other than the identity}}
  %0 = dyn_shape.part %x from %n : memref<4xf32> to memref<2xf32, strided<[2]>>
  return
}

// -----

func.func @plan_without_size(%S: index) {
  // expected-error @below {{has 1 predicates, 2 sizes and 1 lists of offsets}}
  %r:2 = dyn_shape.plan ["S"](%S) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0]>], predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S, S]>} : index
  return
}

// -----

func.func @plan_with_another_offset(%S: index) {
  // expected-error @below {{has a plan with 2 offsets for 1 places}}
  %r:2 = dyn_shape.plan ["S"](%S) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0, S]>], predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  return
}

// -----

func.func @plan_without_lifetime(%S: index) {
  // expected-error @below {{has 1 lines and 1 ends of lifetimes for 1 places}}
  %r:2 = dyn_shape.plan ["S"](%S) {lifetimes = array<i64: 0>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0]>], predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  return
}

// -----

func.func @plan_beside_nothing(%S: index) {
  // expected-error @below {{has 'beside' that is no list of pairs of its 1 places}}
  %r:2 = dyn_shape.plan ["S"](%S) {beside = array<i64: 0, 1>, lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0]>], predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  return
}

// -----

func.func @plan_of_unbound_symbol(%S: index) {
  // expected-error @below {{has no operand for symbol 'T'}}
  %r:2 = dyn_shape.plan ["S"](%S) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[T]>, offsets = [#dyn.dims<[0]>], predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  return
}

// -----

func.func @plan_binds_twice(%S: index) {
  // expected-error @below {{binds symbol 'S' twice}}
  %r:2 = dyn_shape.plan ["S", "S"](%S, %S) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[S]>, live = #dyn.dims<[S]>, offsets = [#dyn.dims<[0]>], predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[S]>} : index
  return
}

// -----

func.func @empty_range(%n: index) {
  // expected-error @below {{'dyn_shape.assume' op has the empty range [5, 3]}}
  %0 = dyn_shape.assume %n {lower = 5, upper = 3} : index
  return
}

// -----

func.func @no_modulus(%n: index) {
  // expected-error @below {{'dyn_shape.assume' op has the remainder 0 modulo 0}}
  %0 = dyn_shape.assume %n {lower = 0, modulus = 0} : index
  return
}

// -----

func.func @remainder(%n: index) {
  // expected-error @below {{'dyn_shape.assume' op has the remainder 8 modulo 8}}
  %0 = dyn_shape.assume %n {lower = 0, modulus = 8, remainder = 8} : index
  return
}
