//===- Values that are known at import ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_CONSTANTFOLDING_H
#define DYN_LIB_TARGET_ONNX_CONSTANTFOLDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace dyn::onnx {

/// The elements of a small tensor that constants and static dims decide, computed by the interpreter; null if there is
/// none. Writers of models, and ONNX's own function bodies, compute axes and sizes by small subgraphs.
mlir::DenseElementsAttr foldToConstant(mlir::Value value);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_CONSTANTFOLDING_H
