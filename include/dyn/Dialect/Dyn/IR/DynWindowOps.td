//===- Windows that slide over tensors -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNWINDOWOPS_TD
#define DYN_DIALECT_DYN_IR_DYNWINDOWOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

def Dyn_WindowPlaces : I32EnumAttr<"WindowPlaces", "where the windows of `dyn.windows` stand", [
    I32EnumAttrCase<"Floor", 0, "floor">, I32EnumAttrCase<"Ceil", 1, "ceil">,
    I32EnumAttrCase<"SameUpper", 2, "same_upper">, I32EnumAttrCase<"SameLower", 3, "same_lower">]> {
  let cppNamespace = "::dyn";
  let genSpecializedAttr = 0;
}
def Dyn_WindowPlacesAttr : EnumAttr<Dyn_Dialect, Dyn_WindowPlaces, "window_places">;

def Dyn_WindowsOp : Dyn_PureOp<"windows", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the windows that slide over the last dims: a dim each for their places, then one each for their elements";
  let description = [{
    What pooling reduces. The last k dims of the operand, k the number of entries of `kernel`, give 2 k dims: element
    [.., p.., w..] of the result is element [.., p * strides + w * dilations - begin ..] of the operand, or `value` where
    that lies outside. Begins are the first k entries of `pads`, ends the others. How many places p there are: `floor`,
    as many as windows fit into the padded operand; `ceil`, one more where an incomplete window remains that begins
    before the end of the operand; `same_upper` and `same_lower`, ceil(dim / stride), the padding spread evenly with the
    odd one at the end or the beginning, and `pads` unused.

    (1) The operand has at least k dims. (2) `kernel`, `strides` and `dilations` have k positive entries, `pads` 2 k.
    (3) The result has k dims more than the operand. (4) `value` has the element type of the operand. See ONNX MaxPool.
  }];
  let arguments = (ins Dyn_WindowPlacesAttr:$places, Dyn_Tensor:$operand, TypedAttrInterface:$value,
                       DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pads);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    custom<Word>($places) $operand `value` `(` $value `)` `kernel` $kernel `strides` $strides `dilations` $dilations `pads` $pads
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNWINDOWOPS_TD
