//===- Numbers and what they are written as ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_STRINGCASTS_H
#define DYN_LIB_INTERPRETER_STRINGCASTS_H

#include "dyn/Interpreter/ReferenceTensor.h"
#include "mlir/IR/Operation.h"

namespace dyn::reference {

/// Casts strings to numbers, or numbers to strings, as ONNX's Cast and as onnxruntime does. An error at the op for a
/// string that is no number.
mlir::LogicalResult castStrings(mlir::Operation *op, const ReferenceTensor &operand, ReferenceTensor &result);

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_STRINGCASTS_H
