//===- What becomes of scores --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_SCORETRANSFORMS_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_SCORETRANSFORMS_H

#include "../../NodeImport.h"

namespace dyn::onnx {

/// By ONNX's numbers.
enum class ScoreTransform : int64_t { None, Softmax, Logistic, SoftmaxZero, Probit };

/// The attribute 'post_transform', a name; an error if there is none such.
ScoreTransform readScoreTransform(NodeImport &node);
/// Scores with one row for each input, and one column for each target.
mlir::Value transformScores(NodeImport &node, mlir::Value scores, ScoreTransform transform);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_SCORETRANSFORMS_H
