//===- What must hold at a run --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_GUARDS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_GUARDS_H

#include "Builders.h"

namespace dyn::onnx {

/// As fitToAxis; `what` says for people what must be as many as the axis is long: "elements of sequence_lens".
mlir::Value holdToAxis(NodeImport &node, mlir::Value vector, mlir::Value like, int64_t axis, const llvm::Twine &what);

/// An i64 scalar that is a size: a guard refuses it where it is negative, where counting to it would find nothing.
/// `what` says for people what it is: "the depth".
mlir::Value requireSize(NodeImport &node, mlir::Value size, const llvm::Twine &what);

/// An i64 scalar that is 1 or more: a guard refuses other ones. `what` says for people what it is: "dft_length".
mlir::Value requirePositive(NodeImport &node, mlir::Value count, const llvm::Twine &what);

/// An i64 vector without elements, unless a dim of operand 0 is no multiple of the divisor, an i64 vector of one
/// element: that is refused, at once or by a guard. The reshapes of an operator would ask it of tensors with elements
/// only. `divisorName` is for people.
mlir::Value requireNoRest(NodeImport &node, int64_t axis, mlir::Value divisor, llvm::StringRef divisorName);
/// The dim over the divisor, with what requireNoRest asks.
mlir::Value requireMultiple(NodeImport &node, int64_t axis, mlir::Value divisor, llvm::StringRef divisorName);

/// What is told of the guards of the op that gives `value`, instead of all that it says itself.
void explainGuards(NodeImport &node, mlir::Value value, const llvm::Twine &reason);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_GUARDS_H
