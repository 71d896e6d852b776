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

/// An i64 vector without elements, unless a dim of an operand is no multiple of the divisor, an i64 vector of one
/// element: that is refused, at once or by a guard. The reshapes of an operator would ask it of tensors with elements
/// only. `divisorName` is for people.
mlir::Value requireNoRest(NodeImport &node, int64_t axis, mlir::Value divisor, llvm::StringRef divisorName,
                          unsigned operand = 0);
/// The dim of operand 0 over the divisor, with what requireNoRest asks.
mlir::Value requireMultiple(NodeImport &node, int64_t axis, mlir::Value divisor, llvm::StringRef divisorName);

/// Sizes, i64 vectors of `count` elements, must be the same, none broadcasts: a guard refuses others, and what is known
/// to differ is a contradiction. `what` says for people what they are: "batch of `K` and `Q`".
void holdSizes(NodeImport &node, mlir::Value sizes, mlir::Value wanted, const llvm::Twine &what, int64_t count = 1);

/// The same of dims of two values, of (axis, axis of `like`), which may be negative where the rank is known.
void holdDimPairs(NodeImport &node, mlir::Value value, mlir::Value like,
                  llvm::ArrayRef<std::pair<int64_t, int64_t>> axes, const llvm::Twine &what);
/// The same of some dims with the same numbers.
void holdDims(NodeImport &node, mlir::Value value, mlir::Value like, llvm::ArrayRef<int64_t> axes,
              const llvm::Twine &what);
/// The same of all dims; what `value` becomes has those of `like`, also where neither rank is known.
mlir::Value holdShape(NodeImport &node, mlir::Value value, mlir::Value like, const llvm::Twine &what);
/// A dim must be of a size that attributes tell.
void holdDim(NodeImport &node, mlir::Value value, int64_t axis, int64_t size, const llvm::Twine &what);

/// No size must be greater than the limit at its place; i64 vectors of `count` elements. `what` says so for people:
/// "`update` must fit `cache`".
void requireAtMost(NodeImport &node, mlir::Value sizes, mlir::Value limits, const llvm::Twine &what, int64_t count = 1);

/// What is told of the guards of the op that gives `value`, instead of all that it says itself.
void explainGuards(NodeImport &node, mlir::Value value, const llvm::Twine &reason);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_GUARDS_H
