//===- Import of attention to neighbours and few global places -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// All scores are computed, and those that do not count are masked: memory grows
// with the square of S. B is the batch, N the heads, S the places.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../Formulas.h"
#include "AttentionParts.h"
#include "Masks.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Queries, keys and values, by the weights that operand `weights` has, and the bias behind it.
static Heads project(NodeImport &node, size_t weights, int64_t heads) {
  Value table = node.getOperand(weights);
  Value projected = node.matmul(node.getOperand(0), table);
  projected = node.add(projected, fitToAxis(node, node.getOperand(weights + 1), table, 1));
  Value width = node.div(getDims(node, table, 1, 2), node.i64Vector({3})), twice = node.add(width, width);
  auto take = [&](Value begin, Value end) { return splitHeads(node, sliceTo(node, projected, begin, end, 2), heads); };
  return {take(node.i64Vector({0}), width), take(width, twice), take(twice, getDims(node, table, 1, 2))};
}

/// Each place attends to those that are at most `window` away and to the global ones; the latter attend to all, by
/// weights of their own. What a mask (0, or less for padding) is added to is any place that is asked; padding yields 0.
static LogicalResult importLongformerAttention(NodeImport &node) {
  int64_t heads = getHeads(node, "num_heads"), window = node.getRequiredInt("window");
  if (node.hasFailed() || failed(node.requireRanks({{0, 3}, {1, 2}, {2, 1}, {3, 2}, {4, 2}, {5, 1}, {6, 2}})) ||
      failed(node.requireSameElementTypes(
          {node.getOperand(0), node.getOperand(1), node.getOperand(2), node.getOperand(4), node.getOperand(5)})))
    return failure();
  if (window < 1)
    return node.error("attribute 'window' is " + Twine(window));
  Value input = node.getOperand(0), dims = getDims(node, input, 0, 2);
  // One entry would stand for all places.
  auto fit = [&](size_t operand) { return node.reshapeTo(node.getOperand(operand), dims, /*allowZero=*/true); };
  Value mask = fit(3), marks = fit(6), isGlobal = node.compare(CompareDirection::NE, marks, node.scalar(0, marks));
  Type computed = getComputeType(input);
  auto run = [&](const Heads &parts, Value counts) {
    Masks masks(node, parts.q, computed);
    masks.add(node.unsqueeze(mask, {1, 2}));
    if (counts)
      masks.addOnly(counts);
    return mergeHeads(node, attend(node, parts.q, parts.k, parts.v, masks.sum));
  };
  Value places = countTo(node, getDim(node, input, 1));
  Value distance = node.abs(node.sub(node.unsqueeze(places, 1), places));
  Value isNear = node.compare(CompareDirection::LE, distance, node.i64Scalar(window));
  Value counts = node.binary<OrOp>(isNear, node.unsqueeze(isGlobal, {1, 2}));
  Value local = run(project(node, 1, heads), counts), all = run(project(node, 4, heads), Value());
  Value result = node.select(node.unsqueeze(isGlobal, 2), all, local);
  Value isPadding = node.compare(CompareDirection::LT, mask, node.scalar(0, mask));
  return node.finish(node.select(node.unsqueeze(isPadding, 2), node.scalar(0, result), result));
}

void onnx::registerLongformerAttention(OperatorRegistry &registry) {
  registry.add("com.microsoft", "LongformerAttention", 7, 7, importLongformerAttention);
}
