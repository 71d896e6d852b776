// RUN: dyn-opt %s --dyn-plan-memory --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op returns 'tensor<4xf32>', which is no buffer with identity layout; dyn-bufferize should have seen to that}}
func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @tensors_inside(%x: tensor<4xf32>) {
  // expected-error @below {{'dyn.add' op gives a tensor; dyn-bufferize should have made it a buffer}}
  %y = dyn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-error @below {{'func.func' op returns 'index', which is no buffer with identity layout}}
func.func @scalar(%x: memref<4xf32>) -> index {
  %c = arith.constant 4 : index
  return %c : index
}

// -----

// expected-error @below {{'func.func' op has control flow: its memory is not planned yet}}
func.func @blocks(%x: memref<4xf32>, %c: i1) -> memref<4xf32> {
  cf.cond_br %c, ^left, ^right
^left:
  return %x : memref<4xf32>
^right:
  return %x : memref<4xf32>
}

// -----

// A buffer of 2^60 lines of 64 bytes can be counted in lines only.

// expected-error @below {{the working memory has more bytes than numbers of 64 bits count, or too long an expression for them; ranges of dims may help, such as `1..` for one that is never 0}}
func.func @too_large(%x: memref<4xf32>) -> memref<4xf32> {
  %n = arith.constant 4611686018427387904 : index
  %a = memref.alloc(%n) : memref<?xi8>
  %b = memref.alloc(%n) : memref<?xi8>
  %y = memref.alloc() : memref<4xf32>
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%a, %b : memref<?xi8>, memref<?xi8>)
  dyn_shape.launch @l ins(%a, %b : memref<?xi8>, memref<?xi8>) outs(%y : memref<4xf32>)
  return %y : memref<4xf32>
}
func.func private @k(memref<4xf32>, memref<?xi8>, memref<?xi8>) attributes {dyn.kernel = "pointwise"}
func.func private @l(memref<?xi8>, memref<?xi8>, memref<4xf32>) attributes {dyn.kernel = "pointwise"}

// -----

func.func @unknown_bytes(%x: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c = arith.constant 4611686018427387904 : index
  %0 = arith.muli %n, %c : index
  %1 = arith.muli %0, %c : index
  // expected-error @below {{has a size that no expression with 64-bit coefficients gives}}
  %a = memref.alloc(%1) : memref<?xf32>
  %y = memref.alloc() : memref<4xf32>
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%a : memref<?xf32>)
  dyn_shape.launch @l ins(%a : memref<?xf32>) outs(%y : memref<4xf32>)
  return %y : memref<4xf32>
}
func.func private @k(memref<4xf32>, memref<?xf32>) attributes {dyn.kernel = "pointwise"}
func.func private @l(memref<?xf32>, memref<4xf32>) attributes {dyn.kernel = "pointwise"}

// -----

func.func @view_of_unknown_dims(%x: memref<4xf32>, %n: index) -> memref<?xf32> {
  %c = arith.constant 4611686018427387904 : index
  %0 = arith.muli %n, %c : index
  %1 = arith.muli %0, %c : index
  %a = memref.alloc(%1) : memref<?x4xf32>
  dyn_shape.launch @k ins(%x : memref<4xf32>) outs(%a : memref<?x4xf32>)
  // expected-error @below {{is a view of a buffer whose dims are not known}}
  %y = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  return %y : memref<?xf32>
}
func.func private @k(memref<4xf32>, memref<?x4xf32>) attributes {dyn.kernel = "pointwise"}
