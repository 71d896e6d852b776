// RUN: dyn-opt %s -dyn-minimize-guards | FileCheck %s

// Fires: what facts and other guards imply goes; a bound of one symbol is written as such.
// CHECK-LABEL: func.func @implied
// CHECK-NEXT: dyn.require S <= 512 because "table"
// CHECK-NEXT: dyn.require S == T because "add"
// CHECK-NEXT: return
func.func @implied(%x: tensor<?x?xf32, #dyn.dims<[S, T]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [1, ?] from arg0[0], T: [0, ?] from arg0[1]>} {
  dyn.require min(S, 512) == S because "table"
  dyn.require S == T because "add"
  dyn.require T <= 512 because "other table"
  dyn.require 1 <= S because "declared"
  return
}

// Does not fire: both are needed.
// CHECK-LABEL: func.func @independent
// CHECK-NEXT: dyn.require S == T or T == 1
// CHECK-NEXT: dyn.require S + T <= 100
func.func @independent(%x: tensor<?x?xf32, #dyn.dims<[S, T]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg0[1]>} {
  dyn.require S == T or T == 1 because "add"
  dyn.require S + T <= 100 because "limit"
  return
}

// Two symbols: an equality with a minimum is an upper bound.
// CHECK-LABEL: func.func @sum
// CHECK-NEXT: dyn.require P + S <= 1024 because "mask"
func.func @sum(%x: tensor<?x?xf32, #dyn.dims<[P, S]>>)
    attributes {dyn.symbols = #dyn.symbols<P: [0, ?] from arg0[0], S: [0, ?] from arg0[1]>} {
  dyn.require min(P + S, 1024) == P + S because "mask"
  return
}

// One value.
// CHECK-LABEL: func.func @fixed
// CHECK-NEXT: dyn.require S == 4 because "declared"
func.func @fixed(%x: tensor<?xf32, #dyn.dims<[S]>>) attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  dyn.require 2 * S == 8 because "declared"
  return
}

// Fires: sides of maxima and minima that other guards decide, and what is implied without them.
// CHECK-LABEL: func.func @choices
// CHECK-NEXT: dyn.require 7 <= T because "window"
// CHECK-NEXT: dyn.require S <= T because "pad"
// CHECK-NEXT: return
func.func @choices(%x: tensor<?x?x?xf32, #dyn.dims<[B, S, T]>>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [0, ?] from arg0[1], T: [0, ?] from arg0[2]>} {
  dyn.require 7 <= T because "window"
  dyn.require S <= max(T, 6) because "pad"
  dyn.require B * (max(min(T floordiv 4, 0) + 1, (T + 3) floordiv 4) floordiv 2) + B * (T ceildiv 8) == B * (T ceildiv 4) because "reshape"
  return
}

// Where C is A + 3, there is no such broadcast: `A ceildiv 2 + 1 <= 8 * A` would say less.
// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT: dyn.require C <= A because "window"
// CHECK-NEXT: dyn.require A + 3 == C or C == 1 because "add"
func.func @broadcast(%x: tensor<?x?xf32, #dyn.dims<[A, C]>>)
    attributes {dyn.symbols = #dyn.symbols<A: [0, ?] from arg0[0], C: [1, ?] from arg0[1]>} {
  dyn.require A ceildiv 2 + 1 <= bcast(8 * A, C) because "window"
  dyn.require A + 3 == C or C == 1 because "add"
  return
}

// Does not fire: nothing decides the maximum.
// CHECK-LABEL: func.func @undecided
// CHECK-NEXT: dyn.require 5 <= T because "window"
// CHECK-NEXT: dyn.require S <= max(T, 6) because "pad"
// CHECK-NEXT: return
func.func @undecided(%x: tensor<?x?xf32, #dyn.dims<[S, T]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg0[1]>} {
  dyn.require 5 <= T because "window"
  dyn.require S <= max(T, 6) because "pad"
  return
}

// Fires: one guard implies the other, and says that its quotient has a value and no more.
// CHECK-LABEL: func.func @divisions
// CHECK-NEXT: dyn.require 1 <= B because "a 0 beside -1"
// CHECK-NEXT: return
func.func @divisions(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [1, ?] from arg0[1]>} {
  dyn.require 1 <= (B * S) floordiv B because "a 0 beside -1"
  dyn.require 8 * ((B * S) floordiv B) == 8 * S because "reshape"
  return
}

// Does not fire: the quotient may be 0.
// CHECK-LABEL: func.func @quotient
// CHECK-NEXT: dyn.require 1 <= S floordiv B because "window"
// CHECK-NEXT: return
func.func @quotient(%x: tensor<?x?xf32, #dyn.dims<[B, S]>>)
    attributes {dyn.symbols = #dyn.symbols<B: [0, ?] from arg0[0], S: [1, ?] from arg0[1]>} {
  dyn.require 1 <= S floordiv B because "window"
  return
}

// Fires: a broadcast that gives one of its sides is told without it. Of three sides it stays.
// CHECK-LABEL: func.func @broadcasts
// CHECK-NEXT: dyn.require M == S or M == 1 because "matmul"
// CHECK-NEXT: dyn.require bcast(K, M, T) == T because "concat"
// CHECK-NEXT: return
func.func @broadcasts(%x: tensor<?x?x?x?xf32, #dyn.dims<[M, S, K, T]>>)
    attributes {dyn.symbols = #dyn.symbols<M: [0, ?] from arg0[0], S: [0, ?] from arg0[1], K: [0, ?] from arg0[2], T: [0, ?] from arg0[3]>} {
  dyn.require bcast(M, S) == S because "matmul"
  dyn.require bcast(M, K, T) == T because "concat"
  return
}

// Does not fire: bounds and an equality, each of other symbols, of which nothing but ranges is declared.
// CHECK-LABEL: func.func @ranges
// CHECK-NEXT: dyn.require S <= 512 because "table"
// CHECK-NEXT: dyn.require 3 <= T because "window"
// CHECK-NEXT: dyn.require U == V because "add"
// CHECK-NEXT: return
func.func @ranges(%x: tensor<?x?x?x?xf32, #dyn.dims<[S, T, U, V]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [2, ?] from arg0[1], U: [0, ?] from arg0[2], V: [0, ?] from arg0[3]>} {
  dyn.require S < 513 because "table"
  dyn.require 3 <= T because "window"
  dyn.require U == V because "add"
  return
}

// Fires: what a definition says of a symbol, a divisor, and ranges that are one number each.
// CHECK-LABEL: func.func @more_than_ranges
// CHECK-NEXT: return
func.func @more_than_ranges(%x: tensor<?x?x?x?xf32, #dyn.dims<[S, T, U, V]>>)
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [1, ?] mod 8 from arg0[1], U: [4, 4] from arg0[2], V: [4, 4] from arg0[3], D: [2, ?] = S + 1>} {
  dyn.require 1 <= S because "window"
  dyn.require 8 <= T because "tile"
  dyn.require U == V because "add"
  return
}

// A need that nothing states yet stands behind the op that gives its size a value.
// CHECK-LABEL: func.func @of_data
// CHECK-NEXT: dyn.nonzero
// CHECK-NEXT: dyn.require u0 == S or u0 == 1 or S == 1 because "add"
// CHECK-NEXT: dyn.add
func.func @of_data(%x: tensor<?xf32, #dyn.dims<[N]>>, %w: tensor<?xi64, #dyn.dims<[S]>>)
    -> tensor<1x?xi64, #dyn.dims<[1, bcast(S, u0)]>>
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0], S: [0, ?] from arg1[0], u0: [0, ?] bound>} {
  %i = dyn.nonzero %x binds [u0: 0 ... N] : tensor<?xf32, #dyn.dims<[N]>> -> tensor<1x?xi64, #dyn.dims<[1, u0]>>
  %z = dyn.add %i, %w : (tensor<1x?xi64, #dyn.dims<[1, u0]>>, tensor<?xi64, #dyn.dims<[S]>>)
      -> tensor<1x?xi64, #dyn.dims<[1, bcast(S, u0)]>>
  return %z : tensor<1x?xi64, #dyn.dims<[1, bcast(S, u0)]>>
}
