//===- What becomes of scores --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ScoreTransforms.h"
#include "../Formulas.h"
#include "llvm/ADT/STLForwardCompat.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

ScoreTransform onnx::readScoreTransform(NodeImport &node) {
  constexpr StringLiteral names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  std::string name = node.getString("post_transform", "NONE");
  const auto *found = llvm::find(names, name);
  if (found != std::end(names))
    return static_cast<ScoreTransform>(found - std::begin(names));
  (void)node.error("post_transform " + quoteName(name) + " is not supported");
  return ScoreTransform::None;
}

/// The softmax of the scores that are not 0; the others stay 0. Rows of zeros become 0.5, as in ONNX's reference.
static Value emitSoftmaxZero(NodeImport &node, Value x) {
  auto reduce = [&](ReduceKind kind, Value value) {
    return node.reduce(kind, value, ArrayRef<int64_t>(-1), /*keepDims=*/true);
  };
  Value zero = node.scalar(0, x);
  Value counts = node.compare(CompareDirection::GT, node.abs(x), node.scalar(1e-7, x));
  Value powers = node.select(counts, node.exp(node.sub(x, reduce(ReduceKind::Max, x))), zero);
  Value sum = reduce(ReduceKind::Sum, powers);
  Value isEmpty = node.compare(CompareDirection::EQ, sum, zero);
  return node.select(isEmpty, node.scalar(0.5, x), node.div(powers, sum));
}

/// The place below which a normal distribution has the share x, as near as onnxruntime and ONNX's reference come to it:
/// sqrt(2) * erfinv(2 x - 1), with Winitzki's formula for the inverse of the error function.
static Value emitProbit(NodeImport &node, Value x) {
  auto number = [&](double value) { return node.scalar(value, x); };
  constexpr double a = 0.147;
  Value place = node.sub(node.mul(x, number(2)), number(1));
  Value logarithm = node.log(node.mul(node.sub(number(1), place), node.add(number(1), place)));
  Value half = node.add(number(2 / (llvm::numbers::pi * a)), node.mul(logarithm, number(0.5)));
  Value root = node.sqrt(node.sub(node.mul(half, half), node.div(logarithm, number(a))));
  Value size = node.mul(node.sqrt(node.sub(root, half)), number(llvm::numbers::sqrt2));
  return node.select(node.compare(CompareDirection::LT, place, number(0)), node.neg(size), size);
}

Value onnx::transformScores(NodeImport &node, Value scores, ScoreTransform transform) {
  switch (transform) {
  case ScoreTransform::None:
    return scores;
  case ScoreTransform::Softmax:
    return emitSoftmax(node, scores, {-1});
  case ScoreTransform::Logistic:
    return node.unary<SigmoidOp>(scores);
  case ScoreTransform::SoftmaxZero:
    return emitSoftmaxZero(node, scores);
  case ScoreTransform::Probit:
    return emitProbit(node, scores);
  }
  llvm_unreachable("all transforms are handled");
}
