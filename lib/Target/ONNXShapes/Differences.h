//===- Sizes at which two expressions differ -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNXSHAPES_DIFFERENCES_H
#define DYN_LIB_TARGET_ONNXSHAPES_DIFFERENCES_H

#include "dyn/Target/ONNXShapes/ModelShapes.h"

namespace dyn::onnx {

/// Sizes of a run, as "n = 2, m = 1", at which `equation` does not hold, though declarations and guards do. Nothing
/// where none of a few thousand small ones is such: that an equation is not proved is no proof that it is wrong.
std::optional<std::string> findDifference(ModelShapes &shapes, const symbolic::Predicate &equation);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNXSHAPES_DIFFERENCES_H
