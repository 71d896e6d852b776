//===- Contraction and reduction ops ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNCONTRACTIONOPS_TD
#define DYN_DIALECT_DYN_IR_DYNCONTRACTIONOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

def Dyn_MatMulOp : Dyn_PureOp<"matmul", [AllElementTypesMatch<["lhs", "rhs"]>]> {
  let summary = "matrix product as numpy.matmul: leading dims broadcast, rank-1 operands are promoted";
  let description = [{
    (1) Both operands have rank >= 1. (2) The last dim of `lhs` equals the second-last dim of `rhs` (its only dim if the
    rank is 1). (3) The leading dims broadcast. (4) The rank of the result is the greater one, less one for each operand
    of rank 1. Accumulates in the result's element type, of 16-bit floats in f32. A contraction over an empty dim gives
    zeros. See ONNX MatMul.
  }];
  let arguments = (ins Dyn_Tensor:$lhs, Dyn_Tensor:$rhs);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_ConvOp : Dyn_PureOp<"conv", [AllElementTypesMatch<["input", "filter", "result"]>]> {
  let summary = "convolution (cross-correlation) over any number of spatial dims";
  let description = [{
    `input` is N x C x spatial..., `filter` is M x C/group x kernel..., the result N x M x spatial.... (1) All have the
    same rank, at least 2. (2) `strides` and `dilations` have a positive entry for each spatial dim, `pads` two (all
    begins, then all ends). (3) C equals the second dim of `filter` times `group`; M is a multiple of `group`, which is
    positive. See ONNX Conv; a bias is a separate `dyn.add`.
  }];
  let arguments = (ins Dyn_Tensor:$input, Dyn_Tensor:$filter, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, DefaultValuedAttr<I64Attr, "1">:$group);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$input `,` $filter attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNCONTRACTIONOPS_TD
