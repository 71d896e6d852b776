//===- Shapes as texts for people -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNXSHAPES_SHAPETEXT_H
#define DYN_LIB_TARGET_ONNXSHAPES_SHAPETEXT_H

#include "dyn/Analysis/ShapeAnalysis.h"

namespace dyn::onnx {

/// `seq <= 512  (add, node /embeddings/Add)`
std::string describeGuard(const ShapeGuard &guard);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNXSHAPES_SHAPETEXT_H
