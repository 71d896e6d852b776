// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @constant_type() {
  // expected-error @below {{'dyn.constant' op (1) has the type 'tensor<3xf32>' but its value is 'tensor<2xf32>'}}
  %0 = "dyn.constant"() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @weight_size() {
  // expected-error @below {{'dyn.constant' op (2) 'tensor<4x4xf32>' takes 64 bytes but 'w.bin' gives 60}}
  %0 = dyn.constant #dyn.weight<"w.bin", 0, 60> : tensor<4x4xf32>
  return
}

// -----

func.func @weight_size_of_complex_numbers() {
  %0 = dyn.constant #dyn.weight<"w.bin", 0, 32> : tensor<4xcomplex<f32>>
  // expected-error @below {{'dyn.constant' op (2) 'tensor<4xcomplex<f32>>' takes 32 bytes but 'w.bin' gives 16}}
  %1 = dyn.constant #dyn.weight<"w.bin", 0, 16> : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @untyped_constant() {
  // expected-error @below {{expected elements or '#dyn.weight', with a type}}
  %0 = dyn.constant "text"
  return
}

// -----

func.func @shape_size(%x: tensor<?x?xf32>) {
  // expected-error @below {{'dyn.shape_of' op (2) dim 0 of 'result' is 3, expected 2}}
  %0 = dyn.shape_of %x : (tensor<?x?xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @dim_values() {
  // expected-error @below {{'dyn.dim_values' op (2) 'values' has 2 entries, expected 3}}
  %0 = dyn.dim_values [S, 4] : tensor<3xi64>
  return
}

// -----

func.func @element_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.reshape' op (2) operand has 6 elements but the result 8}}
  %0 = dyn.reshape %x : tensor<2x3xf32> to tensor<8xf32>
  return
}

// -----

func.func @reshape_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'dyn.reshape' op (1) 'result' has no rank}}
  %0 = dyn.reshape %x : tensor<2x3xf32> to tensor<*xf32>
  return
}

// -----

func.func @reshape_dims(%x: tensor<2x3xf32>, %s: tensor<3xi64>) {
  // expected-error @below {{'dyn.reshape_to' op (1) dim 0 of 'shape' is 3, expected 2}}
  %0 = dyn.reshape_to %x, %s : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @squeeze(%x: tensor<1x3xf32>) {
  // expected-error @below {{'dyn.squeeze' op (2) 'result' has rank 2, expected 1}}
  %0 = dyn.squeeze %x axes [0] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @unsqueeze(%x: tensor<3xf32>) {
  // expected-error @below {{'dyn.unsqueeze' op (2) axis 3 is out of range for rank 3}}
  %0 = dyn.unsqueeze %x axes [0, 3] : (tensor<3xf32>) -> tensor<1x3x1xf32>
  return
}

// -----

func.func @flatten(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.flatten' op (2) axis 3 is out of range for rank 2}}
  %0 = dyn.flatten %x axis 3 : (tensor<3x4xf32>) -> tensor<12x1xf32>
  return
}

// -----

func.func @transpose_count(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.transpose' op (2) 'perm' has 3 entries, expected 2}}
  %0 = dyn.transpose %x perm [0, 1, 2] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @transpose(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.transpose' op (2) 'perm' is no permutation of 2 dims}}
  %0 = dyn.transpose %x perm [1, 1] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_of_nothing() {
  // expected-error @below {{'dyn.concat' op (1) has no operands}}
  %0 = dyn.concat 0 () : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<3x4xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'dyn.concat' op (3) 'operand 1' has rank 1, expected 2}}
  %0 = dyn.concat 0 (%x, %y) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @split_sizes(%x: tensor<3x4xf32>, %s: tensor<3xi64>) {
  // expected-error @below {{'dyn.split' op (5) dim 0 of 'sizes' is 3, expected 2}}
  %0:2 = dyn.split %x sizes %s axis 1 : (tensor<3x4xf32>, tensor<3xi64>) -> (tensor<3x?xf32>, tensor<3x?xf32>)
  return
}

// -----

func.func @slice_bounds(%x: tensor<3x4xf32>, %s: tensor<1xi64>, %e: tensor<2xi64>) {
  // expected-error @below {{'dyn.slice_to' op (1) dim 0 of 'ends' is 2, expected 1}}
  %0 = dyn.slice_to %x from %s to %e : (tensor<3x4xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @slice_offsets(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.slice' op (1) 'offsets' has 1 entries, expected 2}}
  %0 = dyn.slice %x[0:3] : tensor<3x4xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @slice_steps(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.slice' op (2) a step is 0}}
  %0 = dyn.slice %x[0:3, 0::0] : tensor<3x4xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @expand_like_rank(%x: tensor<3x4xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'dyn.expand_like' op (2) result 'tensor<?xf32>' has a lower rank than the operand}}
  %0 = dyn.expand_like %x, %y : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @expand_like_other_rank(%x: tensor<4xf32>, %y: tensor<4xi64>) {
  // expected-error @below {{'dyn.expand_like' op (1) 'result' has rank 2, expected 1}}
  %0 = dyn.expand_like %x, %y : (tensor<4xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.broadcast' op (1) result 'tensor<4xf32>' has a lower rank than the operand}}
  %0 = dyn.broadcast %x : tensor<3x4xf32> to tensor<4xf32>
  return
}

// -----

func.func @broadcast_dim(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.broadcast' op (2) dim 0 of the operand is 3, that of the result 5}}
  %0 = dyn.broadcast %x : tensor<3x4xf32> to tensor<2x5x4xf32>
  return
}

// -----

func.func @tile(%x: tensor<3x4xf32>) {
  // expected-error @below {{'dyn.tile' op (2) dim 1 of the result is 6, no multiple of 4}}
  %0 = dyn.tile %x : tensor<3x4xf32> to tensor<6x6xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<3x4xf32>, %v: tensor<i64>) {
  // expected-error @below {{'dyn.pad' op (3) 'value' is 'tensor<i64>' for the operand 'tensor<3x4xf32>'}}
  %0 = dyn.pad constant %x value %v low [0, 1] : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x5xf32>
  return
}

// -----

func.func @full_value() {
  // expected-error @below {{'dyn.full' op (2) value is 0 : i64 for the result 'tensor<3xf32>'}}
  %0 = dyn.full value(0 : i64) : tensor<3xf32>
  return
}

// -----

func.func @range_scalars(%x: tensor<2xi64>) {
  // expected-error @below {{'dyn.range' op (1) 'start' is 'tensor<2xi64>', expected one element}}
  %0 = dyn.range %x, %x, %x : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xi64>
  return
}

// -----

func.func @triangle(%x: tensor<2xf32>) {
  // expected-error @below {{'dyn.trilu' op (1) operand has rank 1, expected at least 2}}
  %0 = dyn.trilu %x upper : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @because(%x: tensor<2xf32>, %shape: tensor<1xi64>) {
  // expected-error @below {{attribute 'dyn.because' is neither a string nor strings that name an operator}}
  %0 = dyn.reshape_to %x, %shape {dyn.because = 1} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @because_without_operator(%x: tensor<2xf32>, %shape: tensor<1xi64>) {
  // expected-error @below {{attribute 'dyn.because' is neither a string nor strings that name an operator}}
  %0 = dyn.reshape_to %x, %shape {dyn.because = {what = "elements"}} : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}
