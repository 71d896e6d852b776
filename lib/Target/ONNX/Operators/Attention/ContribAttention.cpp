//===- Import of onnxruntime's operators of attention ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// B is the batch, N the heads, S the places that ask, T those that are asked, P
// those of them that come from a cache, H the elements of a head.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../DynamicQuantization.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"
#include "Masks.h"
#include "SharedCache.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

//===----------------------------------------------------------------------===//
// Attention and MultiHeadAttention
//===----------------------------------------------------------------------===//

/// Queries, keys and values lie behind each other in the last dim of `projected`; `weights` made them. The others are
/// operands that may be left out.
static LogicalResult attendToParts(NodeImport &node, Value projected, size_t mask, size_t cache,
                                   std::optional<size_t> scoreBias) {
  Value input = node.getOperand(0), weights = node.getOperand(1);
  int64_t heads = getHeads(node, "num_heads");
  if (node.hasFailed())
    return failure();
  Value parts[3];
  std::optional<SmallVector<int64_t>> widths = node.getInts("qkv_hidden_sizes");
  if (widths && !widths->empty() && widths->size() != 3)
    return node.error("attribute 'qkv_hidden_sizes' has " + Twine(widths->size()) + " entries instead of 3");
  Value third = node.div(getDims(node, weights, 1, 2), node.i64Vector({3})), begin = node.i64Vector({0});
  for (int i = 0; i < 3; ++i) {
    Value width = widths && !widths->empty() ? node.i64Vector({(*widths)[static_cast<size_t>(i)]}) : third;
    Value end = node.add(begin, width);
    parts[i] = splitHeads(node, sliceTo(node, projected, begin, end, 2), heads);
    begin = end;
  }
  bool isShared = node.getInt("past_present_share_buffer", 0) != 0;
  Value present[] = {Value(), parts[1], parts[2]};
  if (Value past = node.getOperand(cache)) {
    holdDim(node, past, 0, 2, "parts of `past`, keys and values");
    for (int i : {1, 2}) {
      Value cached = node.gather(past, node.i64Scalar(i - 1), 0);
      if (isShared) {
        SharedCache places(node, 6);
        present[i] = places.write(cached, parts[i]);
        parts[i] = places.read(present[i], parts[i]);
      } else {
        parts[i] = present[i] = node.concat(2, {cached, parts[i]});
      }
    }
  }
  Masks masks(node, input, getComputeType(projected));
  Value asking = getDims(node, input, 1, 2), asked = getDims(node, parts[1], 2, 3);
  if (failed(masks.addIndex(mask, asking, asked)))
    return failure();
  if (node.getInt("unidirectional", 0))
    masks.addCausal(asking, asked, node.sub(asked, asking));
  if (scoreBias)
    masks.addBias(*scoreBias, asking, asked);
  if (node.wantsResult(1))
    (void)node.finish(1, node.concat(0, {node.unsqueeze(present[1], 0), node.unsqueeze(present[2], 0)}));
  return node.finish(mergeHeads(node, attend(node, parts[0], parts[1], parts[2], masks.sum)));
}

/// The projections are part of the operator.
static LogicalResult importProjectedAttention(NodeImport &node) {
  Value input = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  if (bool isShared = node.getInt("past_present_share_buffer", 0); isShared != node.hasOperand(6))
    return node.error("operand 6 (past_sequence_length) and attribute 'past_present_share_buffer' go together");
  if (failed(refuse(node, {}, {"do_rotary"})) ||
      failed(node.requireSameElementTypes(bias ? SmallVector<Value>{input, weights, bias}
                                               : SmallVector<Value>{input, weights})))
    return failure();
  Value projected = node.matmul(input, weights);
  if (bias)
    projected = node.add(projected, fitToAxis(node, bias, weights, 1));
  return attendToParts(node, projected, /*mask=*/3, /*cache=*/4, /*scoreBias=*/5);
}

/// As Attention, of quantized operands.
static LogicalResult importQuantizedAttention(NodeImport &node) {
  if (failed(refuse(node, {}, {"do_rotary", "past_present_share_buffer"})) ||
      failed(node.requireRanks({{0, 3}, {1, 2}})))
    return failure();
  Value zero = node.hasOperand(6) ? asScalar(node, node.getOperand(6)) : Value();
  Value product = node.matmul(readIntegers(node, node.getOperand(0), zero),
                              readIntegers(node, node.getOperand(1), node.getOperand(7)));
  Value projected = rescale(node, product, node.getOperand(3), node.getOperand(4), node.getOperand(2));
  return attendToParts(node, projected, /*mask=*/5, /*cache=*/8, /*scoreBias=*/std::nullopt);
}

namespace {

/// The queries, keys and values of MultiHeadAttention, B x N x places x H.
class MultiHeadOperands {
public:
  MultiHeadOperands(NodeImport &node, int64_t heads) : node(node), heads(heads) {}
  LogicalResult read();

  Value q, k, v;

private:
  /// Part `part` of `count` that lie in the fourth of five dims: B x S x N x count x H.
  Value unpack(Value packed, int64_t part) {
    constexpr int64_t order[] = {0, 2, 1, 3};
    return node.transpose(node.gather(packed, node.i64Scalar(part), 3), ArrayRef<int64_t>(order));
  }
  /// With the elements of the bias from `begin` on, which moves on.
  Value addBias(Value x, Value &begin);
  /// Of rank 3, or with heads already.
  FailureOr<Value> place(Value x, size_t operand, Value &begin);

  NodeImport &node;
  int64_t heads;
};

} // namespace

Value MultiHeadOperands::addBias(Value x, Value &begin) {
  if (!node.hasOperand(3))
    return x;
  Value end = node.add(begin, getDims(node, x, 2, 3));
  Value part = sliceTo(node, node.getOperand(3), begin, end, 0);
  begin = end;
  return node.add(x, part);
}

FailureOr<Value> MultiHeadOperands::place(Value x, size_t operand, Value &begin) {
  int64_t rank = node.requireRank(operand);
  if (node.hasFailed())
    return failure();
  if (rank == 4)
    return x;
  if (rank != 3)
    return node.error("operand " + Twine(operand) + " has rank " + Twine(rank) + ", which is not supported");
  return splitHeads(node, addBias(x, begin), heads);
}

LogicalResult MultiHeadOperands::read() {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  Value query = node.getOperand(0), key = node.getOperand(1), value = node.getOperand(2), begin = node.i64Vector({0});
  if (rank == 5 || (key && !value)) {
    if (node.hasOperand(3))
      return node.error("a bias of packed operands is not supported");
    if (rank == 5) {
      q = unpack(query, 0);
      k = unpack(query, 1);
      v = unpack(query, 2);
      return success();
    }
    if (node.requireRank(1) != 5 || node.hasFailed())
      return node.hasFailed() ? failure() : node.error("keys without values must have rank 5");
    q = splitHeads(node, query, heads);
    k = unpack(key, 0);
    v = unpack(key, 1);
    return success();
  }
  if (!key || !value)
    return node.error("operand 1 (key) or 2 (value) is missing");
  const std::pair<Value, Value *> places[] = {{query, &q}, {key, &k}, {value, &v}};
  for (auto [operand, entry] : llvm::enumerate(places)) {
    FailureOr<Value> placed = place(entry.first, operand, begin);
    if (failed(placed))
      return failure();
    *entry.second = *placed;
  }
  return success();
}

static LogicalResult importMultiHeadAttention(NodeImport &node) {
  int64_t heads = getHeads(node, "num_heads");
  MultiHeadOperands operands(node, heads);
  if (node.hasFailed() || failed(operands.read()))
    return failure();
  Value q = operands.q, k = operands.k, v = operands.v;
  holdHeads(node, {q, k, v});
  holdDims(node, k, q, ArrayRef<int64_t>(1), "heads of keys and queries");
  if (node.findRank(2) == 4)
    holdDims(node, v, k, ArrayRef<int64_t>(3), "elements of values and keys with heads");
  if (node.hasOperand(3))
    holdBias(node, node.getOperand(3), {q, k, v});
  if (node.hasOperand(6) != node.hasOperand(7))
    return node.error("of operands 6 (past_key) and 7 (past_value) one is missing");
  for (size_t operand : {8, 9})
    if (node.hasOperand(operand) && !node.hasOperand(operand == 8 ? 6 : 8))
      return node.error("operand " + Twine(operand) + " is there, but not operand " + Twine(operand == 8 ? 6 : 8));
  if (failed(node.requireRanks({{6, 4}, {7, 4}, {9, 3}})))
    return failure();
  Value presentKeys = k, presentValues = v, fresh = getDims(node, k, 2, 3);
  auto append = [&](size_t past, Value &all) {
    Value fresh = all, present;
    if (node.hasOperand(8)) {
      SharedCache cache(node, 8);
      present = cache.write(node.getOperand(past), fresh);
      all = node.hasOperand(9) ? cache.readBeams(present, fresh, 9) : cache.read(present, fresh);
    } else {
      all = present = node.concat(2, {node.getOperand(past), fresh});
    }
    return present;
  };
  if (node.hasOperand(6)) {
    presentKeys = append(6, k);
    presentValues = append(7, v);
  }
  Masks masks(node, q, getComputeType(q));
  Value asking = getDims(node, q, 2, 3), asked = getDims(node, k, 2, 3);
  if (failed(masks.addMask(4, asking, asked)))
    return failure();
  if (node.getInt("unidirectional", 0))
    masks.addCausal(asking, asked, node.sub(asked, fresh));
  masks.addBias(5, asking, asked);
  (void)node.finish(1, presentKeys);
  (void)node.finish(2, presentValues);
  Value scores, result = attend(node, q, k, v, masks.sum, &scores);
  (void)node.finish(3, node.cast(scores, NodeImport::getElementType(q)));
  return node.finish(mergeHeads(node, result));
}

void onnx::registerContribAttention(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "Attention", 2, 7, importProjectedAttention);
  registry.add(domain, "QAttention", 5, 9, importQuantizedAttention);
  registry.add(domain, "MultiHeadAttention", 1, 10, importMultiHeadAttention);
  registry.add(domain, "GroupQueryAttention", 1, 16, importGroupQueryAttention);
}
