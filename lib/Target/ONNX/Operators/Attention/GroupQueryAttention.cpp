//===- Import of GroupQueryAttention ------------------------------------- ===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"
#include "QuantizedCache.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class GroupQueryAttention {
public:
  explicit GroupQueryAttention(NodeImport &node) : node(node), keyCache(node), valueCache(node) {}
  LogicalResult run();

private:
  LogicalResult check();
  void readOperands();
  /// Each head of `x` over the root of the mean of its squares, times a weight for each element.
  Value normalize(Value x, size_t weight);
  void rotateHeads();
  /// Which of the cached places and the new ones behind them each place of the result is: B x T.
  Value findSources(Value past, Value fresh);
  /// Cached and new places, each sequence's new ones behind its own cached ones: B x N x T x H.
  Value append(Value past, Value fresh);
  Value attend();
  Value makeMask(Value asked);

  NodeImport &node;
  int64_t heads = 1, groups = 1;
  QuantizedCache keyCache, valueCache;
  Value q, k, v, pastLengths; ///< pastLengths: B
  Value sources;              ///< those of keys, which values have as well
};

} // namespace

LogicalResult GroupQueryAttention::check() {
  if (failed(refuse(node, {}, {"sliding_window_cache"})))
    return failure();
  for (size_t operand : {5, 6})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  if (int64_t mode = node.getInt("qk_output", 0); node.wantsResult(3) && mode != 2)
    return node.error("attribute 'qk_output' is " + Twine(mode) +
                      "; the result 'output_qk' is supported after softmax " + "only, which is 2");
  if (int64_t window = node.getInt("local_window_size", -1); window == 0 || window < -1)
    return node.error("attribute 'local_window_size' is " + Twine(window));
  if (!node.getInt("causal", 1) && node.getInt("local_window_size", -1) != -1)
    return node.error("attribute 'local_window_size' needs causal attention");
  if (node.hasOperand(14) != node.hasOperand(15))
    return node.error("of operands 14 (q_norm_weight) and 15 (k_norm_weight) one is missing");
  if (failed(readSharedHeads(node, "num_heads", heads, groups)))
    return failure();
  if (node.hasOperand(1) != node.hasOperand(2) || node.hasOperand(3) != node.hasOperand(4))
    return node.error("keys need values, and cached keys cached values");
  if (failed(keyCache.read("k_quant_type", 12, 3, groups)) || failed(valueCache.read("v_quant_type", 13, 4, groups)))
    return failure();
  if (node.getInt("do_rotary", 0) && (!node.hasOperand(7) || !node.hasOperand(8)))
    return node.error("operand 7 (cos_cache) or 8 (sin_cache) is missing");
  return success();
}

void GroupQueryAttention::readOperands() {
  Heads all = readGroupedOperands(node, heads, groups);
  q = all.q;
  k = all.k;
  v = all.v;
  holdHeads(node, all);
  if (node.hasOperand(3))
    holdDims(node, node.getOperand(4), node.getOperand(3), ArrayRef<int64_t>(2),
             "places of `past_value` and `past_key`");
  // With cached ones there may be no new keys: queries ask those that other layers wrote.
  Value fresh = getDims(node, k, 2, 3), asking = getDims(node, q, 2, 3),
        isAny = node.hasOperand(3) ? fresh : node.i64Vector({1});
  holdSizes(node, node.mul(fresh, isAny), node.mul(asking, isAny),
            "places of new keys, if there are any, and of queries");
  Type i64 = node.builder.getI64Type();
  Value length = asScalar(node, getDims(node, q, 2, 3));
  // A sequence has what is cached before its new places, nothing if all places are new.
  Value lengths = node.reshapeTo(node.cast(node.getOperand(5), i64), node.i64Vector({-1}), /*allowZero=*/false);
  Value past = node.sub(node.add(lengths, node.i64Scalar(1)), length);
  Value total = asScalar(node, node.cast(node.getOperand(6), i64));
  Value isFirst = node.compare(CompareDirection::EQ, total, length);
  pastLengths =
      node.hasOperand(3) ? node.select(isFirst, node.i64Scalar(0), past) : fill(node, node.shapeOf(lengths), 1, 0, i64);
}

Value GroupQueryAttention::normalize(Value x, size_t weight) {
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  double epsilon = node.getFloat("qk_norm_epsilon", 1e-6f);
  Value scaled = emitNormalization(node, node.cast(x, computed), {-1}, epsilon, /*subtractMean=*/false).value;
  scaled = node.mul(scaled, fitToAxis(node, node.cast(node.getOperand(weight), computed), x, 3));
  return node.cast(scaled, type);
}

void GroupQueryAttention::rotateHeads() {
  Value positions = node.getOperand(9);
  if (!positions)
    positions = node.add(node.unsqueeze(pastLengths, 1), countTo(node, asScalar(node, getDims(node, q, 2, 3))));
  holdDims(node, node.getOperand(8), node.getOperand(7), {0, 1}, "dims of `sin_cache` and `cos_cache`");
  bool interleaved = node.getInt("rotary_interleaved", 0) != 0;
  Value cos = node.gather(node.getOperand(7), positions, 0), sin = node.gather(node.getOperand(8), positions, 0);
  q = rotate(node, q, cos, sin, interleaved);
  k = rotate(node, k, cos, sin, interleaved);
}

Value GroupQueryAttention::findSources(Value past, Value fresh) {
  Value cached = getDims(node, past, 2, 3), length = getDims(node, fresh, 2, 3);
  Value total = asVector(node, node.cast(node.getOperand(6), node.builder.getI64Type()));
  Value places = countTo(node, asScalar(node, node.max(cached, total)));
  // A place that is not cached is one of the new ones; behind the last of these nothing is read.
  // Without new ones, those that ask are among the cached ones.
  Value lacking = node.sub(getDims(node, q, 2, 3), length);
  Value before = node.unsqueeze(node.add(pastLengths, lacking), 1);
  Value last = node.sub(node.add(cached, length), node.i64Vector({1}));
  Value moved = node.min(node.add(node.sub(places, before), cached), last);
  return node.select(node.compare(CompareDirection::LT, places, before), places, moved);
}

Value GroupQueryAttention::append(Value past, Value fresh) {
  if (!past)
    return fresh;
  if (!sources)
    sources = findSources(past, fresh);
  constexpr int64_t order[] = {0, 2, 1, 3};
  Value all = node.transpose(node.concat(2, {past, fresh}), ArrayRef<int64_t>(order));
  Value picked = gatherND(node, all, node.unsqueeze(sources, 2), /*batchDims=*/1, /*tuple=*/1);
  return node.transpose(picked, ArrayRef<int64_t>(order));
}

/// True for the places that count: B x 1 x S x T.
Value GroupQueryAttention::makeMask(Value asked) {
  Value own = node.add(node.unsqueeze(pastLengths, 1), countTo(node, asScalar(node, getDims(node, q, 2, 3))));
  own = node.unsqueeze(own, {1, 3});
  Value places = countTo(node, asScalar(node, asked));
  if (!node.getInt("causal", 1)) {
    // All places that a sequence has.
    Value lengths = node.add(pastLengths, asScalar(node, getDims(node, q, 2, 3)));
    own = node.unsqueeze(node.sub(lengths, node.i64Scalar(1)), {1, 2, 3});
  }
  Value counts = node.compare(CompareDirection::LE, places, own);
  int64_t window = node.getInt("local_window_size", -1);
  if (window > 0)
    counts =
        node.binary<AndOp>(counts, node.compare(CompareDirection::GT, places, node.sub(own, node.i64Scalar(window))));
  return counts;
}

Value GroupQueryAttention::attend() {
  Value asked = getDims(node, k, 2, 3), all = node.i64Vector({heads});
  auto repeat = [&](Value shared) { return heads == groups ? shared : repeatHeads(node, shared, all); };
  Value scores = node.matmul(q, node.transposeLast(repeat(k), 4));
  scores = node.cast(node.mul(scores, getScale(node, q)), getComputeType(q));
  double cap = node.getFloat("softcap", 0);
  if (cap > 0)
    scores = node.mul(node.unary<TanhOp>(node.div(scores, node.scalar(cap, scores))), node.scalar(cap, scores));
  if (node.hasOperand(10))
    scores = node.add(scores, node.expandLike(node.cast(node.getOperand(10), getComputeType(q)), scores));
  double lowest = -std::numeric_limits<double>::infinity();
  scores = node.select(makeMask(asked), scores, node.scalar(lowest, scores));
  Value sink;
  if (node.hasOperand(11))
    sink = node.unsqueeze(fitToAxis(node, node.cast(node.getOperand(11), getComputeType(q)), scores, 1), {0, 2, 3});
  else if (node.getInt("smooth_softmax", 0) == 1)
    sink = node.scalar(0, scores);
  Value weights;
  if (sink) {
    // A place of its own that takes its share of the weights and has no value.
    constexpr int64_t last[] = {-1};
    Value greatest = node.max(node.reduce(ReduceKind::Max, scores, ArrayRef<int64_t>(last), /*keepDims=*/true), sink);
    Value exponential = node.exp(node.sub(scores, greatest));
    Value sum = node.reduce(ReduceKind::Sum, exponential, ArrayRef<int64_t>(last), /*keepDims=*/true);
    weights = node.div(exponential, node.add(sum, node.exp(node.sub(sink, greatest))));
  } else {
    weights = emitSoftmax(node, scores, {-1});
  }
  weights = node.cast(weights, NodeImport::getElementType(v));
  (void)node.finish(3, weights);
  return node.matmul(weights, repeat(v));
}

LogicalResult GroupQueryAttention::run() {
  if (failed(check()))
    return failure();
  readOperands();
  if (node.hasOperand(14)) {
    q = normalize(q, 14);
    k = normalize(k, 15);
  }
  if (node.getInt("do_rotary", 0))
    rotateHeads();
  Value keys = append(node.getOperand(3), keyCache.quantize(k));
  Value values = append(node.getOperand(4), valueCache.quantize(v));
  k = keyCache.dequantize(keys, k);
  v = valueCache.dequantize(values, v);
  (void)node.finish(1, keys);
  (void)node.finish(2, values);
  Value result = attend();
  return node.hasFailed() ? failure() : node.finish(mergeHeads(node, result));
}

LogicalResult onnx::importGroupQueryAttention(NodeImport &node) { return GroupQueryAttention(node).run(); }
