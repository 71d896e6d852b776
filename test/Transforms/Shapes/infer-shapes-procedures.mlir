// Recurrent layers, boxes, regions, determinants and inverses.
// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// Fires: steps, sequences and hidden elements come from whichever operand says them.
// CHECK-LABEL: func.func @layer
// CHECK: dyn.recurrent gru {{.*}} -> (tensor<?x?x16xf32, #dyn.dims<[T, B, 16]>>, tensor<?x16xf32, #dyn.dims<[B, 16]>>)
func.func @layer(%x: tensor<?x?x48xf32, #dyn.dims<[T, B, 48]>>, %w: tensor<48x16xf32>) -> tensor<?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0], B: [0, ?] from arg0[1]>} {
  %s = dyn.dim_values [B, 16] : tensor<2xi64>
  %h = dyn.full_to %s value(0.0 : f32) : (tensor<2xi64>) -> tensor<?x?xf32>
  %0:2 = dyn.recurrent gru %x weights %w hidden %h activations ["sigmoid", "tanh"] alpha [0.0, 0.0] beta [0.0, 0.0]
      : (tensor<?x?x48xf32, #dyn.dims<[T, B, 48]>>, tensor<48x16xf32>, tensor<?x?xf32>)
      -> (tensor<?x?x?xf32>, tensor<?x?xf32>)
  return %0#0 : tensor<?x?x?xf32>
}

// -----

// Rejects: weights of another number of gates.
func.func @gates(%x: tensor<5x2x48xf32>, %w: tensor<64x16xf32>, %h: tensor<2x16xf32>) -> tensor<?x?x?xf32> {
  // expected-error @+2 {{recurrent: rows of input `arg1`: 64 and 48 cannot be equal}}
  // expected-note @+1 {{64 == 48}}
  %0:2 = dyn.recurrent gru %x weights %w hidden %h activations ["sigmoid", "tanh"] alpha [0.0, 0.0] beta [0.0, 0.0]
      : (tensor<5x2x48xf32>, tensor<64x16xf32>, tensor<2x16xf32>) -> (tensor<?x?x?xf32>, tensor<?x?xf32>)
  return %0#0 : tensor<?x?x?xf32>
}

// -----

// Fires: the square matrices become a guard.
// CHECK-LABEL: func.func @determinants
// CHECK: dyn.require {{.*}}because "det: matrices are square"
// CHECK: dyn.det {{.*}} -> tensor<?xf32, #dyn.dims<[B]>>
func.func @determinants(%x: tensor<?x?x?xf32, #dyn.dims<[B, M, N]>>) -> tensor<?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], M: [0, ?] from arg0[1], N: [0, ?] from arg0[2]>} {
  %0 = dyn.det %x : (tensor<?x?x?xf32, #dyn.dims<[B, M, N]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Fires: dims go both ways.
// CHECK-LABEL: func.func @inverses
// CHECK: dyn.require {{.*}}because "inverse: matrices are square"
// CHECK: dyn.inverse {{.*}} -> tensor<?x?x?xf32, #dyn.dims<[B, M, M]>>
func.func @inverses(%x: tensor<?x?x?xf32, #dyn.dims<[B, M, N]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], M: [0, ?] from arg0[1], N: [0, ?] from arg0[2]>} {
  %0 = dyn.inverse %x : (tensor<?x?x?xf32, #dyn.dims<[B, M, N]>>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// CHECK-LABEL: func.func @regions
// CHECK: dyn.roi_align {{.*}} -> tensor<?x?x3x2xf32, #dyn.dims<[R, C, 3, 2]>>
func.func @regions(%x: tensor<?x?x8x8xf32, #dyn.dims<[B, C, 8, 8]>>, %r: tensor<?x4xf32, #dyn.dims<[R, 4]>>,
                   %b: tensor<?xi64, #dyn.dims<[Q]>>) -> tensor<?x?x?x?xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], C: [0, ?] from arg0[1], R: [0, ?] from arg1[0],
                                           Q: [0, ?] from arg2[0]>} {
  %0 = dyn.roi_align %x, %r, %b height 3 width 2 samples 1 scale 1.0
      : (tensor<?x?x8x8xf32, #dyn.dims<[B, C, 8, 8]>>, tensor<?x4xf32, #dyn.dims<[R, 4]>>, tensor<?xi64, #dyn.dims<[Q]>>)
      -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}
