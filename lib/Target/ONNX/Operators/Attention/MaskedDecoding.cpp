//===- Import of attention of one new place -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// As onnxruntime's tools for generation write it. Keys lie in caches in the order
// in which the kernel for CPUs has them.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"
#include "Masks.h"
#include "SharedCache.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// Where the operands are that both operators have.
struct Places {
  size_t mask, bias, used, beams;
};

/// Keys or values that are asked, and the cache that they are in afterwards.
struct Cached {
  Value all, present;
};

} // namespace

/// An operand of one place, B x 1 x anything; more are refused.
static Value requireOnePlace(NodeImport &node, Value x) {
  Value one = node.i64Vector({1});
  return node.reshapeTo(x, node.concat(0, {getDims(node, x, 0, 1), one, getDims(node, x, 2, 3)}), /*allowZero=*/true);
}

/// `past` may have room for more, B x N x places x H, or end with what is in use.
static Cached append(NodeImport &node, const Places &places, Value past, Value fresh) {
  if (!node.getInt("past_present_share_buffer", 0)) {
    Value all = node.concat(2, {past, fresh});
    return {all, all};
  }
  SharedCache cache(node, places.used);
  Value present = cache.write(past, fresh);
  return {node.hasOperand(places.beams) ? cache.readBeams(present, fresh, places.beams) : cache.read(present, fresh),
          present};
}

static LogicalResult checkCache(NodeImport &node, const Places &places) {
  bool isShared = node.getInt("past_present_share_buffer", 0) != 0;
  if (isShared && !node.hasOperand(places.used))
    return node.error("operand " + Twine(places.used) + " (past_sequence_length) is missing");
  if (!isShared && node.hasOperand(places.beams))
    return node.error("cache_indirection needs caches with room for more ('past_present_share_buffer')");
  return node.requireRanks({{places.mask, 2}, {places.bias, 4}, {places.beams, 3}});
}

/// Gives the result, and the scores that softmax takes.
static FailureOr<Value> attendToAll(NodeImport &node, const Places &places, Value q, Value k, Value v, Value &scores) {
  Masks masks(node, q, getComputeType(q));
  Value asking = getDims(node, q, 2, 3), asked = getDims(node, k, 2, 3);
  if (failed(masks.addMask(places.mask, asking, asked)))
    return failure();
  masks.addBias(places.bias, asking, asked);
  return mergeHeads(node, attend(node, q, k, v, masks.sum, &scores));
}

//===----------------------------------------------------------------------===//
// DecoderMaskedMultiHeadAttention
//===----------------------------------------------------------------------===//

static LogicalResult importDecoderMaskedMultiHeadAttention(NodeImport &node) {
  constexpr Places places = {/*mask=*/3, /*bias=*/4, /*used=*/7, /*beams=*/9};
  int64_t heads = getHeads(node, "num_heads");
  if (node.hasFailed() || failed(checkCache(node, places)) ||
      failed(node.requireRanks({{0, 3}, {5, 4}, {6, 4}, {10, 1}})))
    return failure();
  Value query = requireOnePlace(node, node.getOperand(0)), key = node.getOperand(1), value = node.getOperand(2);
  if (!key != !value)
    return node.error("operand " + Twine(key ? 2 : 1) + " is missing");
  int64_t rank = key ? node.requireRank(1) : 3;
  if (node.hasFailed())
    return failure();
  if (rank != 3 && rank != 4)
    return node.error("operand 1 has rank " + Twine(rank) + " instead of 3 or 4");
  bool isCross = rank == 4;
  Value begin = node.i64Vector({0}), bias = node.getOperand(10), count = node.i64Vector({heads});
  auto addBias = [&](Value x) {
    if (!bias)
      return x;
    Value end = node.add(begin, getDims(node, x, 2, 3));
    Value part = sliceTo(node, bias, begin, end, 0);
    begin = end;
    return node.add(x, fitToAxis(node, part, x, 2));
  };
  auto finish = [&](Value q, Value k, Value v) {
    holdHeads(node, {q, k, v});
    holdDims(node, k, q, ArrayRef<int64_t>(1), "heads of keys and queries");
    if (bias)
      holdBias(node, bias, {q, k, v});
    Value scores;
    FailureOr<Value> result = attendToAll(node, places, q, k, v, scores);
    if (failed(result))
      return failure();
    (void)node.finish(3, node.cast(scores, NodeImport::getElementType(query)));
    return node.finish(*result);
  };
  if (isCross) {
    if (node.wantsResult(1) || node.wantsResult(2))
      return node.error("keys with heads are no new ones, so that there are no results 1 and 2");
    holdDims(node, value, key, ArrayRef<int64_t>(3), "elements of values and keys with heads");
    return finish(splitHeads(node, addBias(query), heads), key, value);
  }
  for (size_t operand : {5, 6})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  if (!key) {
    // All three behind each other.
    Value all = query, width = node.mul(getDims(node, node.getOperand(5), 3, 4), count), twice = node.add(width, width);
    query = sliceTo(node, all, node.i64Vector({0}), width, 2);
    key = sliceTo(node, all, width, twice, 2);
    value = sliceTo(node, all, twice, getDims(node, all, 2, 3), 2);
  }
  holdDims(node, node.getOperand(6), node.getOperand(5), ArrayRef<int64_t>(2), "places of `past_value` and `past_key`");
  Value q = splitHeads(node, addBias(query), heads), k = splitHeads(node, addBias(key), heads);
  Cached keys = append(node, places, node.getOperand(5), k);
  Cached values = append(node, places, node.getOperand(6), splitHeads(node, addBias(value), heads));
  (void)node.finish(1, keys.present);
  (void)node.finish(2, values.present);
  return finish(q, keys.all, values.all);
}

//===----------------------------------------------------------------------===//
// DecoderMaskedSelfAttention
//===----------------------------------------------------------------------===//

/// As the former, of what the projections are part of the operator, and caches are one tensor.
static LogicalResult importDecoderMaskedSelfAttention(NodeImport &node) {
  constexpr Places places = {/*mask=*/3, /*bias=*/5, /*used=*/6, /*beams=*/8};
  Value input = node.getOperand(0), weights = node.getOperand(1), past = node.getOperand(4);
  int64_t heads = getHeads(node, "num_heads");
  if (!past)
    return node.error("operand 4 (past) is missing");
  if (node.hasFailed() || failed(refuse(node, {}, {"do_rotary"})) || failed(checkCache(node, places)) ||
      failed(node.requireRanks({{0, 3}, {1, 2}, {4, 5}})) ||
      failed(node.requireSameElementTypes({input, weights, node.getOperand(2)})))
    return failure();
  Value projected = node.matmul(requireOnePlace(node, input), weights);
  projected = node.add(projected, fitToAxis(node, node.getOperand(2), weights, 1));
  Value width = node.mul(getDims(node, past, 4, 5), node.i64Vector({heads})), twice = node.add(width, width);
  Value begins[] = {node.i64Vector({0}), width, twice}, ends[] = {width, twice, getDims(node, weights, 1, 2)};
  auto project = [&](size_t part) {
    return splitHeads(node, sliceTo(node, projected, begins[part], ends[part], 2), heads);
  };
  auto extend = [&](int64_t part) {
    return append(node, places, node.gather(past, node.i64Scalar(part), 0), project(static_cast<size_t>(part) + 1));
  };
  Cached keys = extend(0), values = extend(1);
  Value scores;
  FailureOr<Value> result = attendToAll(node, places, project(0), keys.all, values.all, scores);
  if (failed(result))
    return failure();
  (void)node.finish(1, node.concat(0, {node.unsqueeze(keys.present, 0), node.unsqueeze(values.present, 0)}));
  return node.finish(*result);
}

void onnx::registerMaskedDecoding(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "DecoderMaskedMultiHeadAttention", 1, 11, importDecoderMaskedMultiHeadAttention);
  registry.add(domain, "DecoderMaskedSelfAttention", 3, 9, importDecoderMaskedSelfAttention);
}
