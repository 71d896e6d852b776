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

// CHECK-LABEL: func.func @computed
// SHAPES-LABEL: func.func @computed
func.func @computed(%x: tensor<?x!dyn.string, #dyn.dims<[N]>>, %y: tensor<2x1x!dyn.string>, %i: tensor<3xi64>)
    -> (tensor<*x!dyn.string>, tensor<*x!dyn.string>, tensor<*xi64>, tensor<*x!dyn.string>)
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  // CHECK: dyn.string_concat
  // SHAPES: %[[JOINED:.+]] = dyn.string_concat {{.*}} -> tensor<2x?x!dyn.string, #dyn.dims<[2, N]>>
  %joined = dyn.string_concat %x, %y : (tensor<?x!dyn.string, #dyn.dims<[N]>>, tensor<2x1x!dyn.string>) -> tensor<*x!dyn.string>
  // CHECK: dyn.string_case {{.*}} {upper}
  // SHAPES: %[[LARGE:.+]] = dyn.string_case {{.*}} -> tensor<2x?x!dyn.string, #dyn.dims<[2, N]>>
  %large = dyn.string_case %joined {upper} : (tensor<*x!dyn.string>) -> tensor<*x!dyn.string>
  // CHECK: dyn.string_count {{.*}} delimiter "," max_splits -1
  // SHAPES: %[[COUNTS:.+]] = dyn.string_count {{.*}} -> tensor<2x1xi64>
  %counts = dyn.string_count %y delimiter "," max_splits -1 : (tensor<2x1x!dyn.string>) -> tensor<*xi64>
  // CHECK: dyn.string_part {{.*}} delimiter "," max_splits 2
  // SHAPES: %[[PARTS:.+]] = dyn.string_part {{.*}} -> tensor<2x3x!dyn.string>
  %parts = dyn.string_part %y, %i delimiter "," max_splits 2 : (tensor<2x1x!dyn.string>, tensor<3xi64>) -> tensor<*x!dyn.string>
  // CHECK: dyn.string_match {{.*}} pattern "a|b"
  // SHAPES: dyn.string_match {{.*}} -> tensor<2x1xi1>
  %matches = dyn.string_match %y pattern "a|b" : (tensor<2x1x!dyn.string>) -> tensor<*xi1>
  // SHAPES: return %[[JOINED]], %[[LARGE]], %[[COUNTS]], %[[PARTS]]
  return %joined, %large, %counts, %parts : tensor<*x!dyn.string>, tensor<*x!dyn.string>, tensor<*xi64>, tensor<*x!dyn.string>
}

// SHAPES-LABEL: func.func @folded
func.func @folded() -> (tensor<*xi64>, tensor<*x!dyn.string>, tensor<*x!dyn.string>, tensor<*xi1>) {
  %table = dyn.constant dense<[" a  b\09c ", "", "d"]> : tensor<3x!dyn.string>
  %i = dyn.constant dense<1> : tensor<i64>
  // SHAPES-DAG: %[[COUNTS:.+]] = dyn.constant dense<[3, 0, 1]> : tensor<3xi64>
  %counts = dyn.string_count %table delimiter "" max_splits -1 : (tensor<3x!dyn.string>) -> tensor<*xi64>
  // Behind the last cut no blanks are left at the end.
  // SHAPES-DAG: %[[PARTS:.+]] = dyn.constant dense<["b\09c", "", ""]> : tensor<3x!dyn.string>
  %parts = dyn.string_part %table, %i delimiter "" max_splits 1 : (tensor<3x!dyn.string>, tensor<i64>) -> tensor<*x!dyn.string>
  // SHAPES-DAG: %[[LARGE:.+]] = dyn.constant dense<["STRA\C3\9FE \C3\84", "\FFA"]> : tensor<2x!dyn.string>
  %mixed = dyn.constant dense<["Stra\C3\9Fe \C3\A4", "\FFa"]> : tensor<2x!dyn.string>
  %large = dyn.string_case %mixed {upper} : (tensor<2x!dyn.string>) -> tensor<*x!dyn.string>
  // SHAPES-DAG: %[[MATCHES:.+]] = dyn.constant dense<[false, true, true]> : tensor<3xi1>
  %matches = dyn.string_match %table pattern "d?" : (tensor<3x!dyn.string>) -> tensor<*xi1>
  // SHAPES: return %[[COUNTS]], %[[PARTS]], %[[LARGE]], %[[MATCHES]]
  return %counts, %parts, %large, %matches : tensor<*xi64>, tensor<*x!dyn.string>, tensor<*x!dyn.string>, tensor<*xi1>
}
