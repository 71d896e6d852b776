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
  // expected-error @below {{has no lowering in a sequential kernel}}
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

// What is no kernel is left alone.
func.func @main(%x: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  return %x : tensor<?xcomplex<f32>>
}
