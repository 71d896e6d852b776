//===- Attributes that are vectors of some type --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_VECTORATTRIBUTE_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_VECTORATTRIBUTE_H

#include "../../NodeImport.h"

namespace dyn::onnx {

mlir::DenseElementsAttr makeStrings(NodeImport &node, llvm::ArrayRef<std::string> texts);
template <typename T>
mlir::DenseElementsAttr makeNumbers(llvm::ArrayRef<T> values, mlir::Type type) {
  return mlir::DenseElementsAttr::get(mlir::RankedTensorType::get(static_cast<int64_t>(values.size()), type), values);
}

/// The vector in whichever of `name`_strings, _int64s, _floats and _tensor is there; null, after an error, if none is.
mlir::DenseElementsAttr readVector(NodeImport &node, llvm::StringRef name);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_VECTORATTRIBUTE_H
