//===- Formulas that several operators share --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value onnx::emitGelu(NodeImport &node, Value operand) {
  constexpr double inverseSqrt2 = 0.70710678118654752440;
  return computeWide(node, operand, [&](Value x) {
    Value erf = node.unary<ErfOp>(node.mul(x, node.scalar(inverseSqrt2, x)));
    return node.mul(node.mul(x, node.scalar(0.5, x)), node.add(erf, node.scalar(1, x)));
  });
}

Value onnx::emitTanhGelu(NodeImport &node, Value operand) {
  constexpr double sqrt2OverPi = 0.79788456080286535588, cubic = sqrt2OverPi * 0.044715;
  return computeWide(node, operand, [&](Value x) {
    Value factor = node.add(node.mul(node.mul(x, x), node.scalar(cubic, x)), node.scalar(sqrt2OverPi, x));
    Value tanh = node.unary<TanhOp>(node.mul(x, factor));
    return node.mul(x, node.add(node.mul(tanh, node.scalar(0.5, x)), node.scalar(0.5, x)));
  });
}

Value onnx::emitSoftplus(NodeImport &node, Value operand) {
  return computeWide(node, operand, [&](Value x) {
    // Far below 0 the exponential is all there is: 1 and it would be 1.
    return node.add(node.max(x, node.scalar(0, x)), log1p(node, node.exp(node.neg(node.abs(x)))));
  });
}

Value onnx::emitSoftmax(NodeImport &node, Value x, ArrayRef<int64_t> axes) {
  Value shifted = node.sub(x, node.reduce(ReduceKind::Max, x, axes, /*keepDims=*/true));
  Value exponential = node.exp(shifted);
  return node.div(exponential, node.reduce(ReduceKind::Sum, exponential, axes, /*keepDims=*/true));
}

Type onnx::getComputeType(Value value) {
  Type type = NodeImport::getElementType(value);
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext()) : type;
}

Value onnx::computeWide(NodeImport &node, Value x, llvm::function_ref<Value(Value)> function) {
  return node.cast(function(node.cast(x, getComputeType(x))), NodeImport::getElementType(x));
}

Normalized onnx::emitNormalization(NodeImport &node, Value x, ArrayRef<int64_t> axes, double epsilon,
                                   bool subtractMean) {
  Normalized result;
  Value centred = x;
  if (subtractMean) {
    result.mean = node.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true);
    centred = node.sub(x, result.mean);
  }
  Value variance = node.reduce(ReduceKind::Mean, node.mul(centred, centred), axes, /*keepDims=*/true);
  result.inverseDeviation = node.reciprocal(node.sqrt(node.add(variance, node.scalar(epsilon, variance))));
  result.value = node.mul(centred, result.inverseDeviation);
  return result;
}

std::optional<SmallVector<int64_t>> onnx::getAxesFrom(NodeImport &node, int64_t axis, size_t operand) {
  std::optional<int64_t> rank = node.findRank(operand);
  int64_t first = axis;
  if (rank)
    first = node.normalizeAxis(axis, rank) - *rank;
  else if (axis >= 0 || axis < -NodeImport::kMostDims)
    return std::nullopt;
  if (node.hasFailed())
    return std::nullopt;
  return llvm::to_vector(llvm::seq<int64_t>(first, 0));
}
