// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// Each distinct expression is one value; the signature keeps the dims; a guard is a check.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: tensor<?x?xf32> {dyn.dims = #dyn.dims<[B, S]>, dyn.name = "x"}
// CHECK-SAME: -> (tensor<?x?xf32> {dyn.dims = #dyn.dims<[B, P + S]>, dyn.name = "z"})
// CHECK-SAME: dyn.symbols
// CHECK-DAG: %[[B:.*]] = dyn_shape.sym "B"
// CHECK-DAG: %[[S:.*]] = dyn_shape.sym "S"
// CHECK-DAG: %[[P:.*]] = dyn_shape.sym "P"
// CHECK-DAG: dyn_shape.check P + S <= 600 ({{.*}}) because "rows of positions"
// CHECK-DAG: %[[N:.*]] = dyn_shape.apply {{.*}} : index
// CHECK-NOT: dyn_shape.apply
// CHECK: %[[E:.*]] = tensor.empty(%[[B]], %[[N]])
// CHECK: tensor.insert_slice %{{.*}} into %[[E]][0, 0] [%[[B]], %[[S]]] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, %[[S]]] [%[[B]], %[[P]]] [1, 1]
// CHECK: tensor.empty(%[[B]], %[[N]])
// CHECK: math.exp
func.func @sizes(%x: tensor<?x?xf32, #dyn.dims<[B, S]>> {dyn.name = "x"}, %y: tensor<?x?xf32, #dyn.dims<[B, P]>>)
    -> (tensor<?x?xf32, #dyn.dims<[B, S + P]>> {dyn.name = "z"})
    attributes {dyn.symbols = #dyn.symbols<B: [1, 64] from arg0[0], S: [0, 512] from arg0[1], P: [0, 512] from arg1[1]>} {
  dyn.require S + P <= 600 because "rows of positions"
  %0 = dyn.concat 1 (%x, %y) : (tensor<?x?xf32, #dyn.dims<[B, S]>>, tensor<?x?xf32, #dyn.dims<[B, P]>>)
      -> tensor<?x?xf32, #dyn.dims<[B, S + P]>>
  %1 = dyn.exp %0 : (tensor<?x?xf32, #dyn.dims<[B, S + P]>>) -> tensor<?x?xf32, #dyn.dims<[B, S + P]>>
  return %1 : tensor<?x?xf32, #dyn.dims<[B, S + P]>>
}

// -----

// Unsigned integers are signless below, and the signature says what they were.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: tensor<4xi8> {dyn.dims = #dyn.dims<[4]>, dyn.element_type = ui8}
// CHECK-SAME: -> (tensor<4xi8> {dyn.dims = #dyn.dims<[4]>, dyn.element_type = ui8}
// CHECK: arith.constant 3 : i8
// CHECK: arith.divui
// CHECK: dyn.constant dense<[1, 2, 3, -1]> : tensor<4xi8>
// CHECK: arith.maxui
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %c = dyn.constant dense<3> : tensor<ui8>
  %0 = dyn.div %x, %c : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  %k = dyn.constant dense<[1, 2, 3, 255]> : tensor<4xui8>
  %1 = dyn.max %0, %k : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}
