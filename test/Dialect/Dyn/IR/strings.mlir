// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --dyn-infer-shapes --dyn-fold-constants | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func @strings
// SHAPES-LABEL: func.func @strings
func.func @strings(%x: tensor<?x!dyn.string, #dyn.dims<[N]>>, %i: tensor<2xi64>) -> (tensor<*x!dyn.string>, tensor<*xi1>, tensor<*xi1>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  // CHECK: dyn.constant dense<["a", "", "c"]> : tensor<3x!dyn.string>
  %table = dyn.constant dense<["a", "", "c"]> : tensor<3x!dyn.string>
  // CHECK: dyn.constant dense<"c"> : tensor<2x!dyn.string>
  %same = dyn.constant dense<"c"> : tensor<2x!dyn.string>
  // CHECK: dyn.gather
  // SHAPES: %[[FOUND:.+]] = dyn.gather {{.*}} -> tensor<2x!dyn.string>
  %found = dyn.gather %table, %i axis 0 : (tensor<3x!dyn.string>, tensor<2xi64>) -> tensor<2x!dyn.string>
  // SHAPES: %[[ALL:.+]] = dyn.concat {{.*}} -> tensor<?x!dyn.string, #dyn.dims<[N + 2]>>
  %all = dyn.concat 0 (%x, %found) : (tensor<?x!dyn.string, #dyn.dims<[N]>>, tensor<2x!dyn.string>) -> tensor<*x!dyn.string>
  // SHAPES: %[[EQUAL:.+]] = dyn.compare eq %[[FOUND]], {{.*}} -> tensor<2xi1>
  %equal = dyn.compare eq %found, %same : (tensor<2x!dyn.string>, tensor<2x!dyn.string>) -> tensor<*xi1>
  // What constants decide is folded.
  // SHAPES-DAG: %[[CONSTANT:.+]] = dyn.constant dense<[false, false, true]> : tensor<3xi1>
  %c = dyn.constant dense<"c"> : tensor<!dyn.string>
  %folded = dyn.compare eq %table, %c : (tensor<3x!dyn.string>, tensor<!dyn.string>) -> tensor<*xi1>
  // SHAPES: return %[[ALL]], %[[EQUAL]], %[[CONSTANT]]
  return %all, %equal, %folded : tensor<*x!dyn.string>, tensor<*xi1>, tensor<*xi1>
}
