//===- Sequences of which only a run tells the length ----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What sequences and optionals become where the importer can't take them apart:
// they come from inputs, branches or loops, or what decides on them is not known.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_SEQUENCES_RUNTIMESEQUENCES_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_SEQUENCES_RUNTIMESEQUENCES_H

#include "../../NodeImport.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

namespace dyn::onnx {

/// The type of sequences of tensors of an element type.
mlir::Type getSequenceType(mlir::Type elementType);
/// The type of a value that is declared as a sequence or an optional; null for any other.
mlir::Type getWrappedType(const ValueInfo &value, mlir::MLIRContext *context);
/// A value as an optional with it in it, where it is declared as an optional and is none.
mlir::Value wrapAsDeclared(mlir::OpBuilder &builder, mlir::Value value, const ValueInfo &declared);
/// What is in an optional, where the value is one and not declared as such.
mlir::Value unwrapAsDeclared(mlir::OpBuilder &builder, mlir::Value value, const ValueInfo &declared);
/// The type of values of two types, of which only the element type must agree, or of what is no tensor all.
mlir::Type joinTypes(mlir::Type lhs, mlir::Type rhs);
/// What must be the same of values that stand for each other: the element type, or the type of what is no tensor.
mlir::Type getKind(mlir::Value value);

/// An error unless the body has an input for each operand and an output for each result.
mlir::LogicalResult requireBodyFor(NodeImport &node, const Graph &body);

// One for each operator, as it is imported where it is for the run to say what is in its operands.
mlir::LogicalResult importInsertAtRun(NodeImport &node);
mlir::LogicalResult importEraseAtRun(NodeImport &node);
mlir::LogicalResult importTensorAtRun(NodeImport &node);
mlir::LogicalResult importLengthAtRun(NodeImport &node);
mlir::LogicalResult importConcatAtRun(NodeImport &node);
/// Have the parts of SplitToSequence no axis to which they belong? Parts whose sizes are given keep it, for ONNX. One
/// scalar, 1, says no more than what is meant without it, and PyTorch, which writes it, and onnxruntime drop the axis.
bool dropsSplitAxis(NodeImport &node);

mlir::LogicalResult importSplitAtRun(NodeImport &node);
mlir::LogicalResult importMapAtRun(NodeImport &node);
mlir::LogicalResult importNone(NodeImport &node);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_SEQUENCES_RUNTIMESEQUENCES_H
