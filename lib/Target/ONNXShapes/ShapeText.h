//===- Shapes as texts for people -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNXSHAPES_SHAPETEXT_H
#define DYN_LIB_TARGET_ONNXSHAPES_SHAPETEXT_H

#include "dyn/Target/ONNXShapes/ModelShapes.h"

namespace dyn::onnx {

/// `seq <= 512  (add, node /embeddings/Add)`
std::string describeGuard(const ShapeGuard &guard);
/// `dim 1 of 'ids'`
std::string describeOrigin(ModelShapes &shapes, const symbolic::SymbolDeclaration &symbol);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNXSHAPES_SHAPETEXT_H
