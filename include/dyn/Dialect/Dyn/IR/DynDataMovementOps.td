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

def Dyn_ConstantOp : Dyn_PureOp<"constant"> {
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
}

def Dyn_ShapeOfOp : Dyn_PureOp<"shape_of"> {
  let summary = "the dims of a tensor as a tensor of rank 1";
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Dyn_DimValuesOp : Dyn_PureOp<"dim_values"> {
  let summary = "an integer tensor whose elements are expressions over symbols";
  let description = [{
    What is left of a shape subgraph whose value is used as data. The elements of the result, row-major, are `values`.
    Example: `dyn.dim_values [S + P] : tensor<i64>`.
  }];
  let arguments = (ins Dyn_DimsAttr:$values);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "custom<DimList>($values) attr-dict `:` type($result)";
}

def Dyn_ReshapeOp : Dyn_PureOp<"reshape"> {
  let summary = "the same elements, row-major, under the dims of the result type";
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

def Dyn_ReshapeToOp : Dyn_PureOp<"reshape_to"> {
  let summary = "reshape by a tensor of dims; -1 stands for what is left, 0 copies the operand's dim unless `allow_zero`";
  let description = [{ See ONNX Reshape. }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$shape, UnitAttr:$allow_zero);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `,` $shape (`allow_zero` $allow_zero^)? attr-dict `:` functional-type(operands, results)";
}

def Dyn_SqueezeOp : Dyn_PureOp<"squeeze"> {
  let summary = "removes dims of size 1: those of `axes`, or all whose size is 1";
  let arguments = (ins Dyn_Tensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand (`axes` $axes^)? attr-dict `:` functional-type(operands, results)";
}

def Dyn_UnsqueezeOp : Dyn_PureOp<"unsqueeze"> {
  let summary = "inserts dims of size 1 so that they stand at `axes` of the result";
  let arguments = (ins Dyn_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `axes` $axes attr-dict `:` functional-type(operands, results)";
}

def Dyn_FlattenOp : Dyn_PureOp<"flatten"> {
  let summary = "rank 2: the dims before `axis` multiplied, and those from it on";
  let arguments = (ins Dyn_Tensor:$operand, I64Attr:$axis);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Dyn_TransposeOp : Dyn_PureOp<"transpose"> {
  let summary = "dim i of the result is dim perm[i] of the operand; without `perm` the order is reversed";
  let arguments = (ins Dyn_Tensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand (`perm` $perm^)? attr-dict `:` functional-type(operands, results)";
}

def Dyn_ConcatOp : Dyn_PureOp<"concat"> {
  let summary = "tensors one after the other along an axis";
  let arguments = (ins I64Attr:$axis, Variadic<Dyn_Tensor>:$operands);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$axis `(` $operands `)` attr-dict `:` functional-type(operands, results)";
}

def Dyn_SplitOp : Dyn_PureOp<"split"> {
  let summary = "parts along an axis: of the sizes in `sizes`, or equal ones (the last may be smaller)";
  let arguments = (ins Dyn_Tensor:$operand, Optional<Dyn_IndexTensor>:$sizes, I64Attr:$axis);
  let results = (outs Variadic<Dyn_Tensor>:$parts);
  let assemblyFormat = "$operand (`sizes` $sizes^)? `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Dyn_SliceToOp : Dyn_PureOp<"slice_to", [AttrSizedOperandSegments]> {
  let summary = "part of a tensor, bounds from integer tensors, negative ones counted from the end, all clamped";
  let description = [{ See ONNX Slice (opset 13). }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$starts, Dyn_IndexTensor:$ends,
                       Optional<Dyn_IndexTensor>:$axes, Optional<Dyn_IndexTensor>:$steps);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $operand `from` $starts `to` $ends (`axes` $axes^)? (`steps` $steps^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Dyn_SliceOp : Dyn_PureOp<"slice"> {
  let summary = "part of a tensor: element i of dim d is element offsets[d] + i * steps[d] of the operand";
  let description = [{
    (1) `offsets` and `steps` have an entry for each dim. (2) No step is 0. The sizes are those of the result type; the
    whole part lies inside the operand.
  }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_DimsAttr:$offsets, DenseI64ArrayAttr:$steps);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `from` custom<DimList>($offsets) `steps` $steps attr-dict `:` functional-type(operands, results)";
}

def Dyn_ExpandToOp : Dyn_PureOp<"expand_to"> {
  let summary = "broadcast against a tensor of dims (both ways: a dim of the operand may be the larger one)";
  let description = [{ See ONNX Expand. }];
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$shape);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `,` $shape attr-dict `:` functional-type(operands, results)";
}

def Dyn_BroadcastOp : Dyn_PureOp<"broadcast"> {
  let summary = "the operand repeated to the dims of the result type, aligned at the last dim, as numpy.broadcast_to";
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

def Dyn_TileToOp : Dyn_PureOp<"tile_to"> {
  let summary = "the operand repeated along each dim as often as a tensor says";
  let arguments = (ins Dyn_Tensor:$operand, Dyn_IndexTensor:$repeats);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand `,` $repeats attr-dict `:` functional-type(operands, results)";
}

def Dyn_TileOp : Dyn_PureOp<"tile"> {
  let summary = "the operand repeated to the dims of the result type, which are multiples of its own";
  let arguments = (ins Dyn_Tensor:$operand);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

def Dyn_PadMode : I32EnumAttr<"PadMode", "what `dyn.pad` writes around the operand", [
    I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::dyn";
  let genSpecializedAttr = 0;
}
def Dyn_PadModeAttr : EnumAttr<Dyn_Dialect, Dyn_PadMode, "pad_mode">;

def Dyn_PadToOp : Dyn_PureOp<"pad_to", [AttrSizedOperandSegments]> {
  let summary = "elements added, or with negative counts removed, at both ends of dims; counts from a tensor";
  let description = [{ `pads` holds all begins, then all ends, of `axes` (of all dims without it). See ONNX Pad. }];
  let arguments = (ins Dyn_PadModeAttr:$mode, Dyn_Tensor:$operand, Dyn_IndexTensor:$pads, Optional<Dyn_Tensor>:$value,
                       Optional<Dyn_IndexTensor>:$axes);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $mode $operand `by` $pads (`value` $value^)? (`axes` $axes^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Dyn_PadOp : Dyn_PureOp<"pad"> {
  let summary = "element i of dim d of the operand is element low[d] + i of the result, whose type gives the sizes";
  let arguments = (ins Dyn_PadModeAttr:$mode, Dyn_Tensor:$operand, Optional<Dyn_Tensor>:$value, Dyn_DimsAttr:$low);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = [{
    $mode $operand (`value` $value^)? `low` custom<DimList>($low) attr-dict `:` functional-type(operands, results)
  }];
}

def Dyn_FullToOp : Dyn_PureOp<"full_to"> {
  let summary = "one value at every place, dims from an integer tensor (ONNX ConstantOfShape)";
  let arguments = (ins Dyn_IndexTensor:$shape, TypedAttrInterface:$value);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$shape `value` `(` $value `)` attr-dict `:` functional-type(operands, results)";
}

def Dyn_FullOp : Dyn_PureOp<"full"> {
  let summary = "one value at every place";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "`value` `(` $value `)` attr-dict `:` type($result)";
}

def Dyn_RangeOp : Dyn_PureOp<"range"> {
  let summary = "max(0, ceil((limit - start) / delta)) numbers from `start` on, `delta` apart";
  let arguments = (ins Dyn_Tensor:$start, Dyn_Tensor:$limit, Dyn_Tensor:$delta);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$start `,` $limit `,` $delta attr-dict `:` functional-type(operands, results)";
}

def Dyn_IotaOp : Dyn_PureOp<"iota"> {
  let summary = "start, start + delta, ...: as many numbers as the only dim of the result type says";
  let arguments = (ins Dyn_Tensor:$start, Dyn_Tensor:$delta);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$start `,` $delta attr-dict `:` functional-type(operands, results)";
}

def Dyn_TriluOp : Dyn_PureOp<"trilu"> {
  let summary = "the upper (or lower) triangle of the last two dims, zeros elsewhere; `diagonal` shifts the border";
  let arguments = (ins Dyn_Tensor:$operand, Optional<Dyn_IndexTensor>:$diagonal, UnitAttr:$upper);
  let results = (outs Dyn_Tensor:$result);
  let assemblyFormat = "$operand (`diagonal` $diagonal^)? (`upper` $upper^)? attr-dict `:` functional-type(operands, results)";
}

#endif // DYN_DIALECT_DYN_IR_DYNDATAMOVEMENTOPS_TD
