//===- ONNX's numbers for element types --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_ELEMENTTYPES_H
#define DYN_TARGET_ONNX_ELEMENTTYPES_H

#include "mlir/IR/Types.h"

namespace dyn::onnx {

/// The type that TensorProto.DataType numbers so; null where dyn has none.
mlir::Type getTypeOfNumber(int32_t number, mlir::MLIRContext *context);
/// The same with a type for complex numbers, of which only sizes are known.
mlir::Type getSizedTypeOfNumber(int32_t number, mlir::MLIRContext *context);
/// 0 for types that ONNX has not.
int32_t getNumberOfType(mlir::Type type);

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_ELEMENTTYPES_H
