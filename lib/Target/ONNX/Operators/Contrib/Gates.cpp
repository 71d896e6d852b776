//===- Import of onnxruntime's gates -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What decides how much of a value passes, beside layers of linear attention,
// mixtures and memories. All but GatedAdd and ScaledSiLU compute in f32 and round
// once.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// An operand in the type that is computed in.
static Value read(NodeImport &node, size_t operand) {
  return node.cast(node.getOperand(operand), getComputeType(node.getOperand(operand)));
}

/// X / sqrt(mean(X^2) + epsilon) over each C elements of the last dim, times a scale for each of the C and what the
/// activation makes of the gate.
static LogicalResult importGatedRMSNorm(NodeImport &node) {
  std::string activation = node.getString("activation", "silu");
  int64_t last = node.requireRank(0) - 1;
  if (node.hasFailed() || failed(node.requireRanks({{1, 1}, {2, last + 1}})))
    return failure();
  if (activation != "silu" && activation != "swish" && activation != "sigmoid")
    return node.error("activation " + quoteName(activation) + " is not supported");
  if (last < 0)
    return node.error("operand 0 has no dims");
  Value x = read(node, 0), scale = read(node, 1), gate = holdShape(node, read(node, 2), x, "dims of `gate` and `X`"),
        length = node.shapeOf(scale);
  // Of widths that are no multiple the reshape refuses the rest.
  Value groups = node.div(getDims(node, x, last, last + 1), length);
  Value parts = node.reshapeTo(x, node.concat(0, {getDims(node, x, 0, last), groups, length}), /*allowZero=*/true);
  Normalized normalized = emitNormalization(node, parts, {-1}, node.getFloat("epsilon", 1e-5f), /*subtractMean=*/false);
  Value result = node.reshapeTo(node.mul(normalized.value, scale), node.shapeOf(x), /*allowZero=*/true);
  Value share = node.unary<SigmoidOp>(gate);
  result = node.mul(result, activation == "sigmoid" ? share : node.mul(gate, share));
  return node.finish(node.cast(result, NodeImport::getElementType(node.getOperand(0))));
}

/// X + Y times one number for each row.
static LogicalResult importGatedAdd(NodeImport &node) {
  Value x = node.getOperand(0), y = holdShape(node, node.getOperand(1), x, "dims of `Y` and `X`");
  Value gate = node.getOperand(2);
  if (std::optional<int64_t> rank = node.findRank(0))
    if (NodeImport::getRank(gate) == rank && *rank > 0) {
      holdDims(node, gate, x, llvm::to_vector(llvm::seq<int64_t>(0, *rank - 1)), "dims but the last of `gate` and `X`");
      holdDim(node, gate, *rank - 1, 1, "last dim of `gate` and one number");
    }
  if (failed(node.requireSameElementTypes({x, y, gate})))
    return failure();
  return node.finish(node.add(x, node.mul(y, node.expandLike(gate, x))));
}

/// z sigmoid(z) of z = scale x, each step rounded to the type of x.
static LogicalResult importScaledSiLU(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  Value scale = node.hasOperand(1) ? asScalar(node, node.cast(node.getOperand(1), computed))
                                   : node.scalar(node.getFloat("alpha", 1.0f), computed);
  Value scaled = node.cast(node.mul(node.cast(x, computed), scale), type);
  Value share = node.cast(node.unary<SigmoidOp>(node.cast(scaled, computed)), type);
  return node.finish(node.mul(scaled, share));
}

/// How much of a state stays, and how much is written to it.
static LogicalResult importLinearAttentionGate(NodeImport &node) {
  Value a = read(node, 0);
  Type type = NodeImport::getElementType(node.getOperand(0));
  if (node.wantsResult(1) && !node.hasOperand(3))
    return node.error("operand 3 is missing");
  Value sum = node.add(a, fitToAxis(node, read(node, 1), a, -1));
  Value decay = node.mul(emitSoftplus(node, sum), fitToAxis(node, read(node, 2), a, -1));
  if (node.hasOperand(3))
    (void)node.finish(1,
                      node.cast(node.unary<SigmoidOp>(holdShape(node, read(node, 3), a, "dims of `b` and `a`")), type));
  return node.finish(node.cast(decay, type));
}

/// How well keys and queries (B x S x M x H) agree decides how much of a value (B x S x H) each of M streams gets.
static LogicalResult importEngramGate(NodeImport &node) {
  if (failed(node.requireRanks({{0, 4}, {1, 4}, {2, 3}, {3, 2}, {4, 2}, {5, 2}})))
    return failure();
  if (node.wantsResult(1) && !node.hasOperand(5))
    return node.error("operand 5 is missing");
  Value key = read(node, 0);
  Type type = NodeImport::getElementType(node.getOperand(0));
  double epsilon = node.getFloat("epsilon", 1e-5f);
  auto normalize = [&](Value x, size_t scale) {
    Normalized normalized = emitNormalization(node, x, {-1}, epsilon, /*subtractMean=*/false);
    Value factor = read(node, scale);
    holdDimPairs(node, factor, key, {{0, 2}, {1, 3}},
                 "dims of `" + node.node.inputs[scale] + "` and last two of `key`");
    return node.mul(normalized.value, factor);
  };
  Value products =
      node.mul(normalize(key, 3), normalize(holdShape(node, read(node, 1), key, "dims of `query` and `key`"), 4));
  Value width = node.cast(getDim(node, key, 3), NodeImport::getElementType(key));
  Value sum =
      node.div(node.reduce(ReduceKind::Sum, products, ArrayRef<int64_t>{-1}, /*keepDims=*/true), node.sqrt(width));
  Value root = node.sqrt(node.max(node.abs(sum), node.scalar(1e-6, sum)));
  Value gate = node.unary<SigmoidOp>(node.mul(node.unary<SignOp>(sum), root));
  Value value = read(node, 2);
  holdDimPairs(node, value, key, {{0, 0}, {1, 1}, {2, 3}}, "dims of `value` and `key` without streams");
  Value gated = node.mul(node.unsqueeze(value, 2), gate);
  if (node.hasOperand(5))
    (void)node.finish(1, node.cast(normalize(gated, 5), type));
  return node.finish(node.cast(gated, type));
}

void onnx::registerGates(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "GatedRMSNorm", 3, 3, importGatedRMSNorm);
  registry.add(domain, "GatedAdd", 3, 3, importGatedAdd);
  registry.add(domain, "ScaledSiLU", 1, 2, importScaledSiLU);
  registry.add(domain, "LinearAttentionGate", 3, 4, importLinearAttentionGate);
  registry.add(domain, "EngramGate", 5, 6, importEngramGate);
}
