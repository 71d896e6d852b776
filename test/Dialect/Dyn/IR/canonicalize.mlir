// RUN: dyn-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @transposes_compose
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[T:.*]] = dyn.transpose %[[X]] perm [1, 2, 0]
// CHECK-NEXT: return %[[T]]
func.func @transposes_compose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = dyn.transpose %x perm [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = dyn.transpose %0 perm [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

// CHECK-LABEL: func @there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @there_and_back(%x: tensor<?x?xf32, #dyn.dims<[S, P]>>) -> tensor<?x?xf32, #dyn.dims<[S, P]>> {
  %0 = dyn.transpose %x perm [1, 0] : (tensor<?x?xf32, #dyn.dims<[S, P]>>) -> tensor<?x?xf32, #dyn.dims<[P, S]>>
  %1 = dyn.transpose %0 perm [1, 0] : (tensor<?x?xf32, #dyn.dims<[P, S]>>) -> tensor<?x?xf32, #dyn.dims<[S, P]>>
  return %1 : tensor<?x?xf32, #dyn.dims<[S, P]>>
}

// Folding would lose that the dim is S.
// CHECK-LABEL: func @knowledge_is_kept
// CHECK: dyn.reshape
func.func @knowledge_is_kept(%x: tensor<?xf32>) -> tensor<?xf32, #dyn.dims<[S]>> {
  %0 = dyn.reshape %x : tensor<?xf32> to tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

// CHECK-LABEL: func @identities
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @identities(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>> {
  %0 = dyn.reshape %x : tensor<?xf32, #dyn.dims<[S]>> to tensor<?xf32, #dyn.dims<[S]>>
  %1 = dyn.cast %0 : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  %2 = dyn.broadcast %1 : tensor<?xf32, #dyn.dims<[S]>> to tensor<?xf32, #dyn.dims<[S]>>
  %3 = dyn.concat 0 (%2) : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  %4 = dyn.assume_shape %3 : tensor<?xf32, #dyn.dims<[S]>> to tensor<?xf32, #dyn.dims<[S]>>
  return %4 : tensor<?xf32, #dyn.dims<[S]>>
}

// CHECK-LABEL: func @reshapes_compose
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: dyn.reshape %[[X]] : tensor<2x6xf32> to tensor<4x3xf32>
func.func @reshapes_compose(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = dyn.reshape %x : tensor<2x6xf32> to tensor<12xf32>
  %1 = dyn.reshape %0 : tensor<12xf32> to tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// Guards have effects: none goes away, not even an equal one (`dyn-minimize-guards` merges those).
// CHECK-LABEL: func @guards_stay
// CHECK: dyn.require S == 4
// CHECK: dyn.require S == 4
func.func @guards_stay() {
  dyn.require S == 4 because "add"
  dyn.require S == 4 because "add"
  return
}

// CHECK-LABEL: func @equal_constants_merge
// CHECK: %[[C:.*]] = dyn.constant
// CHECK-NEXT: return %[[C]], %[[C]]
func.func @equal_constants_merge() -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = dyn.constant #dyn.weight<"w.bin", 0, 64> : tensor<4x4xf32>
  %1 = dyn.constant #dyn.weight<"w.bin", 0, 64> : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
