// RUN: dyn-opt %s --dyn-form-kernels=fuse=false --split-input-file --verify-diagnostics

func.func @no_generic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{'linalg.copy' op fits no kind of kernel; 'dyn-reify-shapes' should not have left it}}
  %0 = linalg.copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
