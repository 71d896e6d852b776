// RUN: dyn-opt %s --split-input-file --dyn-verify-kernels --verify-diagnostics

func.func @op_outside_kernels(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{'linalg.copy' op is left outside kernels; 'dyn-form-kernels' should have seen to it}}
  %0 = linalg.copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @returned_argument(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  // expected-error @below {{returns as result 0 what no launch wrote}}
  return %0 : tensor<2x2xf32>
}

// -----

func.func @returned_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = dyn_shape.launch @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{returns as result 1 a tensor that it returns elsewhere too}}
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func private @copy(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_such_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{there is no function 'missing'}}
  %0 = dyn_shape.launch @missing ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shared_destination(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{writes to what is no 'tensor.empty' of its own}}
  %0 = dyn_shape.launch @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = dyn_shape.launch @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @copy(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @loop_outside_sequential_kernels(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32>
    attributes {dyn.kernel = "pointwise"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op may not stand in a kernel of this kind}}
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %out) -> tensor<4xf32> {
    scf.yield %t : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{has an unknown kind of kernel}}
func.func private @unknown_kind(%out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "magic"} {
  return %out : tensor<4xf32>
}

// -----

// What the phase leaves.
func.func @right(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = dyn_shape.launch @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
func.func private @copy(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%in : tensor<4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{launches 'other', which is no kernel; 'dyn-form-kernels' should have seen to it}}
  %0 = dyn_shape.launch @other ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
llvm.func @other(!llvm.ptr) attributes {dyn.kernel = "pointwise"}

// -----

func.func @other_types(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{passes other types than kernel 'copy' has}}
  %0 = dyn_shape.launch @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @copy(%in: tensor<?xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  return %out : tensor<4xf32>
}

// -----

func.func private @reduction_outside(%in: tensor<4x4xf32>, %out: tensor<4xf32>) -> tensor<4xf32>
    attributes {dyn.kernel = "row", dyn.rows = 1 : i64} {
  // expected-error @below {{has a parallel loop after a reduction loop}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
                       iterator_types = ["reduction", "parallel"]}
      ins(%in : tensor<4x4xf32>) outs(%out : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @scattered(%in: tensor<4xf32>, %out: tensor<8xf32>) -> tensor<8xf32> attributes {dyn.kernel = "pointwise"} {
  // expected-error @below {{writes where not each loop gives one dim}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0 + 4)>], iterator_types = ["parallel"]}
      ins(%in : tensor<4xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{a kernel is a private function of one block}}
func.func @public_kernel(%out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  return %out : tensor<4xf32>
}

// -----

// expected-error @below {{a kernel says its number of row loops if it is a row kernel}}
func.func private @rows(%out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "row"} {
  return %out : tensor<4xf32>
}

// -----

func.func private @slice_of_the_middle(%in: tensor<?xf32>, %n: index, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  // expected-error @below {{is not of an argument from its beginning on; 'dyn-form-kernels' should have seen to it}}
  %s = tensor.extract_slice %in[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @slice_for_no_product(%in: tensor<?xf32>, %n: index, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  // expected-error @below {{is read by other than a sum of products}}
  %s = tensor.extract_slice %in[0] [%n] [%n] : tensor<?xf32> to tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @two_writers(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32>
    attributes {dyn.kernel = "sequential"} {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{is what 2 ops write to; 'dyn-form-kernels' should have seen to it}}
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%in : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %3 = tensor.insert_slice %2 into %out[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  return %3 : tensor<4xf32>
}
