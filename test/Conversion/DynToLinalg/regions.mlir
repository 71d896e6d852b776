// RUN: dyn-opt %s --split-input-file --dyn-reify-shapes --dyn-verify-reified --mlir-print-local-scope | FileCheck %s

// Loops over bins, in which others count the samples that data determine; maps without pixels are refused unless there
// are no bins.
// CHECK-LABEL: func.func @adaptive
// CHECK-DAG: %[[R:.*]] = dyn_shape.sym "R"
// CHECK-DAG: dyn_shape.check {{.*}}indices into an empty dim
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[R]]
// CHECK: dyn_shape.bound %{{.*}} below %{{.*}} guard 0
// CHECK: %[[ROWS:.*]] = dyn_shape.bound %{{.*}} below %{{.*}} guard 1
// CHECK: %[[COLUMNS:.*]] = dyn_shape.bound %{{.*}} below %{{.*}} guard 1
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COLUMNS]]
// CHECK-COUNT-4: tensor.extract
// CHECK: tensor.insert
func.func @adaptive(%x: tensor<2x3x?x5xf32, #dyn.dims<[2, 3, H, 5]>>, %r: tensor<?x4xf32, #dyn.dims<[R, 4]>>,
                    %b: tensor<?xi64, #dyn.dims<[R]>>) -> tensor<?x3x2x2xf32, #dyn.dims<[R, 3, 2, 2]>>
    attributes {dyn.symbols = #dyn.symbols<H: [0, ?] from arg0[2], R: [0, ?] from arg1[0]>} {
  %0 = dyn.roi_align %x, %r, %b height 2 width 2 samples 0 scale 1.0
      : (tensor<2x3x?x5xf32, #dyn.dims<[2, 3, H, 5]>>, tensor<?x4xf32, #dyn.dims<[R, 4]>>, tensor<?xi64, #dyn.dims<[R]>>)
      -> tensor<?x3x2x2xf32, #dyn.dims<[R, 3, 2, 2]>>
  return %0 : tensor<?x3x2x2xf32, #dyn.dims<[R, 3, 2, 2]>>
}
