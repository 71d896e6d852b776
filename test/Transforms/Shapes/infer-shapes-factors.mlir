// RUN: dyn-opt %s --dyn-infer-shapes --dyn-minimize-guards | FileCheck %s

// Fires: as many elements as before are an equation of a product with two sums.
// CHECK-LABEL: func.func @product
// CHECK-NEXT: dyn.require S == 2 or U == T or B == 0 because "reshape"
func.func @product(%x: tensor<?x?x?xf32, #dyn.dims<[B, 2 * S, T]>>, %y: tensor<?xf32, #dyn.dims<[U]>>)
    -> tensor<?x?xf32, #dyn.dims<[B, S * T + S * U + 2 * T - 2 * U]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1], T: [0, ?] from arg0[2], U: [0, ?] from arg1[0]>} {
  %0 = dyn.reshape %x : tensor<?x?x?xf32, #dyn.dims<[B, 2 * S, T]>> to tensor<?x?xf32, #dyn.dims<[B, S * T + S * U + 2 * T - 2 * U]>>
  return %0 : tensor<?x?xf32, #dyn.dims<[B, S * T + S * U + 2 * T - 2 * U]>>
}

// Fires: what the facts say is not 0 goes.
// CHECK-LABEL: func.func @factor_that_is_not_zero
// CHECK-NEXT: dyn.require U == T because "reshape"
func.func @factor_that_is_not_zero(%x: tensor<?x?x?xf32, #dyn.dims<[B, 2 * S, T]>>, %y: tensor<?xf32, #dyn.dims<[U]>>)
    -> tensor<?x?xf32, #dyn.dims<[B, S * T + S * U + 2 * T - 2 * U]>>
    attributes {dyn.symbols = #dyn.symbols<B: [1, ?] from arg0[0], S: [3, ?] from arg0[1], T: [0, ?] from arg0[2], U: [0, ?] from arg1[0]>} {
  %0 = dyn.reshape %x : tensor<?x?x?xf32, #dyn.dims<[B, 2 * S, T]>> to tensor<?x?xf32, #dyn.dims<[B, S * T + S * U + 2 * T - 2 * U]>>
  return %0 : tensor<?x?xf32, #dyn.dims<[B, S * T + S * U + 2 * T - 2 * U]>>
}

// Does not fire: no product of sums.
// CHECK-LABEL: func.func @no_product
// CHECK-NEXT: dyn.require B * T + U == B * S * T because "reshape"
func.func @no_product(%x: tensor<?x?x?xf32, #dyn.dims<[B, S, T]>>, %y: tensor<?xf32, #dyn.dims<[U]>>)
    -> tensor<?xf32, #dyn.dims<[B * T + U]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1], T: [0, ?] from arg0[2], U: [0, ?] from arg1[0]>} {
  %0 = dyn.reshape %x : tensor<?x?x?xf32, #dyn.dims<[B, S, T]>> to tensor<?xf32, #dyn.dims<[B * T + U]>>
  return %0 : tensor<?xf32, #dyn.dims<[B * T + U]>>
}

// Does not fire: where the divisor is 0 neither side has a value, which a factor that is 0 would hide.
// CHECK-LABEL: func.func @divisor
// CHECK-NOT: or B == 0
// CHECK: return
func.func @divisor(%x: tensor<?x?x?xf32, #dyn.dims<[B, 2 * S, T]>>, %y: tensor<?xf32, #dyn.dims<[U]>>)
    -> tensor<?x?xf32, #dyn.dims<[B, S * T + S * (T floordiv U) + 2 * T - 2 * (T floordiv U)]>>
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1], T: [0, ?] from arg0[2], U: [0, ?] from arg1[0]>} {
  %0 = dyn.reshape %x : tensor<?x?x?xf32, #dyn.dims<[B, 2 * S, T]>> to tensor<?x?xf32, #dyn.dims<[B, S * T + S * (T floordiv U) + 2 * T - 2 * (T floordiv U)]>>
  return %0 : tensor<?x?xf32, #dyn.dims<[B, S * T + S * (T floordiv U) + 2 * T - 2 * (T floordiv U)]>>
}
