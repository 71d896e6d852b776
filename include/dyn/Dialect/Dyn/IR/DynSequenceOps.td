//===- Sequences and optionals of tensors, and strings -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_DYNSEQUENCEOPS_TD
#define DYN_DIALECT_DYN_IR_DYNSEQUENCEOPS_TD

include "dyn/Dialect/Dyn/IR/DynBase.td"
include "mlir/IR/AttrTypeBase.td"

class Dyn_ContainerType<string typeName, string typeMnemonic> : TypeDef<Dyn_Dialect, typeName> {
  let mnemonic = typeMnemonic;
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let genVerifyDecl = 1;
}

def Dyn_Sequence : Dyn_ContainerType<"Sequence", "sequence"> {
  let summary = "any number of tensors of one element type; their ranks and dims may differ";
  let description = [{ The parameter is the unranked type of the tensors. }];
}

def Dyn_Optional : Dyn_ContainerType<"Optional", "optional"> {
  let summary = "a tensor or a sequence, or nothing";
  let description = [{ The parameter is the type of what there is, unranked for a tensor. }];
}

def Dyn_String : TypeDef<Dyn_Dialect, "String"> {
  let mnemonic = "string";
  let summary = "an element that is a string, any bytes of any number";
  let description = [{ Tensors of strings are moved, compared for being equal, joined and split; they are interpreted only. }];
}

/// Sequences are values: an op that changes one gives a new one.
class Dyn_SequenceOp<string opMnemonic> : Dyn_PureOp<opMnemonic> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Dyn_SequenceMakeOp : Dyn_SequenceOp<"sequence_make"> {
  let summary = "the sequence of its operands";
  let description = [{ (1) Operands have the element type of the sequence. See ONNX SequenceConstruct. }];
  let arguments = (ins Variadic<Dyn_Tensor>:$elements);
  let results = (outs Dyn_Sequence:$result);
}

def Dyn_SequenceInsertOp : Dyn_SequenceOp<"sequence_insert"> {
  let summary = "a sequence with a tensor more, in front of the one at `position`";
  let description = [{
    Without `position` at the end; -1 is in front of the last one. (1) The tensor has the element type of both sequences.
    See ONNX SequenceInsert.
  }];
  let arguments = (ins Dyn_Sequence:$sequence, Dyn_Tensor:$tensor, Optional<Dyn_IndexTensor>:$position);
  let results = (outs Dyn_Sequence:$result);
}

def Dyn_SequenceEraseOp : Dyn_SequenceOp<"sequence_erase"> {
  let summary = "a sequence without the tensor at `position`, or without the last one";
  let description = [{ (1) Both sequences have one element type. See ONNX SequenceErase. }];
  let arguments = (ins Dyn_Sequence:$sequence, Optional<Dyn_IndexTensor>:$position);
  let results = (outs Dyn_Sequence:$result);
}

def Dyn_SequenceAtOp : Dyn_SequenceOp<"sequence_at"> {
  let summary = "the tensor at a position, counted from the end where that is negative";
  let description = [{ (1) The result has the element type of the sequence. See ONNX SequenceAt. }];
  let arguments = (ins Dyn_Sequence:$sequence, Dyn_IndexTensor:$position);
  let results = (outs Dyn_Tensor:$result);
}

def Dyn_SequenceLengthOp : Dyn_SequenceOp<"sequence_length"> {
  let summary = "the number of tensors";
  let description = [{ (1) The result is a scalar. See ONNX SequenceLength. }];
  let arguments = (ins Dyn_Sequence:$sequence);
  let results = (outs Dyn_IndexTensor:$result);
}

def Dyn_SequenceJoinOp : Dyn_SequenceOp<"sequence_join"> {
  let summary = "the tensors of a sequence one behind the other along an axis, or stacked along a new one";
  let description = [{
    There must be one at least. (1) The result has the element type of the sequence. See ONNX ConcatFromSequence.
  }];
  let arguments = (ins Dyn_Sequence:$sequence, I64Attr:$axis, UnitAttr:$new_axis);
  let results = (outs Dyn_Tensor:$result);
}

def Dyn_SequenceSplitOp : Dyn_SequenceOp<"sequence_split"> {
  let summary = "a tensor cut along an axis";
  let description = [{
    `sizes` is the size of all parts but the last, which may be smaller, or, as a vector, the size of each. Without it
    parts are of size 1, and with `squeeze` do not have the axis. (1) The tensor has the element type of the sequence.
    (2) The axis is one of the tensor. (3) `sizes` is a scalar or a vector, and is not there with `squeeze`. See ONNX
    SplitToSequence.
  }];
  let arguments = (ins Dyn_Tensor:$tensor, Optional<Dyn_IndexTensor>:$sizes, I64Attr:$axis, UnitAttr:$squeeze);
  let results = (outs Dyn_Sequence:$result);
}

def Dyn_OptionalSomeOp : Dyn_SequenceOp<"optional_some"> {
  let summary = "an optional with something in it";
  let description = [{ (1) The value is of the type that the optional says, a tensor of any rank. See ONNX Optional. }];
  let arguments = (ins AnyType:$value);
  let results = (outs Dyn_Optional:$result);
}

def Dyn_OptionalNoneOp : Dyn_SequenceOp<"optional_none"> {
  let summary = "an optional with nothing in it";
  let arguments = (ins);
  let results = (outs Dyn_Optional:$result);
  let hasVerifier = 0;
}

def Dyn_OptionalHasOp : Dyn_SequenceOp<"optional_has"> {
  let summary = "whether there is something in an optional";
  let description = [{ (1) The result is a scalar. See ONNX OptionalHasElement. }];
  let arguments = (ins Dyn_Optional:$optional);
  let results = (outs Dyn_BoolTensor:$result);
}

def Dyn_OptionalGetOp : Dyn_SequenceOp<"optional_get"> {
  let summary = "what is in an optional; a run that finds nothing is refused";
  let description = [{
    (1) The result is of the type that the optional says, a tensor of any rank. See ONNX OptionalGetElement.
  }];
  let arguments = (ins Dyn_Optional:$optional);
  let results = (outs AnyType:$result);
}

#endif // DYN_DIALECT_DYN_IR_DYNSEQUENCEOPS_TD
