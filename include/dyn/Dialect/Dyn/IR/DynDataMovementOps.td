//===- Data movement ops ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Many come in two forms. The form `X_to` takes its sizes from integer tensors, as ONNX does. Shape inference turns it
// into the form `X`, whose sizes stand in its result type (and in `#dyn.dims` attributes), once it knows their values.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNDATAMOVEMENTOPS_TD
#define DYN_DIALECT_DYN_IR_DYNDATAMOVEMENTOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"

def Dyn_ConstantOp : Dyn_PureOp<"constant", [ConstantLike]> {
  let summary = "data known at compile time, in the IR (elements) or in a file (`#dyn.weight`)";
  let description = [{
    (1) The result has the type of the attribute. (2) A `#dyn.weight` has as many bytes as the elements of its type
    (booleans one each). Examples: `dyn.constant dense<[12, -1]> : tensor<2xi64>`,
    `dyn.constant #dyn.weight<"bert.weights", 4096, 64> : tensor<4x4xf32>`.
  }];
  let arguments = (ins AnyAttrOf<[ElementsAttr, Dyn_WeightAttr]>:$value);
  let results = (outs Dyn_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::TypedAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Dyn_ShapeOfOp : Dyn_PureOp<"shape_of"> {
  let summary = "the dims of a tensor as a tensor of rank 1";
  let description = [{
    (1) The result has rank 1. (2) Its size is the rank of the operand. (3) Its elements are i64.
  }];
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<Arrow>(type($operand), type($result))";
  let hasVerifier = 1;
}

def Dyn_DimValuesOp : Dyn_PureOp<"dim_values"> {
  let summary = "an integer tensor whose elements are expressions over symbols";
  let description = [{
    What is left of a shape subgraph whose value is used as data. The elements of the result, row-major, are `values`.
    (1) The result is static. (2) It has as many elements as `values`. (3) They are integers. Example:
    `dyn.dim_values [S + P] : tensor<i64>`.
  }];
  let arguments = (ins Dyn_DimsAttr:$values);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "custom<DimList>($values) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Dyn_ReshapeOp : Dyn_PureOp<"reshape", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the same elements, row-major, under the dims of the result type";
  let description = [{
    (1) The result has a rank. (2) Static types have equally many elements.
  }];
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Dyn_ReshapeToOp : Dyn_PureOp<"reshape_to", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "reshape by a tensor of dims; -1 is what is left, 0 copies the operand's dim unless `allow_zero`";
  let description = [{
    (1) `shape` has rank 1 and as many elements as the result has dims. See ONNX Reshape.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$shape, UnitAttr:$allow_zero);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $shape (`allow_zero` $allow_zero^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_SqueezeOp : Dyn_PureOp<"squeeze", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "removes dims of size 1: those of `axes`, or all whose size is 1";
  let description = [{
    (1) `axes` are distinct and in range, negative ones counted from the end. (2) The rank of the result is that of the
    operand less their number. Without `axes` the rank of the result must be known before reification.
  }];
  let arguments = (ins Dyn_Tensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand (`axes` $axes^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_UnsqueezeOp : Dyn_PureOp<"unsqueeze", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "inserts dims of size 1 so that they stand at `axes` of the result";
  let description = [{
    (1) The rank of the result is that of the operand and the number of `axes`. (2) `axes` are distinct and in range of
    that rank, negative ones counted from the end.
  }];
  let arguments = (ins Dyn_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axes attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_FlattenOp : Dyn_PureOp<"flatten", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "rank 2: the dims before `axis` multiplied, and those from it on";
  let description = [{
    (1) The result has rank 2. (2) `axis` lies in [-r, r], r the rank of the operand.
  }];
  let arguments = (ins Dyn_Tensor:$operand, I64Attr:$axis);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_TransposeOp : Dyn_PureOp<"transpose", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "dim i of the result is dim perm[i] of the operand; without `perm` the order is reversed";
  let description = [{
    (1) The ranks agree. (2) `perm` is a permutation of the dims.
  }];
  let arguments = (ins Dyn_Tensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand (`perm` $perm^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Dyn_ConcatOp : Dyn_PureOp<"concat"> {
  let summary = "tensors one after the other along an axis";
  let description = [{
    (1) There is an operand. (2) All have the element type of the result and (3) its rank. (4) `axis` is in range,
    negative ones counted from the end.
  }];
  let arguments = (ins I64Attr:$axis, Variadic<Dyn_Tensor>:$operands);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$axis `(` $operands `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Dyn_SplitOp : Dyn_PureOp<"split"> {
  let summary = "parts along an axis: of the sizes in `sizes`, or equal ones (the last may be smaller)";
  let description = [{
    (1) There is a result. (2) All have the element type of the operand and (3) its rank. (4) `axis` is in range,
    negative ones counted from the end. (5) `sizes` has rank 1 and an element for each result.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Optional<Dyn_IndexTensor>:$sizes, I64Attr:$axis);
  let results = (outs Variadic<Dyn_Tensor>:$parts);
  let assemblyFormat = "$operand (`sizes` $sizes^)? `axis` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_SliceToOp : Dyn_PureOp<"slice_to", [AttrSizedOperandSegments, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "part of a tensor, bounds from integer tensors, negative ones counted from the end, all clamped";
  let description = [{
    (1) `starts`, `ends`, `axes` and `steps` have rank 1 and equal sizes. (2) The result has the rank of the operand.
    Without `axes` they are the leading ones. See ONNX Slice (opset 13).
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$starts, Dyn_IndexTensor:$ends,
                       Optional<Dyn_IndexTensor>:$axes, Optional<Dyn_IndexTensor>:$steps);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $operand `from` $starts `to` $ends (`axes` $axes^)? (`steps` $steps^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_SliceOp : Dyn_PureOp<"slice", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "part of a tensor: element i of dim d is element offsets[d] + i * steps[d] of the operand";
  let description = [{
    (1) `offsets` and `steps` have an entry for each dim. (2) No step is 0. (3) The result has a rank, the operand's.
    The sizes are those of the result type; the whole part lies inside the operand. Each dim is written as
    `offset:end:step`, the step only where it is not 1: `dyn.slice %x[0:S, P:P + 4, 9:-1:-2] : ...`. The end is
    `offset + size * step`, whatever its sign, and may be left out, as it follows from the result type.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_DimsAttr:$offsets, DenseI64ArrayAttr:$steps);
  let results = (outs Dyn_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Dyn_ExpandToOp : Dyn_PureOp<"expand_to", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "broadcast against a tensor of dims (both ways: a dim of the operand may be the larger one)";
  let description = [{
    (1) `shape` has rank 1. (2) The rank of the result is not below the operand's. See ONNX Expand.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$shape);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `,` $shape attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_ExpandLikeOp : Dyn_PureOp<"expand_like", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the operand repeated to the dims of another tensor, aligned at the last dim; one way";
  let description = [{
    What ONNX calls unidirectional broadcasting: a dim of the operand is 1 or that of `like`, whatever the other is. (1)
    The rank of the result is that of `like`. (2) It is not below the operand's. Shape inference turns the op into
    `dyn.broadcast`, or leaves it to the elementwise ops that read it.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_Tensor:$like);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `,` $like attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_BroadcastOp : Dyn_PureOp<"broadcast", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the operand repeated to the dims of the result type, aligned at the last dim, as numpy.broadcast_to";
  let description = [{
    (1) The result has a rank, not below the operand's. (2) A static dim of the operand is 1 or no other than the static
    dim of the result that it is aligned with.
  }];
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Dyn_TileToOp : Dyn_PureOp<"tile_to", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the operand repeated along each dim as often as a tensor says";
  let description = [{
    (1) `repeats` has rank 1 and an element for each dim. (2) The ranks agree.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$repeats);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `,` $repeats attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_TileOp : Dyn_PureOp<"tile", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the operand repeated to the dims of the result type, which are multiples of its own";
  let description = [{
    (1) The result has a rank, the operand's. (2) A static dim of the result is a multiple of the operand's.
  }];
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
}

def Dyn_PadMode : I32EnumAttr<"PadMode", "what `dyn.pad` writes around the operand", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::dyn";
  let genSpecializedAttr = 0;
}
def Dyn_PadModeAttr : EnumAttr<Dyn_Dialect, Dyn_PadMode, "pad_mode">;

def Dyn_PadToOp : Dyn_PureOp<"pad_to", [AttrSizedOperandSegments, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "elements added, or with negative counts removed, at both ends of dims; counts from a tensor";
  let description = [{
    `pads` holds all begins, then all ends, of `axes` (of all dims without it). (1) `pads` and `axes` have rank 1. (2)
    The ranks of operand and result agree. (3) `value` has the element type of the operand and one element. See ONNX
    Pad.
  }];
  let arguments = (ins Dyn_PadModeAttr:$mode, Dyn_Tensor:$operand, Dyn_IndexTensor:$pads, Optional<Dyn_Tensor>:$value,
                       Optional<Dyn_IndexTensor>:$axes);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    custom<Word>($mode) $operand `by` $pads (`value` $value^)? (`axes` $axes^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_PadOp : Dyn_PureOp<"pad", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "element i of dim d of the operand is element low[d] + i of the result, whose type gives the sizes";
  let description = [{
    (1) The result has a rank, the operand's. (2) `low` has an entry for each dim. (3) `value` has the element type of
    the operand and one element.
  }];
  let arguments = (ins Dyn_PadModeAttr:$mode, Dyn_Tensor:$operand, Optional<Dyn_Tensor>:$value, Dyn_DimsAttr:$low);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    custom<Word>($mode) $operand (`value` $value^)? `low` custom<DimList>($low) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Dyn_FullToOp : Dyn_PureOp<"full_to"> {
  let summary = "one value at every place, dims from an integer tensor (ONNX ConstantOfShape)";
  let description = [{
    (1) `shape` has rank 1 and as many elements as the result has dims. (2) `value` has the element type of the result.
  }];
  let arguments = (ins Dyn_IndexTensor:$shape, TypedAttrInterface:$value);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$shape `value` `(` $value `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_FullOp : Dyn_PureOp<"full"> {
  let summary = "one value at every place";
  let description = [{
    (1) The result has a rank. (2) `value` has the element type of the result.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "`value` `(` $value `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Dyn_RangeOp : Dyn_PureOp<"range", [AllElementTypesMatch<["start", "limit", "delta", "result"]>]> {
  let summary = "max(0, ceil((limit - start) / delta)) numbers from `start` on, `delta` apart";
  let description = [{
    (1) `start`, `limit` and `delta` have one element. (2) The result has rank 1.
  }];
  let arguments = (ins Dyn_Tensor:$start, Dyn_Tensor:$limit, Dyn_Tensor:$delta);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$start `,` $limit `,` $delta attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_IotaOp : Dyn_PureOp<"iota", [AllElementTypesMatch<["start", "delta", "result"]>]> {
  let summary = "start, start + delta, ...: as many numbers as the only dim of the result type says";
  let description = [{
    (1) `start` and `delta` have one element. (2) The result has rank 1.
  }];
  let arguments = (ins Dyn_Tensor:$start, Dyn_Tensor:$delta);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$start `,` $delta attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_TriluOp : Dyn_PureOp<"trilu", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the upper (or lower) triangle of the last two dims, zeros elsewhere; `diagonal` shifts the border";
  let description = [{
    (1) The operand has at least rank 2. (2) The result has the operand's rank. (3) `diagonal` has one element.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Optional<Dyn_IndexTensor>:$diagonal, UnitAttr:$upper);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $operand (`diagonal` $diagonal^)? (`upper` $upper^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // DYN_DIALECT_DYN_IR_DYNDATAMOVEMENTOPS_TD
