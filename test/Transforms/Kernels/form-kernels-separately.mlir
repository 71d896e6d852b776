// RUN: dyn-opt %s --dyn-form-kernels=fuse=false --dyn-verify-kernels | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @equal_forms_share_a_kernel
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[B0:.*]]: tensor<8xf32>, %[[B1:.*]]: tensor<8xf32>)
// CHECK: %[[S:.*]] = dyn_shape.sym "S"
// CHECK: %[[E0:.*]] = tensor.empty(%[[S]])
// CHECK: %[[R0:.*]] = dyn_shape.launch @[[K:pointwise_0]] ins(%[[X]], %[[B0]] : {{.*}}) outs(%[[E0]]
// CHECK: %[[E1:.*]] = tensor.empty(%[[S]])
// CHECK: %[[R1:.*]] = dyn_shape.launch @[[K]] ins(%[[R0]], %[[B1]] : {{.*}}) outs(%[[E1]]
// CHECK: return %[[R1]]
func.func @equal_forms_share_a_kernel(%x: tensor<?x8xf32>, %b0: tensor<8xf32>, %b1: tensor<8xf32>) -> tensor<?x8xf32> {
  %s = dyn_shape.sym "S" : index
  %e = tensor.empty(%s) : tensor<?x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b0 : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b1 : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
// CHECK: func.func private @pointwise_0(%{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<8xf32>, %[[OUT:.*]]: tensor<?x8xf32>) -> tensor<?x8xf32>
// CHECK-SAME: attributes {dyn.kernel = "pointwise"}
// CHECK: linalg.generic {{.*}} outs(%[[OUT]]

