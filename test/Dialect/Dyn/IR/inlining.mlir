// RUN: dyn-opt %s --inline | FileCheck %s

func.func private @symbolic(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

// The caller would capture the callee's symbol.
// CHECK-LABEL: func @functions_with_symbols_stay
// CHECK: call @symbolic
func.func @functions_with_symbols_stay(%x: tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>> {
  %0 = func.call @symbolic(%x) : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32, #dyn.dims<[S]>>
  return %0 : tensor<?xf32, #dyn.dims<[S]>>
}

func.func private @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dyn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @functions_without_symbols_are_inlined
// CHECK-NEXT: dyn.exp
func.func @functions_without_symbols_are_inlined(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @plain(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
