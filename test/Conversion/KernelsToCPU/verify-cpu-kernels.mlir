// RUN: dyn-opt %s --split-input-file --dyn-verify-cpu-kernels --verify-diagnostics

// A pointer and the dynamic dims of each buffer; the kernel itself takes the context and a range of items first.
func.func @right(%x: memref<?x4xf32>, %y: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<?x4xf32>) outs(%y : memref<4xf32>)
  return
}
func.func private @k(%context: !llvm.ptr, %begin: index, %end: index, %x: !llvm.ptr, %n: index, %y: !llvm.ptr)
    attributes {dyn.kernel = "pointwise"} {
  return
}
func.func private @k.count(%x: !llvm.ptr, %n: index, %y: !llvm.ptr) -> index {
  return %n : index
}
func.func private @k.grain(%x: !llvm.ptr, %n: index, %y: !llvm.ptr) -> index {
  return %n : index
}
func.func private @k.scratch(%x: !llvm.ptr, %n: index, %y: !llvm.ptr) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}

// -----

func.func @no_count(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}) {
  // expected-error @below {{needs the function 'k.count', which is not there; 'dyn-lower-kernels-to-cpu' should have seen to it}}
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
func.func private @k(%context: !llvm.ptr, %begin: index, %end: index, %x: !llvm.ptr, %y: !llvm.ptr)
    attributes {dyn.kernel = "pointwise"} {
  return
}

// -----

func.func @other_arguments(%x: memref<?xf32>, %y: memref<4xf32> {dyn.output}) {
  // expected-error @below {{needs 'k' as '(!llvm.ptr, index, index, !llvm.ptr, index, !llvm.ptr) -> ()', but it is '(!llvm.ptr, index, index, !llvm.ptr, !llvm.ptr) -> ()'}}
  dyn_shape.launch @k ins(%x : memref<?xf32>) outs(%y : memref<4xf32>)
  return
}
func.func private @k(%context: !llvm.ptr, %begin: index, %end: index, %x: !llvm.ptr, %y: !llvm.ptr)
    attributes {dyn.kernel = "pointwise"} {
  return
}

// -----

func.func @public_kernel(%x: memref<4xf32>, %y: memref<4xf32> {dyn.output}) {
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
// expected-error @below {{is a kernel's and not private}}
func.func @k(%context: !llvm.ptr, %begin: index, %end: index, %x: !llvm.ptr, %y: !llvm.ptr)
    attributes {dyn.kernel = "pointwise"} {
  return
}

// -----

func.func private @tensors(%context: !llvm.ptr, %begin: index, %end: index) attributes {dyn.kernel = "pointwise"} {
  // expected-error @below {{'tensor.empty' op works on tensors or memrefs in 'tensors'}}
  %0 = tensor.empty() : tensor<4xf32>
  return
}

// -----

func.func private @foreign(%context: !llvm.ptr, %begin: index, %end: index) attributes {dyn.kernel = "pointwise"} {
  return
}
func.func private @foreign.grain(%n: index) -> index {
  // expected-error @below {{'dyn_shape.assume' op has no place in 'foreign.grain'}}
  %0 = dyn_shape.assume %n {lower = 0 : i64} : index
  return %0 : index
}
