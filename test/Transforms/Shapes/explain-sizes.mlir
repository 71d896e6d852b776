// A question about sizes, as it is typed; the pass alone takes it as an option.
// RUN: dyn-opt %s --dyn-pipeline='to=shapes' --dyn-explain='T == S + 1' -o /dev/null | FileCheck %s --check-prefix=YES
// RUN: dyn-opt %s --dyn-explain='S <= 100' -o /dev/null | FileCheck %s --check-prefix=UNKNOWN
// RUN: dyn-opt %s --pass-pipeline='builtin.module(func.func(dyn-explain-sizes{query="S < 0"}))' -o /dev/null | FileCheck %s --check-prefix=NO
// RUN: not dyn-opt %s --dyn-explain='S ==' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not dyn-opt %s --dyn-explain= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not dyn-opt %s --dyn-explain='Q == 1' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SYMBOL

// RUN: dyn-opt %s --dyn-pipeline='to=shapes' --dyn-explain='total == 2*S + 1' -o /dev/null | FileCheck %s --check-prefix=ALIAS

// A name that only the model's output has.
// ALIAS: yes
// ALIAS-NEXT: total == 2 * S + 1: dim 0 of output 'y' at /Concat

// YES: yes
// YES-NEXT: S + 1 == T: add at {{.*}}explain-sizes.mlir:29
// UNKNOWN: unknown
// NO: no
// TEXT-NOT: {{.}}
// TEXT: --dyn-explain=S ==: expected an expression, found the end of the text at column 5
// TEXT-NOT: {{.}}
// EMPTY: --dyn-explain=: expected an expression, found the end of the text at column 1
// SYMBOL: error: query 'Q == 1': the function has no symbol 'Q'
// SYMBOL-NOT: current operation
func.func @append(%x: tensor<?xf32, #dyn.dims<[S]>>, %one: tensor<1xf32>, %y: tensor<?xf32, #dyn.dims<[T]>>)
    -> (tensor<?xf32>, tensor<?xf32> {dyn.name = "y", dyn.declared_dims = #dyn.dims<[total]>})
    attributes {dyn.symbols = #dyn.symbols<S: [2, ?] from arg0[0], T: [2, ?] from arg2[0]>} {
  %0 = dyn.concat 0 (%x, %one) : (tensor<?xf32, #dyn.dims<[S]>>, tensor<1xf32>) -> tensor<?xf32>
  %1 = dyn.add %0, %y : (tensor<?xf32>, tensor<?xf32, #dyn.dims<[T]>>) -> tensor<?xf32>
  %2 = dyn.concat 0 (%x, %y) : (tensor<?xf32, #dyn.dims<[S]>>, tensor<?xf32, #dyn.dims<[T]>>) -> tensor<?xf32> loc("/Concat")
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}
