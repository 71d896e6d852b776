// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-gpu --verify-diagnostics

// Nobody could give it memory: its size is known only when the kernel runs.
func.func private @temporary_of_unknown_size(%x: tensor<?xf32>, %n: index, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "sequential"} {
  // expected-error @below {{needs working memory whose size depends on symbols}}
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %v = tensor.extract %0[%c0] : tensor<?xf32>
  %1 = tensor.insert %v into %o[%c0] : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func private @temporary_that_is_too_big(%o: tensor<1xf32>) -> tensor<1xf32>
    attributes {dyn.kernel = "sequential"} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  // expected-error @below {{needs more working memory than the 32768 bytes}}
  %e = tensor.empty() : tensor<8193xf32>
  %t = tensor.insert %zero into %e[%c0] : tensor<8193xf32>
  %v = tensor.extract %t[%c0] : tensor<8193xf32>
  %1 = tensor.insert %v into %o[%c0] : tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

func.func @launch_on_tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{no memref with identity layout; dyn-bufferize should have seen to that}}
  %0 = dyn_shape.launch @copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @copy(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_dims(%x: memref<?xf32>, %y: memref<?xf32>) {
  // expected-error @below {{has an operand whose dims are not known as expressions over symbols}}
  dyn_shape.launch @copy ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @copy(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
