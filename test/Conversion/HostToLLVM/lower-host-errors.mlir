// RUN: dyn-opt %s --dyn-lower-host --split-input-file --verify-diagnostics

// Nothing says what M is.
// expected-error @below {{no input determines 'M': dim 0 of input 'arg0' is M * M, and no dim is M, or linear in it with the rest known}}
func.func @main(%x: memref<?xf32> {dyn.dims = #dyn.dims<[M * M]>})
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0]>} {
  return
}

// -----

// expected-error @below {{symbol 'u' is a size that data determine}}
func.func @main() attributes {dyn.symbols = #dyn.symbols<u: [0, ?] bound>} {
  return
}

// -----

func.func @main(%x: memref<?xf32> {dyn.dims = #dyn.dims<[N]>},
                %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  // expected-error @below {{has no lowered kernel 'k'}}
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
func.func private @k(tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> attributes {dyn.kernel = "pointwise"}

// -----

func.func @first() {
  return
}
// expected-error @below {{is a second public function, after 'first'}}
func.func @second() {
  return
}

// -----

// Memory that nothing has planned.
func.func @main(%x: memref<4xf32> {dyn.name = "x"}, %c: memref<4xf32> {dyn.name = "y", dyn.output}) {
  // expected-error @below {{'memref.alloc' op has no place in the host program}}
  %a = memref.alloc() : memref<4xf32>
  return
}

// -----

// Code for GPUs.
module attributes {gpu.container_module} {
  func.func @main(%x: memref<4xf32> {dyn.name = "x"}, %y: memref<4xf32> {dyn.name = "y", dyn.output}) {
    %one = arith.constant 1 : index
    %p = memref.extract_aligned_pointer_as_index %x : memref<4xf32> -> index
    // expected-error @below {{kernels run on a GPU, for which there is no host program: 'target=cuda' ends with 'to=target'}}
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%p : index)
    return
  }
  gpu.module @kernels {
    gpu.func @k(%p: index) kernel {
      gpu.return
    }
  }
}

// -----

func.func @packs_by_no_symbol(%x: memref<?xf32> {dyn.dims = #dyn.dims<[N]>}, %y: memref<?xf32> {dyn.dims = #dyn.dims<[N]>, dyn.output})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %N = dyn_shape.sym "N" : index
  %M = dyn_shape.apply N + 1 (N = %N) : index
  // expected-error @below {{packs at run time by a value that is no symbol of the function}}
  %bytes, %place = dyn_shape.plan ["M"](%M) {lifetimes = array<i64: 0, 1>, lines = #dyn.dims<[M]>, live = #dyn.dims<[M]>, offsets = [#dyn.dims<[0]>], packs, predicates = [#dyn.pred<"true">], sizes = #dyn.dims<[M]>} : index
  %arena = dyn_shape.arena %bytes : memref<?xi8>
  return
}
