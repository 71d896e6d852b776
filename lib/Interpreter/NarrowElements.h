//===- Elements of less than a byte, and floats of a byte ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Such elements are stored and moved, one in a byte, and converted to other
// types; nothing computes with them.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_NARROWELEMENTS_H
#define DYN_LIB_INTERPRETER_NARROWELEMENTS_H

#include "dyn/Interpreter/ReferenceTensor.h"
#include "mlir/IR/Operation.h"

namespace dyn {

bool isNarrowElement(mlir::Type type);

/// The number that the byte of a narrow element stands for.
double widenNarrowElement(mlir::Type type, uint8_t byte);
/// The byte of the nearest element, halves to even; of integers that with the same lowest bits.
uint8_t narrowElement(mlir::Type type, double value);

/// Between any types of which one is narrow; `result` has the dims of `operand`.
void castNarrowElements(const ReferenceTensor &operand, ReferenceTensor &result);

/// An error at an op that does more than move or convert narrow elements, or than move strings or see whether they are
/// equal.
mlir::LogicalResult verifyElements(mlir::Operation *op);

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_NARROWELEMENTS_H
