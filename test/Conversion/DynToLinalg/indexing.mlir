// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// Indices that data determine are bounded, in the name of the node.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: dyn.index_guards = ["/emb/Gather"]
// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[AT:.*]] = dyn_shape.bound %[[I]] below %{{.*}} from_end guard 0 : index
// CHECK: %[[D:.*]] = linalg.index 2
// CHECK: tensor.extract %{{.*}}[%[[AT]], %[[D]]]
func.func @gather(%table: tensor<100x8xf32>, %ids: tensor<?x?xi64, #dyn.dims<[B, S]>>) -> tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, 64] from arg1[0], S: [0, 512] from arg1[1]>} {
  %0 = dyn.gather %table, %ids axis 0 : (tensor<100x8xf32>, tensor<?x?xi64, #dyn.dims<[B, S]>>)
      -> tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>> loc("/emb/Gather")
  return %0 : tensor<?x?x8xf32, #dyn.dims<[B, S, 8]>>
}

// -----

// The input that holds the indices, if they are all that it holds.
// CHECK-LABEL: func.func @gather_by_input
// CHECK-SAME: dyn.index_guards = [{index_of = "/emb/Gather", input = "ids"}, "/emb/Computed"]
func.func @gather_by_input(%table: tensor<100x8xf32>, %ids: tensor<?xi32, #dyn.dims<[S]>> {dyn.name = "ids"})
    -> (tensor<1x?x8xf32, #dyn.dims<[1, S, 8]>>, tensor<?x8xf32, #dyn.dims<[S, 8]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, 512] from arg1[0]>} {
  %wide = dyn.cast %ids : (tensor<?xi32, #dyn.dims<[S]>>) -> tensor<?xi64, #dyn.dims<[S]>>
  %row = dyn.reshape %wide : tensor<?xi64, #dyn.dims<[S]>> to tensor<1x?xi64, #dyn.dims<[1, S]>>
  %0 = dyn.gather %table, %row axis 0 : (tensor<100x8xf32>, tensor<1x?xi64, #dyn.dims<[1, S]>>)
      -> tensor<1x?x8xf32, #dyn.dims<[1, S, 8]>> loc("/emb/Gather")
  %sum = dyn.add %wide, %wide : (tensor<?xi64, #dyn.dims<[S]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xi64, #dyn.dims<[S]>>
  %1 = dyn.gather %table, %sum axis 0 : (tensor<100x8xf32>, tensor<?xi64, #dyn.dims<[S]>>)
      -> tensor<?x8xf32, #dyn.dims<[S, 8]>> loc("/emb/Computed")
  return %0, %1 : tensor<1x?x8xf32, #dyn.dims<[1, S, 8]>>, tensor<?x8xf32, #dyn.dims<[S, 8]>>
}

// -----

// Proved in bounds: only counted from the end.
// CHECK-LABEL: func.func @gather_in_bounds
// CHECK-NOT: dyn_shape.bound
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: tensor.extract
func.func @gather_in_bounds(%table: tensor<100x8xf32>, %ids: tensor<4xi64>) -> tensor<4x8xf32> {
  %0 = dyn.gather %table, %ids axis 0 {in_bounds} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// An index into a dim that may be empty would have no place to be forced to, so the host checks.
// CHECK-LABEL: func.func @gather_from_maybe_empty
// CHECK: dyn_shape.check {{.*}} because "indices into an empty dim"
// CHECK: dyn_shape.bound
func.func @gather_from_maybe_empty(%table: tensor<?xf32, #dyn.dims<[N]>>, %ids: tensor<?xi64, #dyn.dims<[S]>>)
    -> tensor<?xf32, #dyn.dims<[S]>>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], S: [0, 512] from arg1[0]>} {
  %0 = dyn.gather %table, %ids axis 0 : (tensor<?xf32, #dyn.dims<[N]>>, tensor<?xi64, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

// -----

// A constant index that fits needs no check.
// CHECK-LABEL: func.func @last_row
// CHECK-NOT: dyn_shape.bound
// CHECK: tensor.extract
func.func @last_row(%x: tensor<?x8xf32, #dyn.dims<[S, 8]>>) -> tensor<8xf32>
    attributes {dyn.symbols = #dyn.symbols<S: [1, 512] from arg0[0]>} {
  %c = dyn.constant dense<-1> : tensor<i64>
  %0 = dyn.gather %x, %c axis 0 : (tensor<?x8xf32, #dyn.dims<[S, 8]>>, tensor<i64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @scatter_nd
// CHECK: %[[COPY:.*]] = linalg.generic
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK: dyn_shape.bound
// CHECK: tensor.insert
func.func @scatter_nd(%x: tensor<4x8xf32>, %at: tensor<2x1xi64>, %updates: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %0 = dyn.scatter_nd %x, %at, %updates : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
