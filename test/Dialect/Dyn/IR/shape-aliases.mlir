// RUN: dyn-opt %s | FileCheck %s

// CHECK: #[[SHAPE:shape[0-9]*]] = #dyn.dims<[batch, heads, past_sequence + sequence,
// CHECK-LABEL: func @long_encodings_get_a_name
// CHECK-SAME: tensor<?x?x?x64xf32, #[[SHAPE]]>
func.func @long_encodings_get_a_name(
    %a: tensor<?x?x?x64xf32, #dyn.dims<[batch, heads, past_sequence + sequence, 64]>>,
    // CHECK-SAME: tensor<?xf32, #dyn.dims<[batch]>>
    %b: tensor<?xf32, #dyn.dims<[batch]>>) {
  return
}
