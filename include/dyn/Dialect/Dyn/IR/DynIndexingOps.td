//===- Indexing ops: sizes or places that depend on data --------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNINDEXINGOPS_TD
#define DYN_DIALECT_DYN_IR_DYNINDEXINGOPS_TD

include "dyn/Dialect/Dyn/IR/DynReductionOps.td"

def Dyn_GatherOp : Dyn_PureOp<"gather", [AllElementTypesMatch<["data", "result"]>]> {
  let summary = "entries of `data` along an axis; negative indices count from the end";
  let description = [{
    The dims of `indices` stand in the place of dim `axis` of `data`. An index outside `[-n, n-1]` is an error that
    names the node, the index and n. (1) `axis` is in range of `data`, negative ones counted from the end. (2) The rank
    of the result is the sum of the ranks less 1. See ONNX Gather.
  }];
  let arguments = (ins Dyn_Tensor:$data, Dyn_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$data `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_GatherElementsOp : Dyn_PureOp<"gather_elements", [AllElementTypesMatch<["data", "result"]>]> {
  let summary = "result[i][j].. = data[indices[i][j]..][j].. (index taken along `axis`)";
  let description = [{
    (1) `axis` is in range, negative ones counted from the end. (2) `data`, `indices` and the result have the same rank.
    See ONNX GatherElements.
  }];
  let arguments = (ins Dyn_Tensor:$data, Dyn_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$data `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_GatherNDOp : Dyn_PureOp<"gather_nd", [AllElementTypesMatch<["data", "result"]>]> {
  let summary = "slices of `data` at the index tuples in the last dim of `indices` (ONNX GatherND)";
  let description = [{
    (1) `batch_dims` is not negative and less than either rank. (2) The last dim of `indices`, k, is at most the rank of
    `data` less `batch_dims`. (3) The rank of the result is both ranks together less `batch_dims`, k and 1.
  }];
  let arguments = (ins Dyn_Tensor:$data, Dyn_IndexTensor:$indices, DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$data `,` $indices attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_ScatterNDOp : Dyn_PureOp<"scatter_nd", [AllElementTypesMatch<["data", "updates", "result"]>]> {
  let summary = "`data` with slices replaced by `updates` at the index tuples of `indices` (ONNX ScatterND)";
  let description = [{
    (1) The result has the rank of `data`. (2) The last dim of `indices`, k, is at most that. (3) The rank of `updates`
    is both ranks together less k and 1. (4) `reduction` is not `mean`. Of several updates of a place one wins; with
    `reduction` all are combined with what was there.
  }];
  let arguments = (ins Dyn_Tensor:$data, Dyn_IndexTensor:$indices, Dyn_Tensor:$updates,
                       OptionalAttr<Dyn_ReduceKindAttr>:$reduction);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $data `,` $indices `,` $updates (`reduction` custom<Word>($reduction)^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_NonZeroOp : Dyn_PureOp<"nonzero"> {
  let summary = "the places of the elements that are not zero: one row for each dim, one column for each element";
  let description = [{
    (1) The result has rank 2. Binds the symbol `count`, declared `bound` in `dyn.symbols`: the number of columns.
    Example: `dyn.nonzero %x binds [u0: 0 ... B * S] : tensor<?x?xf32, #dyn.dims<[B, S]>> -> tensor<2x?xi64,
    #dyn.dims<[2, u0]>>`; the range follows from the type of the operand, and may be left out: `binds u0`.
  }];
  let arguments = (ins Dyn_Tensor:$operand, OptionalAttr<StrAttr>:$count);
  let results = (outs Dyn_IndexTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Dyn_TopKOp : Dyn_PureOp<"top_k"> {
  let summary = "the places along an axis of the `k` greatest elements, or with `least` the least, the best first";
  let description = [{
    Of equal elements the earlier comes first; NaN counts as greater than all numbers. (1) `axis` is in range, negative
    ones counted from the end. (2) `k` has one element, at least 0 and at most the size of that dim. (3) The ranks
    agree. The elements themselves are `dyn.gather_elements`. See ONNX TopK.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$k, I64Attr:$axis, UnitAttr:$least);
  let results = (outs Dyn_IndexTensor:$result);
  let assemblyFormat = [{
    $operand `,` $k `axis` $axis (`least` $least^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNINDEXINGOPS_TD
