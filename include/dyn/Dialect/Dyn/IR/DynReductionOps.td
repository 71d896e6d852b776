//===- Reduction ops ---------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNREDUCTIONOPS_TD
#define DYN_DIALECT_DYN_IR_DYNREDUCTIONOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

def Dyn_ReduceKind : I32EnumAttr<"ReduceKind", "how `dyn.reduce` combines elements", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Prod", 4, "prod">]> {
  let cppNamespace = "::dyn";
  let genSpecializedAttr = 0;
}
def Dyn_ReduceKindAttr : EnumAttr<Dyn_Dialect, Dyn_ReduceKind, "reduce_kind">;

def Dyn_ReduceOp : Dyn_PureOp<"reduce"> {
  let summary = "combines the elements along some axes";
  let description = [{
    `axes` may be negative; without it all axes are reduced. With `keep_dims` the reduced dims stay as 1. Over an empty
    dim: sum 0, prod 1, max the lowest value of the type, min the highest, mean NaN.
  }];
  let arguments = (ins Dyn_ReduceKindAttr:$kind, Dyn_Tensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       UnitAttr:$keep_dims);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $kind $operand (`axes` $axes^)? (`keep_dims` $keep_dims^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Dyn_ArgReduceOp : Dyn_PureOp<"arg_reduce"> {
  let summary = "index of the greatest (`max`) or least (`min`) element along an axis; the first, or with `last` the last";
  let arguments = (ins Dyn_ReduceKindAttr:$kind, Dyn_Tensor:$operand, I64Attr:$axis, UnitAttr:$keep_dims,
                       UnitAttr:$last);
  let results = (outs Dyn_IndexTensor:$result);
  let assemblyFormat = [{
    $kind $operand `axis` $axis (`keep_dims` $keep_dims^)? (`last` $last^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Dyn_CumSumOp : Dyn_PureOp<"cumsum"> {
  let summary = "running sum along an axis";
  let arguments = (ins Dyn_Tensor:$operand, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $operand `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DYN_DIALECT_DYN_IR_DYNREDUCTIONOPS_TD
