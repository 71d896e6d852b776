// RUN: dyn-opt %s --split-input-file --dyn-verify-buffers --verify-diagnostics

// What the phase leaves: sizes, one arena, views of it, launches that write there or to the caller's buffers.
func.func @right(%x: memref<?xf32> {dyn.dims = #dyn.dims<[n]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[n]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %n = dyn_shape.sym "n" : index
  dyn_shape.check n <= 16 (n = %n) because "rows"
  %bytes = dyn_shape.apply 64 * n (n = %n) : index
  %arena = dyn_shape.arena %bytes : memref<?xi8>
  %c0 = arith.constant 0 : index
  %view = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%view : memref<?xf32>)
  dyn_shape.launch @k ins(%view : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"} {
  return %out : tensor<?xf32>
}

// -----

// expected-error @below {{returns values instead of writing to buffers of the caller; 'dyn-plan-memory' should have seen to it}}
func.func @result(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

// expected-error @below {{argument 0 is no memref with identity layout; 'dyn-bufferize' should have seen to it}}
func.func @tensor_argument(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{argument 1 is an input behind an output}}
func.func @order(%y: memref<4xf32> {dyn.output}, %x: memref<4xf32>) {
  return
}

// -----

// expected-error @below {{has control flow}}
func.func @blocks(%x: memref<4xf32>) {
  cf.br ^next
^next:
  return
}

// -----

func.func @memory_of_its_own(%x: memref<4xf32>) {
  // expected-error @below {{'memref.alloc' op takes memory beside the arena}}
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func @second_arena(%x: memref<4xf32>) {
  %c64 = arith.constant 64 : index
  %0 = dyn_shape.arena %c64 : memref<?xi8>
  // expected-error @below {{'dyn_shape.arena' op is a second arena}}
  %1 = dyn_shape.arena %c64 : memref<?xi8>
  return
}

// -----

func.func @view_of_an_input(%x: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.view' op is no view of the arena}}
  %0 = memref.view %x[%c0][] : memref<64xi8> to memref<4xf32>
  return
}

// -----

func.func @late_check(%x: memref<?xf32> {dyn.dims = #dyn.dims<[n]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[n]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %n = dyn_shape.sym "n" : index
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  // expected-error @below {{'dyn_shape.check' op computes sizes behind the first launch or copy}}
  dyn_shape.check n <= 16 (n = %n) because "rows"
  return
}

// -----

func.func @tensor_left(%x: memref<4xf32>) {
  %c = dyn.constant dense<0.0> : tensor<4xf32>
  return
}
// expected-error @-3 {{'dyn.constant' op has no place in main, which holds sizes, views and launches}}

// -----

func.func @strided(%x: memref<4x4xf32>, %y: memref<4xf32> {dyn.output}) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.subview' op has no place in main}}
  %0 = memref.subview %x[0, 0] [4, 1] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[4]>>
  return
}

// -----

// Launches that do not wait for each other work on buffers of their own.
func.func @beside(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}, %z: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%z : memref<4xf32>) after []
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// -----

// The third is after the second, and that after the first.
func.func @after_what_is_after(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}, %z: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  dyn_shape.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>) after [1]
  dyn_shape.launch @k ins(%z : memref<4xf32>) outs(%y : memref<4xf32>) after [1]
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// -----

// A copy waits for all, and all wait for it.
func.func @copy_between(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}, %z: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  memref.copy %x, %z : memref<4xf32> to memref<4xf32>
  dyn_shape.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>) after []
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @reads_what_is_written(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}, %z: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  // expected-error @below {{may begin while the launch 1 before it still runs, but it reads what that one writes; 'dyn-find-dependences' should have seen to it}}
  dyn_shape.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>) after []
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @writes_what_is_written(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}, %z: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%z : memref<4xf32>) after []
  // expected-error @below {{may begin while the launch 2 before it still runs, but it writes what that one writes}}
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) after [1]
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @writes_what_is_read_in_the_arena(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}, %z: memref<4xf32> {dyn.output}) {
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %arena = dyn_shape.arena %c64 : memref<?xi8>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<4xf32>
  %b = memref.view %arena[%c0][] : memref<?xi8> to memref<4xf32>
  dyn_shape.launch @k ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  // expected-error @below {{may begin while the launch 1 before it still runs, but it writes what that one reads}}
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%b : memref<4xf32>) after []
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @overlap(%y: memref<4xf32> {dyn.output}) {
  %bytes = arith.constant 64 : index
  %arena = dyn_shape.arena %bytes : memref<?xi8>
  %c0 = arith.constant 0 : index
  %view = memref.view %arena[%c0][] : memref<?xi8> to memref<4xf32>
  // expected-error @below {{writes over its operand 0, but 'k' does not say that it computes in place; 'dyn-compute-in-place' should have seen to it}}
  dyn_shape.launch @k ins(%view : memref<4xf32>) outs(%view : memref<4xf32>)
  return
}
func.func private @k(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {dyn.kernel = "pointwise"} {
  return %out : tensor<4xf32>
}

// -----

// So do launches that write to parts of a buffer that are proved to have no byte in common.
func.func @parts(%x: memref<?xf32> {dyn.dims = #dyn.dims<[n]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[2 * n]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %n = dyn_shape.sym "n" : index
  %c0 = arith.constant 0 : index
  %0 = dyn_shape.part %y from %c0 dims(%n) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%0 : memref<?xf32>)
  %1 = dyn_shape.part %y from %n dims(%n) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>) after []
  return
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @parts_that_may_meet(%x: memref<?xf32> {dyn.dims = #dyn.dims<[n]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[n + 16]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %n = dyn_shape.sym "n" : index
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %0 = dyn_shape.part %y from %c0 dims(%n) : memref<?xf32> to memref<?xf32>
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%0 : memref<?xf32>)
  %1 = dyn_shape.part %y from %c16 dims(%n) : memref<?xf32> to memref<?xf32>
  // expected-error @below {{may begin while the launch 1 before it still runs, but it writes what that one writes; 'dyn-find-dependences' should have seen to it}}
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%1 : memref<?xf32>) after []
  return
}
func.func private @k(%in: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}
