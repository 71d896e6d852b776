//===- Passes on the dyn dialect ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_TRANSFORMS_PASSES_TD
#define DYN_DIALECT_DYN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifySymbolsPass : Pass<"dyn-verify-symbols", "::mlir::ModuleOp"> {
  let summary = "checks that every symbol is declared where it is used";
  let description = [{
    **Before**: functions above the waterline. **After**: unchanged; each symbol in a type, and in an attribute of an op of
    the `dyn` dialect, is declared in `dyn.symbols` of the enclosing function; one that is declared `bound` is used only
    where the op that binds it dominates. **Refuses**: `func.call` of a function that has symbols, which only `dyn.call`
    may call.

    Op verifiers cannot check this: they see one op at a time.
  }];
}

#endif // DYN_DIALECT_DYN_TRANSFORMS_PASSES_TD
