// RUN: dyn-opt %s -dyn-infer-shapes -split-input-file -verify-diagnostics | FileCheck %s

// By default constants bind; names that no input gives are names for what is inferred.
// CHECK-LABEL: func.func @refine
// CHECK-SAME: dyn.alias_sources = {{\[\[}}"dim 1 of output 'y'", "{{.*}}infer-shapes-declared.mlir:[[# @LINE + 6]]"]]
// CHECK-SAME: dyn.aliases = #dyn.constraints<"U == T">
// CHECK-NEXT: dyn.require S == 4 because "dim 0 of output 'y' as declared, which declared=override ignores"
func.func @refine(%x: tensor<?x?xf32, #dyn.dims<[S, T]>>) -> (tensor<?x?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[4, U]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg0[1]>} {
  // expected-warning @below {{dim 0 of output 'y' is declared as 4, but is S, so that runs at other sizes are refused}}
  %0 = dyn.exp %x : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Names of inputs do not bind outputs; a contradiction is a warning.
func.func @warning(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[S]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1.0> : tensor<1xf32>
  // expected-warning @below {{dim 0 of output 'y' is declared as S, but is 2 * S + 1}}
  %0 = dyn.concat 0 (%x, %x, %one) : (tensor<?xf32, #dyn.dims<[S]>>, tensor<?xf32, #dyn.dims<[S]>>, tensor<1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What is wrong in the same way at many values is one warning, at the first.
func.func @same_warning(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[S]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1.0> : tensor<1xf32>
  // expected-warning @below {{dim 0 of the result of node '}}
  %0 = dyn.concat 0 (%x, %one) {dyn.declared_dims = #dyn.dims<[S]>} : (tensor<?xf32, #dyn.dims<[S]>>, tensor<1xf32>) -> tensor<?xf32>
  %1 = dyn.exp %0 {dyn.declared_dims = #dyn.dims<[S]>} : (tensor<?xf32>) -> tensor<?xf32>
  %2 = dyn.neg %1 {dyn.declared_dims = #dyn.dims<[S]>} : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// One name for two sizes that differ.
func.func @ambiguous(%x: tensor<?xf32, #dyn.dims<[S]>>)
    -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[U]>},
        tensor<?xf32> {dyn.name = "z", dyn.declared_dims = #dyn.dims<[U]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %one = dyn.constant dense<1.0> : tensor<1xf32>
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  // expected-warning @below {{dim 0 of output 'z' is declared as U, but is S + 1; elsewhere U is S}}
  %1 = dyn.concat 0 (%x, %one) : (tensor<?xf32, #dyn.dims<[S]>>, tensor<1xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The same at one size only.
func.func @ambiguous_but_for_zero(%x: tensor<?xf32, #dyn.dims<[S]>>)
    -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[U]>},
        tensor<?xf32> {dyn.name = "z", dyn.declared_dims = #dyn.dims<[U]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  // expected-warning @below {{dim 0 of output 'z' is declared as U, but is 2 * S; elsewhere U is S}}
  %1 = dyn.concat 0 (%x, %x) : (tensor<?xf32, #dyn.dims<[S]>>, tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @trust
// CHECK-NEXT: dyn.require S == T because "dim 0 of output 'y' as declared, which declared=override ignores"
func.func @trust(%x: tensor<?x?xf32, #dyn.dims<[S, T]>>) -> (tensor<?x?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[T, T]>})
    attributes {dyn.declared = "trust", dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg0[1]>} {
  %0 = dyn.exp %x : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @override
// CHECK-NEXT: dyn.exp
func.func @override(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[4]>})
    attributes {dyn.declared = "override", dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @strict(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[4]>})
    attributes {dyn.declared = "strict", dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-error @below {{dim 0 of output 'y' is declared as 4, but is S}}
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A constant that is right at no size. No guard could see to it, and other programs run such models.
// CHECK-LABEL: func.func @impossible
// CHECK-SAME: -> (tensor<3xf32> {dyn.name = "y"})
// CHECK-NOT: dyn.require
func.func @impossible(%x: tensor<3xf32>) -> (tensor<3xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[4]>}) {
  // expected-warning @below {{dim 0 of output 'y' is declared as 4, but is 3}}
  %0 = dyn.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Tools write 0 for what they do not know.
// CHECK-LABEL: func.func @zero
// CHECK-SAME: -> (tensor<?x0xf32, #dyn.dims<[S, 0]>> {dyn.name = "y"})
// CHECK-NOT: dyn.require
func.func @zero(%x: tensor<?x0xf32, #dyn.dims<[S, 0]>>) -> (tensor<?x?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[0, 0]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-warning @below {{dim 0 of output 'y' is declared as 0, but is S; a declared 0 says nothing of other sizes}}
  %0 = dyn.exp %x : (tensor<?x0xf32, #dyn.dims<[S, 0]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @strict_zero(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[0]>})
    attributes {dyn.declared = "strict", dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-error @below {{dim 0 of output 'y' is declared as 0, but is S}}
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @trusted_zero
// CHECK-NEXT: dyn.require S == 0 because "dim 0 of output 'y' as declared, which declared=override ignores"
func.func @trusted_zero(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[0]>})
    attributes {dyn.declared = "trust", dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// No guard could see to a rank.
// CHECK-LABEL: func.func @rank
// CHECK-SAME: -> (tensor<?xf32, #dyn.dims<[S]>>
func.func @rank(%x: tensor<?xf32, #dyn.dims<[S]>>) -> (tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[1, S]>})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0]>} {
  // expected-warning @below {{output 'y' is declared with rank 2, but has rank 1}}
  %0 = dyn.exp %x : (tensor<?xf32, #dyn.dims<[S]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Constants bind values between nodes as well.
// expected-warning @unknown {{dim 0 of the result of node '/exp' is declared as 4, but is S}}
// CHECK-LABEL: func.func @between
// CHECK-NEXT: dyn.require S == 4 because "dim 0 of the result of node '/exp' as declared, which declared=override ignores"
// CHECK-NOT: dyn.declared_dims
func.func @between(%x: tensor<?x?xf32, #dyn.dims<[S, T]>>) -> (tensor<?x?xf32> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<S: [0, ?] from arg0[0], T: [0, ?] from arg0[1]>} {
  %0 = dyn.exp %x {dyn.declared_dims = #dyn.dims<[4, U]>} : (tensor<?x?xf32, #dyn.dims<[S, T]>>) -> tensor<?x?xf32> loc("/exp")
  %1 = dyn.exp %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
