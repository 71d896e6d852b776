// RUN: dyn-opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{a sequence is of unranked tensors, not of 'f32'}}
func.func @element(%s: !dyn.sequence<f32>) { return }

// -----

// expected-error@+1 {{a sequence is of unranked tensors, not of 'tensor<2xf32>'}}
func.func @ranked(%s: !dyn.sequence<tensor<2xf32>>) { return }

// -----

// expected-error@+1 {{an optional is of an unranked tensor or of a sequence, not of '!dyn.optional<tensor<*xf32>>'}}
func.func @nested(%o: !dyn.optional<!dyn.optional<tensor<*xf32>>>) { return }

// -----

func.func @make(%x: tensor<2xf64>) -> !dyn.sequence<tensor<*xf32>> {
  // expected-error@+1 {{(1) 'tensor<2xf64>' has not the element type of '!dyn.sequence<tensor<*xf32>>'}}
  %s = dyn.sequence_make %x : (tensor<2xf64>) -> !dyn.sequence<tensor<*xf32>>
  return %s : !dyn.sequence<tensor<*xf32>>
}

// -----

func.func @join(%s: !dyn.sequence<tensor<*xf64>>) -> tensor<*xf32> {
  // expected-error@+1 {{(1) 'tensor<*xf32>' has not the element type of '!dyn.sequence<tensor<*xf64>>'}}
  %x = dyn.sequence_join %s {axis = 0} : (!dyn.sequence<tensor<*xf64>>) -> tensor<*xf32>
  return %x : tensor<*xf32>
}

// -----

func.func @length(%s: !dyn.sequence<tensor<*xf64>>) -> tensor<1xi64> {
  // expected-error@+1 {{(1) 'result' has rank 1, expected 0}}
  %n = dyn.sequence_length %s : (!dyn.sequence<tensor<*xf64>>) -> tensor<1xi64>
  return %n : tensor<1xi64>
}

// -----

func.func @axis(%x: tensor<2x3xf32>) -> !dyn.sequence<tensor<*xf32>> {
  // expected-error@+1 {{(2) axis 2 is out of range for rank 2}}
  %s = dyn.sequence_split %x {axis = 2} : (tensor<2x3xf32>) -> !dyn.sequence<tensor<*xf32>>
  return %s : !dyn.sequence<tensor<*xf32>>
}

// -----

func.func @squeezed(%x: tensor<2x3xf32>, %sizes: tensor<i64>) -> !dyn.sequence<tensor<*xf32>> {
  // expected-error@+1 {{(3) 'squeeze' is for parts of size 1}}
  %s = dyn.sequence_split %x, %sizes {axis = 1, squeeze} : (tensor<2x3xf32>, tensor<i64>) -> !dyn.sequence<tensor<*xf32>>
  return %s : !dyn.sequence<tensor<*xf32>>
}

// -----

func.func @matrix(%x: tensor<2x3xf32>, %sizes: tensor<1x1xi64>) -> !dyn.sequence<tensor<*xf32>> {
  // expected-error@+1 {{(3) 'sizes' has rank 2, expected 0 or 1}}
  %s = dyn.sequence_split %x, %sizes {axis = 1} : (tensor<2x3xf32>, tensor<1x1xi64>) -> !dyn.sequence<tensor<*xf32>>
  return %s : !dyn.sequence<tensor<*xf32>>
}

// -----

func.func @some(%x: tensor<2x3xf32>) -> !dyn.optional<!dyn.sequence<tensor<*xf32>>> {
  // expected-error@+1 {{(1) 'tensor<2x3xf32>' is not what is in '!dyn.optional<!dyn.sequence<tensor<*xf32>>>'}}
  %o = dyn.optional_some %x : (tensor<2x3xf32>) -> !dyn.optional<!dyn.sequence<tensor<*xf32>>>
  return %o : !dyn.optional<!dyn.sequence<tensor<*xf32>>>
}

// -----

func.func @get(%o: !dyn.optional<tensor<*xf32>>) -> tensor<2xf64> {
  // expected-error@+1 {{(1) 'tensor<2xf64>' is not what is in '!dyn.optional<tensor<*xf32>>'}}
  %x = dyn.optional_get %o : (!dyn.optional<tensor<*xf32>>) -> tensor<2xf64>
  return %x : tensor<2xf64>
}
