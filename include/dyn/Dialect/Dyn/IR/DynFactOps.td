//===- Ops about facts: guards, assumptions, calls ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNFACTOPS_TD
#define DYN_DIALECT_DYN_IR_DYNFACTOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Dyn_RequireOp : Dyn_Op<"require", [MemoryEffects<[MemWrite<Dyn_GuardResource>]>]> {
  let summary = "a guard: the run ends with an error, before any kernel, unless the predicate holds";
  let description = [{
    Everything that it dominates may rely on the predicate. Example:
    `dyn.require M == N or M == 1 or N == 1 because "add"`. The predicate stands unquoted; `ne` is written for `!=`.
  }];
  let arguments = (ins Dyn_PredAttr:$predicate, StrAttr:$because);
  let hasCustomAssemblyFormat = 1;
}

def Dyn_AssumeShapeOp : Dyn_PureOp<"assume_shape", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "changes what is known of a tensor's dims, not the tensor; the only legal cast between encodings";
  let description = [{ (1) Ranks and static dims do not contradict each other. }];
  let arguments = (ins Dyn_Tensor:$operand, OptionalAttr<StrAttr>:$because);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand (`because` $because^)? attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Dyn_CallOp : Dyn_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a function that has symbols, giving each an expression over the caller's";
  let description = [{
    `dyn.call @f<[n = S + P]>(%x) : (...) -> ...`. (1) The callee exists and is a function. (2) Every symbol that it
    declares, except those bound by data, has one argument. (3) Operand and result types are the callee's after
    substitution.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrArrayAttr:$symbols, Dyn_DimsAttr:$symbol_arguments,
                       Variadic<AnyType>:$operands);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNFACTOPS_TD
