//===- Import of mixtures of experts -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Which experts a row goes to is known at the run only. All of them compute all
// rows, as products of batches, and those that were not chosen are left out of the
// sum: that takes as many times the work as there are experts to one that is chosen.
//
//===----------------------------------------------------------------------===//

#include "MixtureOfExperts.h"
#include "../Builders.h"
#include "../Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// What becomes of the hidden units of all experts, E x R x I.
static FailureOr<Value> activate(NodeImport &node, Value hidden) {
  std::string type = node.getString("activation_type", "relu");
  auto gate = [&](Value x, double slope) {
    Value power = node.exp(node.neg(node.mul(x, node.scalar(slope, x))));
    return node.div(x, node.add(power, node.scalar(1, x)));
  };
  if (type == "relu")
    return node.max(hidden, node.scalar(0, hidden));
  if (type == "gelu")
    return emitTanhGelu(node, hidden);
  if (type == "silu")
    return gate(hidden, 1);
  if (type == "identity")
    return hidden;
  if (type != "swiglu" || node.getInt("swiglu_fusion", 0) != 1)
    return node.error("activation " + quoteName(type) +
                      (type == "swiglu" ? " is supported with swiglu_fusion = 1 only" : " is not supported"));
  // Gates and what they let through take turns.
  Value pairs = node.reshapeTo(hidden, node.i64Vector({0, 0, -1, 2}), /*allowZero=*/false);
  Value gates = node.gather(pairs, node.i64Scalar(0), 3), linear = node.gather(pairs, node.i64Scalar(1), 3);
  if (node.hasAttribute("swiglu_limit")) {
    double limit = node.getFloat("swiglu_limit", 0);
    gates = node.min(gates, node.scalar(limit, gates));
    linear = node.max(node.min(linear, node.scalar(limit, linear)), node.scalar(-limit, linear));
  }
  return node.mul(gate(gates, node.getFloat("activation_alpha", 1)),
                  node.add(linear, node.scalar(node.getFloat("activation_beta", 0), linear)));
}

/// The weight of each expert for each row, R x E, 0 for those that are not chosen; `isChosen` becomes which are.
static Value weigh(NodeImport &node, Value scores, Value &isChosen) {
  Value shares = emitSoftmax(node, scores, ArrayRef<int64_t>{1}), count = asScalar(node, getDims(node, scores, 1, 2));
  Type i64 = node.builder.getI64Type();
  Value places = TopKOp::create(node.builder, node.loc, NodeImport::makeDynamicType(2, i64), shares,
                                node.i64Vector({node.getInt("k", 1)}), /*axis=*/1, /*smallest=*/false);
  Value isPlace = node.compare(CompareDirection::EQ, node.unsqueeze(places, 2), countTo(node, count));
  Value times = node.reduce(ReduceKind::Sum, node.cast(isPlace, i64), ArrayRef<int64_t>{1}, /*keepDims=*/false);
  isChosen = node.compare(CompareDirection::GT, times, node.i64Scalar(0));
  Value weights = node.select(isChosen, shares, node.scalar(0, shares));
  if (!node.getInt("normalize_routing_weights", 0))
    return weights;
  return node.div(weights, node.reduce(ReduceKind::Sum, weights, ArrayRef<int64_t>{1}, /*keepDims=*/true));
}

LogicalResult onnx::importMixtureOfExperts(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t rank = node.requireRank(0);
  if (node.hasFailed() || failed(node.requireRanks({{1, 2}, {2, 3}, {3, 2}, {4, 3}, {5, 2}})))
    return failure();
  if (rank != 2 && rank != 3)
    return node.error("operand 0 has rank " + Twine(rank) + " instead of 2 or 3");
  if (!node.hasOperand(4))
    return node.error("operand 4 is missing");
  if (node.hasOperand(6) || node.hasOperand(7))
    return node.error("a third layer is not supported");
  if (node.getInt("use_sparse_mixer", 0))
    return node.error("the sparse mixer is not supported");
  if (node.getInt("k", 1) < 1)
    return node.error("attribute 'k' is " + Twine(node.getInt("k", 1)));
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  auto operand = [&](size_t index) { return node.cast(node.getOperand(index), computed); };
  Value rows = node.flatten(node.cast(x, computed), rank - 1);
  auto apply = [&](Value input, size_t weights) {
    Value result = node.matmul(input, node.transposeLast(operand(weights), 3));
    return node.hasOperand(weights + 1) ? node.add(result, node.unsqueeze(operand(weights + 1), 1)) : result;
  };
  FailureOr<Value> hidden = activate(node, apply(node.unsqueeze(rows, 0), 2));
  if (failed(hidden) || node.hasFailed())
    return failure();
  Value results = apply(*hidden, 4), isChosen;
  // Nothing is repeated here: there is a score for each row and expert.
  Value dims = node.concat(0, {getDims(node, rows, 0, 1), getDims(node, node.getOperand(2), 0, 1)});
  Value weights = weigh(node, node.reshapeTo(operand(1), dims, /*allowZero=*/true), isChosen);
  auto turn = [&](Value value) { return node.unsqueeze(node.transpose(value, ArrayRef<int64_t>{1, 0}), 2); };
  // Infinities of the others do not matter.
  Value parts = node.select(turn(isChosen), node.mul(results, turn(weights)), node.scalar(0, results));
  Value sum = node.reduce(ReduceKind::Sum, parts, ArrayRef<int64_t>{0}, /*keepDims=*/false);
  return node.finish(node.cast(node.reshapeTo(sum, node.shapeOf(x), /*allowZero=*/true), type));
}
