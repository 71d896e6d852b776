// RUN: dyn-opt %s --dyn-bufferize --split-input-file --verify-diagnostics

func.func @op_without_a_form_on_memory(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{op was not bufferized}}
  %0 = dyn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
