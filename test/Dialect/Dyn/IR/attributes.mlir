// RUN: dyn-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: dyn-opt %s --allow-unregistered-dialect | dyn-opt --allow-unregistered-dialect | FileCheck %s
// RUN: dyn-opt %s --allow-unregistered-dialect --emit-bytecode | dyn-opt --allow-unregistered-dialect | FileCheck %s

// Equal expressions are one attribute, however they are written.
// CHECK-LABEL: func @dims_are_canonical
// CHECK-SAME: tensor<?x?x768xf32, #dyn.dims<[B, P + S, 768]>>
// CHECK-SAME: tensor<?x?x768xf32, #dyn.dims<[B, P + S, 768]>>
func.func @dims_are_canonical(%a: tensor<?x?x768xf32, #dyn.dims<[B, S + P, 768]>>,
                              %b: tensor<?x?x768xf32, #dyn.dims<[B, P + S + 1 - 1, 700 + 68]>>) {
  return
}

// CHECK-LABEL: func @rank_zero
// CHECK-SAME: dyn.dims = #dyn.dims<[]>
func.func @rank_zero(%a: tensor<f32> {dyn.dims = #dyn.dims<[]>}) { return }

// CHECK-LABEL: func @negative_terms
// CHECK-SAME: #dyn.dims<[S - N]>
func.func @negative_terms(%a: tensor<?xf32, #dyn.dims<[-N + S]>>) { return }

// CHECK-LABEL: func @names_that_are_no_identifiers
// CHECK-SAME: "a name"
func.func @names_that_are_no_identifiers(%a: tensor<?xf32, #dyn.dims<["a name" + 1]>>) { return }

// CHECK-LABEL: func @symbols
// CHECK-SAME: dyn.constraints = #dyn.constraints<"P + S <= 4096", "{{.*}} <= {{.*}}">
// CHECK-SAME: dyn.symbols = #dyn.symbols<B: [1, 64] from arg0[0], S: [1, 512] mod 8 opt [128, 256] from arg0[1], P: [0, ?]
func.func @symbols(%a: tensor<?x?xf32, #dyn.dims<[B, S]>>) attributes {
    dyn.symbols = #dyn.symbols<B: [1, 64] from arg0[0], S: [1, 512] mod 8 opt [128, 256] from arg0[1], P: [0, ?]>,
    dyn.constraints = #dyn.constraints<"S + P <= 4096", "P <= B * S">} {
  return
}

// CHECK-LABEL: func @no_symbols
// CHECK-SAME: #dyn.symbols<>
func.func @no_symbols() attributes {dyn.symbols = #dyn.symbols<>} { return }

// CHECK: "test.attributes"() {expr = #dyn.expr<{{.*}}floordiv 2{{.*}}>, pred = #dyn.pred<"{{.*}} != 3">, weight = #dyn.weight<"w.bin", 4096, 64> : tensor<16xf32>}
"test.attributes"() {expr = #dyn.expr<S floordiv 2 + min(S, P)>, pred = #dyn.pred<"S != 3">,
                     weight = #dyn.weight<"w.bin", 4096, 64> : tensor<16xf32>} : () -> ()
