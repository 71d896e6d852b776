// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --verify-diagnostics

func.func @shape_from_data(%x: tensor<?xf32, #dyn.dims<[S]>>, %shape: tensor<2xi64>) -> tensor<?x?xf32, #dyn.dims<[S, S]>>
    attributes {dyn.symbols = #dyn.symbols<S: [1, 512] from arg0[0]>} {
  // expected-error @below {{'dyn.reshape_to' op has no lowering in 'dyn-reify-shapes'; the shapes phase should have replaced it by a static form}}
  %0 = dyn.reshape_to %x, %shape : (tensor<?xf32, #dyn.dims<[S]>>, tensor<2xi64>) -> tensor<?x?xf32, #dyn.dims<[S, S]>>
  return %0 : tensor<?x?xf32, #dyn.dims<[S, S]>>
}

// -----

func.func @unknown_dim(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error @below {{'dyn.exp' op has type 'tensor<?xf32>' with a dynamic dim without an expression; the shapes phase ('dyn-infer-shapes') should have given one}}
  %0 = dyn.exp %x : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @unranked(%x: tensor<4xf32>) -> tensor<*xf32> {
  // expected-error @below {{'dyn.exp' op has an unranked tensor; the shapes phase ('dyn-infer-shapes') should have ranked it}}
  %0 = dyn.exp %x : (tensor<4xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @size_from_data(%x: tensor<?xf32, #dyn.dims<[u]>>) -> tensor<?xf32, #dyn.dims<[u]>>
    attributes {dyn.symbols = #dyn.symbols<u: [0, 8] bound>} {
  // expected-error @below {{'dyn.exp' op dim 0 of its result, 'u', depends on data; such models are interpreted (dyn-run --reference), but not compiled yet}}
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[u]>>) -> tensor<?xf32, #dyn.dims<[u]>>
  return %0 : tensor<?xf32, #dyn.dims<[u]>>
}

// -----

// All ops that are only interpreted, at once.
func.func @interpreted(%x: tensor<3x3xf32>) -> tensor<f32> {
  // expected-error @below {{ops that are interpreted (dyn-run --reference), but not compiled yet: dyn.det}}
  %0 = dyn.det %x : (tensor<3x3xf32>) -> tensor<f32>
  %1 = dyn.det %x : (tensor<3x3xf32>) -> tensor<f32>
  %2 = dyn.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// What no program computes with is left after folding.
// expected-error @below {{has elements of type 'i4'; such models are interpreted (dyn-run --reference), but not compiled yet}}
func.func @narrow(%x: tensor<3xi4>) -> tensor<3xi4> {
  %0 = dyn.cast %x : (tensor<3xi4>) -> tensor<3xi4>
  return %0 : tensor<3xi4>
}

// -----

// Strings are interpreted only.
// expected-error @below {{has elements of type '!dyn.string'; such models are interpreted (dyn-run --reference), but not compiled yet}}
func.func @strings(%x: tensor<3x!dyn.string>) -> tensor<3xi1> {
  %0 = dyn.compare eq %x, %x : (tensor<3x!dyn.string>, tensor<3x!dyn.string>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
