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

def Dyn_ReduceOp : Dyn_PureOp<"reduce", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "combines the elements along some axes";
  let description = [{
    (1) `axes` are distinct and in range, negative ones counted from the end; without them all dims are reduced. (2)
    With `keep_dims` reduced dims stay as 1, else they vanish. Over an empty dim: sum 0, prod 1, max the lowest value of
    the type (-inf of floats), min the highest, mean NaN.
  }];
  let arguments = (ins Dyn_ReduceKindAttr:$kind, Dyn_Tensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       UnitAttr:$keep_dims);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $operand (`axes` $axes^)? (`keep_dims` $keep_dims^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_ReduceToOp : Dyn_PureOp<"reduce_to", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "combines the elements along the axes that a tensor says, as `dyn.reduce`";
  let description = [{
    (1) `axes` has rank 1; its elements are distinct and in range, negative ones counted from the end. (2) With
    `keep_dims` the ranks agree. Without elements in `axes` all dims are reduced, or with `noop` none.
  }];
  let arguments = (ins Dyn_ReduceKindAttr:$kind, Dyn_Tensor:$operand, Dyn_IndexTensor:$axes, UnitAttr:$keep_dims,
                       UnitAttr:$noop);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $operand `,` $axes (`keep_dims` $keep_dims^)? (`noop` $noop^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_ArgReduceOp : Dyn_PureOp<"arg_reduce"> {
  let summary = "index of the greatest (`max`) or least (`min`) element along an axis: the first, with `last` the last";
  let description = [{
    (1) `kind` is `max` or `min`. (2) `axis` is in range, negative ones counted from the end. (3) With `keep_dims` that
    dim stays as 1, else it vanishes.
  }];
  let arguments = (ins Dyn_ReduceKindAttr:$kind, Dyn_Tensor:$operand, I64Attr:$axis, UnitAttr:$keep_dims,
                       UnitAttr:$last);
  let results = (outs Dyn_IndexTensor:$result);
  let assemblyFormat = [{
    custom<Word>($kind) $operand `axis` $axis (`keep_dims` $keep_dims^)? (`last` $last^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_CumSumOp : Dyn_PureOp<"cumsum", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "running sum along an axis, or with `product` the running product";
  let description = [{
    (1) The ranks agree. (2) `axis` is in range, negative ones counted from the end.
  }];
  let arguments = (ins Dyn_Tensor:$operand, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse,
                       UnitAttr:$product);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $operand `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? (`product` $product^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNREDUCTIONOPS_TD
