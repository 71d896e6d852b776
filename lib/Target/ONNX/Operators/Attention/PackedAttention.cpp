//===- Import of attention of sequences without padding ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The tokens of all sequences stand behind each other. They are put where they
// were before padding was removed, and taken from there again: B is the batch, S
// the places of the longest sequence, T the tokens, N the heads.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../Contrib/TokenPlaces.h"
#include "../Formulas.h"
#include "AttentionParts.h"
#include "Masks.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Queries, keys and values are T x anything; the operands say where tokens were, how many there are before the end of
/// each sequence, and what is added to scores.
static LogicalResult attendUnpacked(NodeImport &node, Value query, Value key, Value value, int64_t heads,
                                    size_t offsets, size_t ends, size_t bias) {
  Value places = node.getOperand(offsets);
  auto place = [&](Value tokens) { return splitHeads(node, restorePadding(node, tokens, places), heads); };
  Value q = place(query), k = place(key), v = place(value);
  Value sums = node.cast(node.getOperand(ends), node.builder.getI64Type());
  constexpr int64_t last = std::numeric_limits<int64_t>::max();
  Value lengths = node.sub(node.slice(sums, 1, last, 0), node.slice(sums, 0, -1, 0));
  Masks masks(node, q, getComputeType(q));
  masks.addLengths(lengths, getDims(node, k, 2, 3));
  if (node.hasOperand(bias))
    masks.add(node.getOperand(bias));
  Value result = mergeHeads(node, attend(node, q, k, v, masks.sum));
  Value width = getDims(node, value, 1, 2);
  Value count = node.reduce(ReduceKind::Prod, node.shapeOf(places), std::nullopt, /*keepDims=*/true);
  Value rows = node.reshapeTo(result, node.concat(0, {count, width}), /*allowZero=*/true);
  return node.finish(node.gather(rows, findTokens(node, query, places), 0));
}

/// The projections are part of the operator.
static LogicalResult importPackedAttention(NodeImport &node) {
  Value input = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  int64_t heads = getHeads(node, "num_heads");
  if (node.hasFailed() || failed(node.requireRanks({{0, 2}, {1, 2}, {2, 1}, {3, 2}, {4, 1}, {5, 4}})) ||
      failed(node.requireSameElementTypes({input, weights, bias})))
    return failure();
  Value projected = node.add(node.matmul(input, weights), fitToAxis(node, bias, weights, 1));
  std::optional<SmallVector<int64_t>> widths = node.getInts("qkv_hidden_sizes");
  if (widths && !widths->empty() && widths->size() != 3)
    return node.error("attribute 'qkv_hidden_sizes' has " + Twine(widths->size()) + " entries instead of 3");
  Value parts[3], third = node.div(getDims(node, weights, 1, 2), node.i64Vector({3})), begin = node.i64Vector({0});
  for (size_t i : {0, 1, 2}) {
    Value end = node.add(begin, widths && !widths->empty() ? node.i64Vector({(*widths)[i]}) : third);
    parts[i] = sliceTo(node, projected, begin, end, 1);
    begin = end;
  }
  return attendUnpacked(node, parts[0], parts[1], parts[2], heads, /*offsets=*/3, /*ends=*/4, /*bias=*/5);
}

static LogicalResult importPackedMultiHeadAttention(NodeImport &node) {
  int64_t heads = getHeads(node, "num_heads"), rank = node.requireRank(0);
  if (node.hasFailed() || failed(node.requireRanks({{1, 2}, {2, 2}, {3, 1}, {4, 2}, {5, 1}, {6, 4}})))
    return failure();
  for (size_t operand : {4, 5})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  Value parts[] = {node.getOperand(0), node.getOperand(1), node.getOperand(2)};
  if (rank == 4 && !parts[1] && !parts[2]) {
    // T x N x 3 x H
    Value packed = parts[0];
    for (size_t i : {0, 1, 2})
      parts[i] = node.flatten(node.gather(packed, node.i64Scalar(static_cast<int64_t>(i)), 2), 1);
  } else if (rank != 2 || !parts[1] || !parts[2]) {
    return node.error("queries of rank " + Twine(rank) + (parts[1] ? " with" : " without") + " keys are not supported");
  }
  if (Value bias = node.getOperand(3)) {
    Value begin = node.i64Vector({0});
    for (Value &part : parts) {
      Value end = node.add(begin, getDims(node, part, 1, 2));
      part = node.add(part, fitToAxis(node, sliceTo(node, bias, begin, end, 0), part, 1));
      begin = end;
    }
  }
  return attendUnpacked(node, parts[0], parts[1], parts[2], heads, /*offsets=*/4, /*ends=*/5, /*bias=*/6);
}

void onnx::registerPackedAttention(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "PackedAttention", 5, 6, importPackedAttention);
  registry.add(domain, "PackedMultiHeadAttention", 1, 7, importPackedMultiHeadAttention);
}
