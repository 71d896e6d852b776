// RUN: dyn-opt --dyn-infer-shapes --split-input-file %s | FileCheck %s

// What -1 stands for is a polynomial: nothing is required, and sizes of 0 are fine.
// CHECK-LABEL: @whole
// CHECK-SAME: -> tensor<?x?x768xf32, #dyn.dims<[B, S, 768]>>
// CHECK-NOT: dyn.require
func.func @whole(%x: tensor<?x768xf32, #dyn.dims<[B * S, 768]>>, %y: tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, 64] from arg1[0], S: [0, 512] from arg1[1]>} {
  %dims = dyn.shape_of %y : (tensor<?x?xf32, #dyn.dims<[B, S]>>) -> tensor<2xi64>
  %b, %s = dyn.split %dims axis 0 : (tensor<2xi64>) -> (tensor<*xi64>, tensor<*xi64>)
  %rest = dyn.constant dense<[-1, 768]> : tensor<2xi64>
  %shape = dyn.concat 0 (%b, %rest) : (tensor<*xi64>, tensor<2xi64>) -> tensor<*xi64>
  %r = dyn.reshape_to %x, %shape : (tensor<?x768xf32, #dyn.dims<[B * S, 768]>>, tensor<*xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// CHECK-LABEL: @by_constant
// CHECK-SAME: -> tensor<32x?x1024xf32, #dyn.dims<[32, n floordiv 32, 1024]>>
// CHECK: dyn.require n mod 32 == 0
func.func @by_constant(%x: tensor<?x1024xf32, #dyn.dims<[n, 1024]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %shape = dyn.constant dense<[32, -1, 1024]> : tensor<3xi64>
  %r = dyn.reshape_to %x, %shape : (tensor<?x1024xf32, #dyn.dims<[n, 1024]>>, tensor<3xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// An exact division is no proof that there is no remainder, nor that the divisor is not 0.
// CHECK-LABEL: @by_symbol
// CHECK-SAME: -> tensor<?x?xf32, #dyn.dims<[k, exactdiv(768 * n, k)]>>
// CHECK: dyn.require 1 <= k
// CHECK: dyn.require (768 * n) mod k == 0
func.func @by_symbol(%x: tensor<?x768xf32, #dyn.dims<[n, 768]>>, %y: tensor<?xf32, #dyn.dims<[k]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<k: [0, 64] from arg1[0], n: [0, 512] from arg0[0]>} {
  %k = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[k]>>) -> tensor<1xi64>
  %rest = dyn.constant dense<-1> : tensor<1xi64>
  %shape = dyn.concat 0 (%k, %rest) : (tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %r = dyn.reshape_to %x, %shape : (tensor<?x768xf32, #dyn.dims<[n, 768]>>, tensor<*xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Only one element is data: the others say what it must be, unless it says -1.
// CHECK-LABEL: @from_data
// CHECK-SAME: -> tensor<?x4xf32, #dyn.dims<[n, 4]>>
// CHECK: dyn.require [[SIZE:.*]] == n or [[SIZE]] == -1
func.func @from_data(%x: tensor<?x4xf32, #dyn.dims<[n, 4]>>, %size: tensor<1xi64>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
  %four = dyn.constant dense<4> : tensor<1xi64>
  %shape = dyn.concat 0 (%size, %four) : (tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %r = dyn.reshape_to %x, %shape : (tensor<?x4xf32, #dyn.dims<[n, 4]>>, tensor<*xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// Constants that both sides have are not said, wherever they stand.
// CHECK-LABEL: @common_constants
// CHECK: dyn.require 3 * b == 2 * n because "reshape"
func.func @common_constants(%x: tensor<?x4x3xf32, #dyn.dims<[n, 4, 3]>>, %y: tensor<?xf32, #dyn.dims<[b]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0], b: [0, ?] from arg1[0]>} {
  %b = dyn.shape_of %y : (tensor<?xf32, #dyn.dims<[b]>>) -> tensor<1xi64>
  %rest = dyn.constant dense<[9, 2]> : tensor<2xi64>
  %shape = dyn.concat 0 (%b, %rest) : (tensor<1xi64>, tensor<2xi64>) -> tensor<*xi64>
  %r = dyn.reshape_to %x, %shape : (tensor<?x4x3xf32, #dyn.dims<[n, 4, 3]>>, tensor<*xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}

// -----

// What is left is so whatever is known of the sizes: with the guard alone it would be 17, where B is not 0.
// CHECK: [[DIMS:#.*]] = #dyn.dims<[B, (H floordiv 2) * (W floordiv 2) + 1, 4, 8]>
// CHECK-LABEL: @beside_facts
// CHECK-SAME: -> tensor<?x?x4x8xf32, [[DIMS]]>
// CHECK-NOT: dyn.require 1 <= B
func.func @beside_facts(%x: tensor<?x?x32xf32, #dyn.dims<[B, (H floordiv 2) * (W floordiv 2) + 1, 32]>>,
                        %y: tensor<?x?x?xf32, #dyn.dims<[B, H, W]>>) -> tensor<*xf32>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg1[0], H: [0, ?] from arg1[1], W: [0, ?] from arg1[2]>,
                dyn.constraints = #dyn.constraints<"(B * (H floordiv 2) * (W floordiv 2)) mod 16 == 0",
                                                   "B == (B * (H floordiv 2) * (W floordiv 2)) floordiv 16">} {
  %dims = dyn.shape_of %y : (tensor<?x?x?xf32, #dyn.dims<[B, H, W]>>) -> tensor<3xi64>
  %b, %h, %w = dyn.split %dims axis 0 : (tensor<3xi64>) -> (tensor<*xi64>, tensor<*xi64>, tensor<*xi64>)
  %rest = dyn.constant dense<[-1, 4, 8]> : tensor<3xi64>
  %shape = dyn.concat 0 (%b, %rest) : (tensor<*xi64>, tensor<3xi64>) -> tensor<*xi64>
  %r = dyn.reshape_to %x, %shape allow_zero : (tensor<?x?x32xf32, #dyn.dims<[B, (H floordiv 2) * (W floordiv 2) + 1, 32]>>, tensor<*xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
