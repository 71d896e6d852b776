//===- Import of onnxruntime's operators on places of tokens -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TokenPlaces.h"
#include "../../OperatorRegistry.h"
#include "../Attention/AttentionParts.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// For each pair of places an entry of the table, by a bucket of their distance: one for each small distance, and
/// behind these ones that grow with it. The table has the buckets of a head together, though its dims are the other way
/// round.
static LogicalResult importRelativePositionBias(NodeImport &node) {
  Value table = node.getOperand(0);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(table);
  int64_t most = node.getRequiredInt("max_distance");
  bool isBidirectional = node.getInt("is_bidirectional", 0) != 0;
  if (node.hasFailed() || failed(node.requireRanks({{0, 2}})))
    return failure();
  if (!dims || ShapedType::isDynamic(dims->front()))
    return node.error("the number of buckets, dim 0 of operand 0, must be known");
  int64_t buckets = dims->front(), own = isBidirectional ? buckets / 2 : buckets, exact = own / 2;
  if (exact < 1 || most <= exact)
    return node.error(Twine(buckets) + " buckets for distances up to " + Twine(most) + " are not supported");
  Type i64 = node.builder.getI64Type(), f32 = node.builder.getF32Type();
  auto count = [&](size_t operand) { return countTo(node, asScalar(node, node.cast(node.getOperand(operand), i64))); };
  Value queries = node.unsqueeze(count(1), 1), keys = node.unsqueeze(count(2), 0);
  Value ahead = node.sub(keys, queries), zero = node.i64Scalar(0);
  Value distance = isBidirectional ? node.abs(ahead) : node.max(node.neg(ahead), zero);
  Value first = node.i64Scalar(exact);
  Value ratio = node.div(node.cast(node.max(distance, first), f32), node.scalar(static_cast<double>(exact), f32));
  float whole = std::log(static_cast<float>(most) / static_cast<float>(exact));
  Value share =
      node.mul(node.div(node.log(ratio), node.scalar(whole, f32)), node.scalar(static_cast<double>(own - exact), f32));
  Value far = node.min(node.add(first, node.cast(share, i64)), node.i64Scalar(own - 1));
  Value bucket = node.select(node.compare(CompareDirection::LT, distance, first), distance, far);
  if (isBidirectional)
    bucket = node.add(bucket, node.select(node.compare(CompareDirection::GT, ahead, zero), node.i64Scalar(own), zero));
  Value heads = getDims(node, table, 1, 2);
  table = node.reshapeTo(table, node.concat(0, {heads, node.i64Vector({buckets})}), /*allowZero=*/true);
  return node.finish(node.unsqueeze(node.gather(table, bucket, 1), 0));
}

/// A bias for pairs of places times a gate that follows from the query.
static LogicalResult importGatedRelativePositionBias(NodeImport &node) {
  int64_t heads = getHeads(node, "num_heads");
  if (node.hasFailed() || failed(refuse(node, {6}, {})) ||
      failed(node.requireRanks({{0, 3}, {1, 1}, {2, 4}, {3, 2}, {4, 1}, {5, 4}})))
    return failure();
  Value query = node.getOperand(0), weight = node.getOperand(3);
  query = splitHeads(node, node.add(query, fitToAxis(node, node.getOperand(1), query, -1)), heads);
  Value sums = node.add(node.matmul(query, weight), fitToAxis(node, node.getOperand(4), weight, 1));
  Value two = node.i64Vector({2}), half = node.div(getDims(node, weight, 1, 2), two);
  Value halves = node.reshapeTo(sums, node.concat(0, {getDims(node, sums, 0, 3), two, half}), /*allowZero=*/true);
  constexpr int64_t last[] = {4};
  Value gates =
      node.unary<SigmoidOp>(node.reduce(ReduceKind::Sum, halves, ArrayRef<int64_t>(last), /*keepDims=*/false));
  Value update = node.slice(gates, 0, 1, 3), reset = node.slice(gates, 1, 2, 3);
  Value less = node.sub(node.mul(reset, node.getOperand(5)), node.scalar(1, reset));
  Value gate = node.add(node.mul(update, less), node.scalar(2, update));
  return node.finish(node.mul(gate, node.getOperand(2)));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The places, in order, of what is true in a vector.
static Value findPlaces(NodeImport &node, Value flags) {
  Type type = NodeImport::makeDynamicType(2, node.builder.getI64Type());
  Value places = NonZeroOp::create(node.builder, node.loc, type, flags, /*count=*/StringAttr());
  return node.squeeze(places, ArrayRef<int64_t>(0));
}

/// The tokens of all sequences (B x S x H) without what stands behind their ends.
static LogicalResult importRemovePadding(NodeImport &node) {
  if (failed(node.requireRanks({{0, 3}, {1, 1}})))
    return failure();
  Value x = node.getOperand(0), i32Counts = node.getOperand(1);
  Type i64 = node.builder.getI64Type(), i32 = node.builder.getI32Type();
  Value batch = getDims(node, x, 0, 1), outer = getDims(node, x, 0, 2);
  Value counts = node.reshapeTo(node.cast(i32Counts, i64), node.concat(0, {batch, node.i64Vector({1})}),
                                /*allowZero=*/true);
  Value flags = node.compare(CompareDirection::LT, countTo(node, asScalar(node, getDims(node, x, 1, 2))), counts);
  flags = node.reshapeTo(flags, node.reduce(ReduceKind::Prod, outer, std::nullopt, /*keepDims=*/true),
                         /*allowZero=*/true);
  Value tokens = findPlaces(node, flags);
  if (node.wantsResult(1)) {
    Value rest = findPlaces(node, node.unary<NotOp>(flags));
    Value all = node.cast(node.concat(0, {tokens, rest}), i32);
    (void)node.finish(1, node.reshapeTo(all, outer, /*allowZero=*/true));
  }
  Value zero = node.reshapeTo(node.scalar(0, i32), node.i64Vector({1}), /*allowZero=*/false);
  Value sizes = node.concat(0, {zero, node.reshapeTo(node.cast(counts, i32), batch, /*allowZero=*/true)});
  if (node.wantsResult(2))
    (void)node.finish(2, CumSumOp::create(node.builder, node.loc, NodeImport::makeTypeLike(sizes), sizes, /*axis=*/0,
                                          /*exclusive=*/false, /*reverse=*/false)
                             .getResult());
  if (node.wantsResult(3))
    (void)node.finish(3, node.reduce(ReduceKind::Max, sizes, std::nullopt, /*keepDims=*/true));
  Value rows = node.reshapeTo(
      x,
      node.concat(0, {node.reduce(ReduceKind::Prod, outer, std::nullopt, /*keepDims=*/true), getDims(node, x, 2, 3)}),
      /*allowZero=*/true);
  return node.finish(node.gather(rows, tokens, 0));
}

Value onnx::findTokens(NodeImport &node, Value tokens, Value offsets) {
  offsets = node.cast(offsets, node.builder.getI64Type());
  Value count = node.reduce(ReduceKind::Prod, node.shapeOf(offsets), std::nullopt, /*keepDims=*/true);
  Value flat = node.reshapeTo(offsets, count, /*allowZero=*/true);
  return sliceTo(node, flat, node.i64Vector({0}), getDims(node, tokens, 0, 1), 0);
}

Value onnx::restorePadding(NodeImport &node, Value tokens, Value offsets) {
  Value outer = node.shapeOf(offsets), width = getDims(node, tokens, 1, 2);
  Value count = node.reduce(ReduceKind::Prod, outer, std::nullopt, /*keepDims=*/true);
  Value zeros = fill(node, node.concat(0, {count, width}), 2, 0, NodeImport::getElementType(tokens));
  Value places = node.unsqueeze(findTokens(node, tokens, offsets), 1);
  Value rows = scatterND(node, zeros, places, tokens, std::nullopt);
  return node.reshapeTo(rows, node.concat(0, {outer, width}), /*allowZero=*/true);
}

static LogicalResult importRestorePadding(NodeImport &node) {
  if (failed(node.requireRanks({{0, 2}, {1, 2}})))
    return failure();
  return node.finish(restorePadding(node, node.getOperand(0), node.getOperand(1)));
}

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

/// Scores (B x V), -inf for each token that would repeat a run of `ngram_size` tokens.
static LogicalResult importNGramRepeatBlock(NodeImport &node) {
  int64_t length = node.getRequiredInt("ngram_size");
  if (node.hasFailed() || failed(node.requireRanks({{0, 2}, {1, 2}})))
    return failure();
  constexpr int64_t longest = 64;
  if (length < 1 || length > longest)
    return node.error("attribute 'ngram_size' is " + Twine(length) + ", which is not supported");
  Value tokens = node.getOperand(0), scores = node.getOperand(1), zero = node.i64Scalar(0);
  holdDims(node, scores, tokens, ArrayRef<int64_t>(0), "batch of scores and tokens");
  Value runs = node.max(node.sub(getDim(node, tokens, 1), node.i64Scalar(length - 1)), zero);
  Value starts = countTo(node, runs);
  // What begins behind the last run is the start of the one that a token would end. Short rows are made long enough.
  Value padded = padZeros(node, tokens, node.i64Vector({0, 0, 0, length}));
  auto get = [&](Value places) { return node.gather(padded, places, 1); };
  Value candidates = get(node.add(starts, node.i64Scalar(length - 1)));
  Value repeats = node.compare(CompareDirection::EQ, candidates, candidates);
  for (int64_t i = 0; i + 1 < length; ++i) {
    Value here = get(node.add(starts, node.i64Scalar(i)));
    Value end = get(asVector(node, node.add(runs, node.i64Scalar(i))));
    repeats = node.binary<AndOp>(repeats, node.compare(CompareDirection::EQ, here, end));
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value updates = node.select(repeats, node.scalar(-infinity, scores), node.scalar(infinity, scores));
  candidates = node.select(repeats, candidates, zero);
  Value rows = node.unsqueeze(countTo(node, getDim(node, tokens, 0)), 1);
  rows = node.expandLike(rows, candidates);
  Value places = node.concat(2, {node.unsqueeze(rows, 2), node.unsqueeze(candidates, 2)});
  return node.finish(scatterND(node, scores, places, updates, ReduceKind::Min));
}

void onnx::registerTokenPlaces(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "RelativePositionBias", 3, 3, importRelativePositionBias);
  registry.add(domain, "GatedRelativePositionBias", 6, 7, importGatedRelativePositionBias);
  registry.add(domain, "RemovePadding", 2, 2, importRemovePadding);
  registry.add(domain, "RestorePadding", 2, 2, importRestorePadding);
  registry.add(domain, "NGramRepeatBlock", 2, 2, importNGramRepeatBlock);
}
