// RUN: dyn-opt %s --dyn-pipeline='to=shapes' --dyn-print-shapes -o /dev/null | FileCheck %s
// RUN: dyn-opt %s --dyn-pipeline='to=reify' --dyn-print-shapes -o /dev/null | FileCheck %s --check-prefix=BELOW
// RUN: dyn-opt %s --dyn-pipeline='to=buffers' --dyn-print-shapes -o /dev/null | FileCheck %s --check-prefix=BELOW
// RUN: echo 'func.func @plain(%%x: vector<4xf32>, %%y: memref<4xf32>) { return }' | dyn-opt --dyn-print-shapes -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=PLAIN

// Below the waterline, dims stand beside the types, and guards are checks.
// BELOW: function main
// BELOW: guards
// BELOW-NEXT: S <= 16 (rows of input `arg1`, node /emb/Add)
// BELOW-NEXT: inputs
// BELOW-NEXT: x [B, S] f32
// BELOW-NEXT: 1 [16] f32
// BELOW-NEXT: outputs
// BELOW-NEXT: y [B, S] f32

// A module in which nothing is of Dyn.
// PLAIN: function plain
// PLAIN: 1 [4] f32

// CHECK: function main
// CHECK-NEXT: symbols
// CHECK-NEXT: B: [0, ?] dim 0 of 'x'
// CHECK-NEXT: S: [0, ?] dim 1 of 'x'
// CHECK-NEXT: guards
// CHECK-NEXT: S <= 16 (rows of input `arg1`, node /emb/Add)
// CHECK-NEXT: inputs
// CHECK-NEXT: x [B, S] f32
// CHECK-NEXT: 1 [16] f32
// CHECK-NEXT: outputs
// CHECK-NEXT: y [B, S] f32
// CHECK-NEXT: values
// CHECK: slice [S] f32
// CHECK-NEXT: add [B, S] f32 /emb/Add
func.func @main(%x: tensor<?x?xf32, #dyn.dims<[B, S]>> {dyn.name = "x"}, %table: tensor<16xf32>)
    -> (tensor<?x?xf32> {dyn.name = "y"}) attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  %zero = dyn.constant dense<0> : tensor<1xi64>
  %one = dyn.constant dense<1> : tensor<i64>
  %s = dyn.shape_of %x : (tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<2xi64>
  %n = dyn.gather %s, %one axis 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %n1 = dyn.unsqueeze %n axes [0] : (tensor<i64>) -> tensor<1xi64>
  %r = dyn.slice_to %table from %zero to %n1 axes %zero : (tensor<16xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %y = dyn.add %x, %r : (tensor<?x?xf32, #dyn.dims<[B, S]>>, tensor<?xf32>) -> tensor<?x?xf32> loc("/emb/Add")
  return %y : tensor<?x?xf32>
}
