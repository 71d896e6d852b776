// RUN: dyn-opt %s --dyn-form-kernels --split-input-file --verify-diagnostics

// expected-error @below {{'dyn-form-kernels' expects one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

func.func @captured_number(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{can be no argument of a kernel}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %s : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @number_beside_a_tensor(%x: tensor<4xindex>) -> (tensor<4xindex>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4xindex>
  // expected-error @below {{writes to no destination, so that 'dyn-form-kernels' can't outline it}}
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e, %sum = %c0) -> (tensor<4xindex>, index) {
    %1 = tensor.extract %x[%i] : tensor<4xindex>
    %2 = arith.addi %sum, %1 : index
    %3 = tensor.insert %2 into %t[%i] : tensor<4xindex>
    scf.yield %3, %2 : tensor<4xindex>, index
  }
  return %0#0, %0#1 : tensor<4xindex>, index
}
