// RUN: dyn-opt %s --dyn-infer-shapes --verify-diagnostics

// Rejects: a function that is past the shapes phase.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xf32>
  // expected-error @below {{'tensor.empty' says nothing of sizes, as ops of the phases after 'shapes' do}}
  %0 = tensor.empty(%size) : tensor<?xf32>
  return %0 : tensor<?xf32>
}
