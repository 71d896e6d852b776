// RUN: dyn-opt %s --split-input-file --dyn-lower-kernels-to-cpu --verify-diagnostics

// expected-error @below {{has a value of type 'tensor<?xcomplex<f32>>', which kernels do not handle}}
func.func private @element_type(%o: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
    attributes {dyn.kernel = "pointwise"} {
  return %o : tensor<?xcomplex<f32>>
}

// -----

// expected-error @below {{has an argument of type 'f32', not a tensor or an index}}
func.func private @argument(%x: f32, %o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  return %o : tensor<?xf32>
}

// -----

func.func private @statement(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "sequential"} {
  // expected-error @below {{has no lowering in a kernel: it gives a tensor}}
  %0 = math.absf %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @body(%o: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%o : tensor<?xf32>) {
  ^bb0(%out: f32):
    // expected-error @below {{has no lowering in the body of a linalg op}}
    %s = dyn_shape.sym "S" : index
    linalg.yield %out : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @below {{argument 0 lies in panels, but is not only read by a contraction in tiles}}
func.func private @panels(%x: tensor<4x4xf32> {dyn.layout = affine_map<(i, j) -> (j floordiv 16, i, j mod 16)>},
                          %o: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{lies as affine_map<(d0, d1) -> (d1, d0)> says, which is not in panels}}
func.func private @columns(%x: tensor<4x4xf32> {dyn.layout = affine_map<(i, j) -> (j, i)>},
                           %o: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {dyn.kernel = "pointwise"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// What is no kernel is left alone.
func.func @main(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  return %x : tensor<?xcomplex<f32>>
}

// -----

// expected-error @below {{is no attention as 'dyn-form-kernels' makes it}}
func.func private @attention(%x: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "attention"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Data are no part of a kernel, but passed to it.
func.func private @constant(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  // expected-error @below {{'arith.constant' op has no lowering in a kernel: it gives a tensor, for which there is no memory}}
  %two = arith.constant dense<2.0> : tensor<1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%in, %two : tensor<?xf32>, tensor<1xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %f: f32, %o: f32):
    %y = arith.mulf %x, %f : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @middle(%in: tensor<?xf32>, %n: index, %out: tensor<?xf32>) -> tensor<?xf32>
    attributes {dyn.kernel = "pointwise"} {
  // expected-error @below {{'tensor.extract_slice' op is no slice of an argument from index 0 on}}
  %s = tensor.extract_slice %in[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
