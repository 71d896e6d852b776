// RUN: dyn-opt %s -dyn-minimize-guards | FileCheck %s

// Fires: what is found at small sizes and proved at all is said in few words.

// The rows from (T - C) floordiv 2 on, C of them.
// CHECK-LABEL: func.func @center
// CHECK-NEXT: dyn.require C <= T because "crop"
// CHECK-NEXT: return
func.func @center(%x: tensor<?x?xf32, #dyn.dims<[T, C]>>)
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0], C: [0, ?] from arg0[1]>} {
  dyn.require C == max(min(max((T + C) floordiv 2 - T, C + min(-T, -((T + C) floordiv 2))), 0) + min(T * max(min(max(-T, min(T - ((T + C) floordiv 2), 0), (T + C) floordiv 2 - C), 0) + 1, 0) - T + max(T, (T + C) floordiv 2), T * max(min(max(-T, min(T - ((T + C) floordiv 2), 0), (T + C) floordiv 2 - C), 0) + 1, 0) + C - ((T + C) floordiv 2), T), 0) because "crop"
  return
}

// A divisor, of what the other guard leaves, and a bound but for values.
// CHECK-LABEL: func.func @divisor
// CHECK-NEXT: dyn.require T mod 8 == 0 because "lower"
// CHECK-NEXT: dyn.require 8 <= S or B == 0 or S == 4 because "fold"
// CHECK-NEXT: return
func.func @divisor(%x: tensor<?x?x?xf32, #dyn.dims<[T, B, S]>>)
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0], B: [0, ?] from arg0[1], S: [4, ?] from arg0[2]>} {
  dyn.require T mod 2 == 0 because "upper"
  dyn.require 3 * (T floordiv 2) == 12 * (T floordiv 8) because "lower"
  dyn.require B * max(S floordiv 4, S ceildiv 4 + min(2 - (S ceildiv 4), 0)) == B * (S floordiv 4) because "fold"
  return
}

// Of three sizes, each at least 1.
// CHECK-LABEL: func.func @three
// CHECK-NEXT: dyn.require 1 <= A and 1 <= B and 1 <= C because "divisor"
func.func @three(%x: tensor<?x?x?xf32, #dyn.dims<[A, B, C]>>)
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg0[1], C: [0, ?] from arg0[2]>} {
  dyn.require 1 <= 16 * A * (B ceildiv 4) * (C ceildiv 4) because "divisor"
  return
}

// Two comparisons, one of them but for a value.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: dyn.require K <= T and (1 <= K or T == 0) because "rows"
func.func @rows(%x: tensor<?x?xf32, #dyn.dims<[T, K]>>)
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0], K: [0, ?] from arg0[1]>} {
  dyn.require T * T + T * K + max(T, K) == T * max(T + K, T + 1, K + 1) + T because "rows"
  return
}

// Around a number of the guard that is no small size.
// CHECK-LABEL: func.func @window
// CHECK-NEXT: dyn.require 512 <= T because "window"
func.func @window(%x: tensor<?xf32, #dyn.dims<[T]>>)
    attributes {dyn.symbols = #dyn.symbols<T: [0, ?] from arg0[0]>} {
  dyn.require 2 <= max((2 * T - 1026) floordiv 2, min(T, 512) - 512) + 2 because "window"
  return
}

// Does not fire: sums compared with sums, and what is short.
// CHECK-LABEL: func.func @sums
// CHECK-NEXT: dyn.require P + S == T or P + S == 1 or T == 1 because "mask"
// CHECK-NEXT: dyn.require max(P, S) <= 2 * T because "short"
func.func @sums(%x: tensor<?x?x?xf32, #dyn.dims<[P, S, T]>>)
    attributes {dyn.symbols = #dyn.symbols<P: [0, ?] from arg0[0], S: [0, ?] from arg0[1], T: [0, ?] from arg0[2]>} {
  dyn.require P + S == T or P + S == 1 or T == 1 because "mask"
  dyn.require max(P, S) <= 2 * T because "short"
  return
}

// Does not fire: as many symbols as this. Of one symbol, all small sizes are looked at.
// CHECK-LABEL: func.func @many
// CHECK-NEXT: dyn.require A * B * (C floordiv 2) * (D floordiv 2) <= 4096 because "four"
// CHECK-NEXT: dyn.require C == 0 or C == 7 because "square"
func.func @many(%x: tensor<?x?x?x?xf32, #dyn.dims<[A, B, C, D]>>)
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg0[1], C: [0, ?] from arg0[2],
                                           D: [0, ?] from arg0[3]>} {
  dyn.require A * B * (C floordiv 2) * (D floordiv 2) <= 4096 because "four"
  dyn.require (C * C) floordiv 3 == 7 * (C floordiv 3) + C mod 5 because "square"
  return
}

// What says the same whatever the facts are: a factor, and parts that others decide.
// CHECK-LABEL: func.func @idle
// CHECK-NEXT: dyn.require 1 <= B or H == 0 because "factor"
// CHECK-NEXT: dyn.require 1 <= H or (1 <= B and 1 <= W) because "part"
// CHECK-NEXT: dyn.require 2 * B <= 3 * W + 1 because "sum"
// CHECK-NEXT: return
func.func @idle(%x: tensor<?x?x?xf32, #dyn.dims<[B, H, W]>>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], H: [0, ?] from arg0[1], W: [0, ?] from arg0[2]>} {
  dyn.require 1 <= 3 * B or 8 * H == 0 because "factor"
  dyn.require 1 <= H or (1 <= B and (1 <= W or 1 <= H)) because "part"
  dyn.require 4 * B <= 6 * W + 3 because "sum"
  return
}

// Does not fire: a guard fails where it has no value, at a size that nobody looked at.
// CHECK-LABEL: func.func @value
// CHECK-NEXT: dyn.require (A * C - 5000000 * A) floordiv (C - 5000000) + 2 <= B because "quotient"
// CHECK-NEXT: dyn.require B + (A * B) floordiv (C - 7) <= A + (A * B) floordiv (C - 7) because "sides"
func.func @value(%x: tensor<?x?x?xf32, #dyn.dims<[A, B, C]>>)
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], B: [0, ?] from arg0[1], C: [0, ?] from arg0[2]>} {
  dyn.require (A * (C - 5000000)) floordiv (C - 5000000) + 2 <= B because "quotient"
  dyn.require (A * B) floordiv (C - 7) + B <= A + (A * B) floordiv (C - 7) because "sides"
  return
}

// Sizes are too large to look at few of them; what a product says of its factors needs no look.
// CHECK-LABEL: func.func @multiples
// CHECK-NEXT: dyn.require 1 <= A and 1 <= B because "divisor"
func.func @multiples(%x: tensor<?x?x?xf32, #dyn.dims<[A, B, C]>>)
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] mod 1000000000000 from arg0[0], B: [0, ?] from arg0[1], C: [4611686018427387904, ?] from arg0[2]>} {
  dyn.require 1 <= 16 * A * (B ceildiv 4) * (C ceildiv 4) because "divisor"
  return
}
