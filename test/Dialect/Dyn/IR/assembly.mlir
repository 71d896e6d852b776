// RUN: dyn-opt %s | FileCheck %s --strict-whitespace
// RUN: dyn-opt %s | dyn-opt | FileCheck %s --strict-whitespace
// RUN: dyn-opt %s --emit-bytecode | dyn-opt | FileCheck %s --strict-whitespace
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s --strict-whitespace

// What people read and write: no word twice, no blank twice.

// CHECK-LABEL:  func.func @contraction(
// CHECK:    %{{[0-9]+}} = dyn.matmul %arg0, %arg1 : (tensor<?x?xf32, #dyn.dims<[s3, s4]>>, tensor<?x?xf32, #dyn.dims<[s4, s5]>>) -> tensor<?x?xf32, #dyn.dims<[s3, s5]>>
// CHECK:    dyn.require s4 == s6 because "matmul: contraction"{{$}}
func.func @contraction(%a: tensor<?x?xf32, #dyn.dims<[s3, s4]>>, %b: tensor<?x?xf32, #dyn.dims<[s4, s5]>>) attributes {
    dyn.symbols = #dyn.symbols<s3: [0, ?], s4: [0, ?], s5: [0, ?], s6: [0, ?]>} {
  %c = dyn.matmul %a, %b : (tensor<?x?xf32, #dyn.dims<[s3, s4]>>, tensor<?x?xf32, #dyn.dims<[s4, s5]>>)
       -> tensor<?x?xf32, #dyn.dims<[s3, s5]>>
  dyn.require s4 == s6 because "matmul: contraction"
  return
}

// CHECK-LABEL:  func.func @shape_subgraph(
// CHECK:    %[[S:[0-9]+]] = dyn.shape_of %arg0 : tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>> -> tensor<3xi64>
// CHECK-NEXT:    %[[B:[0-9]+]] = dyn.slice %[[S]][0:2] : tensor<3xi64> -> tensor<2xi64>
// CHECK-NEXT:    %[[H:[0-9]+]] = dyn.constant dense<[12, -1]> : tensor<2xi64>
// CHECK-NEXT:    %[[T:[0-9]+]] = dyn.concat 0(%[[B]], %[[H]]) : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.reshape_to %arg0, %[[T]] : (tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>, tensor<4xi64>) -> tensor<?x?x12x64xf32, #dyn.dims<[B, S, 12, 64]>>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.shape_of %arg0 : tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>> -> tensor<3xi64>
func.func @shape_subgraph(%x: tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>) attributes {
    dyn.symbols = #dyn.symbols<B: [0, ?], S: [0, ?]>} {
  %s = dyn.shape_of %x : tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>> -> tensor<3xi64>
  %b = dyn.slice %s[0:2] : tensor<3xi64> -> tensor<2xi64>
  %h = dyn.constant dense<[12, -1]> : tensor<2xi64>
  %t = dyn.concat 0 (%b, %h) : (tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  %r = dyn.reshape_to %x, %t : (tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>, tensor<4xi64>)
       -> tensor<?x?x12x64xf32, #dyn.dims<[B, S, 12, 64]>>
  // Brackets around one type are fine.
  %u = dyn.shape_of %x : (tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>) -> tensor<3xi64>
  return
}

// Dims from 0 to the number of elements.
// CHECK-LABEL:  func.func @nonzero(
// CHECK:    %[[I:[0-9]+]] = dyn.nonzero %arg0 binds [u0: 0 ... B * S] : tensor<?x?xf32, #dyn.dims<[B, S]>> -> tensor<2x?xi64, #dyn.dims<[2, u0]>>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.gather_nd %arg0, %[[I]]
// CHECK-NEXT:    %{{[0-9]+}} = dyn.nonzero %arg0 binds [u1: 0 ... B * S] : tensor<
// CHECK-NEXT:    %{{[0-9]+}} = dyn.nonzero %arg1 binds u2 : tensor<?xf32> -> tensor<1x?xi64, #dyn.dims<[1, u2]>>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.nonzero %arg0 : tensor<
func.func @nonzero(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>, %y: tensor<?xf32>) attributes {
    dyn.symbols = #dyn.symbols<B: [0, ?], S: [0, ?], u0: [0, ?] bound, u1: [0, ?] bound, u2: [0, ?] bound>} {
  %i = dyn.nonzero %x binds [u0: 0 ... S*B] : tensor<?x?xf32, #dyn.dims<[B, S]>> -> tensor<2x?xi64, #dyn.dims<[2, u0]>>
  %g = dyn.gather_nd %x, %i : (tensor<?x?xf32, #dyn.dims<[B, S]>>, tensor<2x?xi64, #dyn.dims<[2, u0]>>) -> tensor<*xf32>
  %j = dyn.nonzero %x binds "u1" : (tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<2x?xi64, #dyn.dims<[2, u1]>>
  %k = dyn.nonzero %y binds u2 : tensor<?xf32> -> tensor<1x?xi64, #dyn.dims<[1, u2]>>
  %l = dyn.nonzero %x : tensor<?x?xf32, #dyn.dims<[B, S]>> -> tensor<2x?xi64>
  return
}

// CHECK-LABEL:  func.func @slices(
// CHECK:    %{{[0-9]+}} = dyn.slice %arg0[P:S, 0:8:2] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x4xf32, #dyn.dims<[S - P, 4]>>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.slice %arg0[S - 1:-1:-1, 0:8] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.slice %arg0[0:, 0:8] {note} : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x8xf32>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.slice %arg1[] : tensor<f32> -> tensor<f32>
func.func @slices(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>>, %y: tensor<f32>) attributes {
    dyn.symbols = #dyn.symbols<P: [0, ?], S: [0, ?]>} {
  %0 = dyn.slice %x[P:S, 0::2] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x4xf32, #dyn.dims<[S - P, 4]>>
  %1 = dyn.slice %x[S - 1:-1:-1, 0:8] : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x8xf32, #dyn.dims<[S, 8]>>
  %2 = dyn.slice %x[0:, 0:] {note} : tensor<?x8xf32, #dyn.dims<[S, 8]>> -> tensor<?x8xf32>
  %3 = dyn.slice %y[] : tensor<f32> -> tensor<f32>
  return
}

// CHECK-LABEL:  func.func @words(
// CHECK:    %{{[0-9]+}} = dyn.reduce max %arg0 axes [-1] keep_dims : (tensor<4x4xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.reduce_to sum %arg0, %arg1 keep_dims : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.arg_reduce min %arg0 axis 1 : (tensor<4x4xf32>) -> tensor<4xi64>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.compare ge %arg0, %arg0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.pad edge %arg0 low [1, 0] : (tensor<4x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT:    %{{[0-9]+}} = dyn.scatter_nd %arg0, %arg2, %arg0 reduction prod : (
// CHECK-NEXT:    %{{[0-9]+}} = dyn.scatter_nd %arg0, %arg2, %arg0 : (
func.func @words(%x: tensor<4x4xf32>, %axes: tensor<1xi64>, %rows: tensor<4x1xi64>) {
  %0 = dyn.reduce max %x axes [-1] keep_dims : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %1 = dyn.reduce_to sum %x, %axes keep_dims : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<4x1xf32>
  %2 = dyn.arg_reduce min %x axis 1 : (tensor<4x4xf32>) -> tensor<4xi64>
  %3 = dyn.compare ge %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
  %4 = dyn.pad edge %x low [1, 0] : (tensor<4x4xf32>) -> tensor<6x4xf32>
  %5 = dyn.scatter_nd %x, %rows, %x reduction prod : (tensor<4x4xf32>, tensor<4x1xi64>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = dyn.scatter_nd %x, %rows, %x : (tensor<4x4xf32>, tensor<4x1xi64>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
