//===- Products of quantized matrices ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DynamicQuantization.h"
#include "Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

DynamicallyQuantized onnx::quantizeDynamically(NodeImport &node, Value x) {
  Value zero = node.scalar(0, x);
  auto reduce = [&](ReduceKind kind) { return node.reduce(kind, x, std::nullopt, /*keepDims=*/false); };
  Value high = node.max(reduce(ReduceKind::Max), zero), low = node.min(reduce(ReduceKind::Min), zero);
  Value isFlat = node.compare(CompareDirection::EQ, high, low);
  Value scale = node.select(isFlat, node.scalar(1, x), node.div(node.sub(high, low), node.scalar(255, x)));
  auto clamp = [&](Value number) { return node.max(node.min(number, node.scalar(255, x)), zero); };
  Value offset = clamp(node.unary<RoundOp>(node.neg(node.div(low, scale))));
  Value number = clamp(node.add(node.unary<RoundOp>(node.div(x, scale)), offset));
  return {node.cast(node.sub(number, offset), node.builder.getI32Type()), scale};
}

Value onnx::readIntegers(NodeImport &node, Value x, Value zero) {
  Type i32 = node.builder.getI32Type();
  x = node.cast(x, i32);
  return zero ? node.sub(x, node.expandLike(node.cast(zero, i32), x)) : x;
}

Value onnx::rescale(NodeImport &node, Value product, Value lhsScale, Value rhsScale, Value bias) {
  Type type = NodeImport::getElementType(lhsScale);
  Value factor = node.mul(asScalar(node, lhsScale), rhsScale);
  Value result = node.mul(node.cast(product, type), node.expandLike(factor, product));
  return bias ? node.add(result, fitToAxis(node, bias, result, -1)) : result;
}

Value onnx::multiply(NodeImport &node, DynamicallyQuantized lhs, Value rhs, Value scale, Value bias) {
  return rescale(node, node.matmul(lhs.integers, rhs), lhs.scale, scale, bias);
}
