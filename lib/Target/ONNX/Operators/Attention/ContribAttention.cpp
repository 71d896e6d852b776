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
#include "../Builders.h"
#include "../DynamicQuantization.h"
#include "../Formulas.h"
#include "AttentionParts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// What decides how far each place counts, as terms that are added to the scores; null where there is nothing to add.
class Masks {
public:
  /// `q` are the queries, B x anything; `type` is that of scores.
  Masks(NodeImport &node, Value q, Type type)
      : node(node), filter(node.getFloat("mask_filter_value", -10000.0f)), type(type), q(q) {}

  /// The operand of a mask in any of its forms; `length` is T.
  LogicalResult addMask(size_t operand, Value length);
  /// Places behind the one that asks; `asked` and `asking` are S and T.
  void addCausal(Value asking, Value asked);
  void add(Value term) {
    term = node.cast(term, type);
    sum = sum ? node.add(sum, term) : term;
  }

  Value sum;

private:
  void addWhereNot(Value stays, double otherwise) {
    add(node.select(stays, node.scalar(0, type), node.scalar(otherwise, type)));
  }

  NodeImport &node;
  double filter;
  Type type;
  Value q;
};

} // namespace

LogicalResult Masks::addMask(size_t operand, Value length) {
  if (!node.hasOperand(operand))
    return success();
  Value mask = node.getOperand(operand);
  int64_t rank = node.requireRank(operand);
  if (node.hasFailed())
    return failure();
  if (rank == 2 || rank == 3) {
    Value stays = node.compare(CompareDirection::GT, mask, node.scalar(0, mask));
    addWhereNot(rank == 2 ? node.unsqueeze(stays, {1, 2}) : node.unsqueeze(stays, 1), filter);
    return success();
  }
  if (rank != 1)
    return node.error("a mask of rank " + Twine(rank) + " is not supported");
  // Where the places that count end; with twice as many entries the second half says where they begin.
  Value bounds = node.cast(mask, node.builder.getI64Type()), begins;
  std::optional<SmallVector<int64_t>> size = NodeImport::getConstantInts(getDims(node, q, 0, 1));
  int64_t entries = NodeImport::getDims(mask)->front();
  if (size && !ShapedType::isDynamic(entries) && entries != size->front()) {
    if (entries != 2 * size->front())
      return node.error("a mask of " + Twine(entries) + " entries for " + Twine(size->front()) +
                        " sequences is not supported");
    begins = node.slice(bounds, size->front(), entries, 0);
    bounds = node.slice(bounds, 0, size->front(), 0);
  }
  bounds = fitToAxis(node, bounds, q, 0);
  Value places = countTo(node, asScalar(node, length));
  Value stays = node.compare(CompareDirection::LT, places, node.unsqueeze(bounds, {1, 2, 3}));
  if (begins)
    stays = node.binary<AndOp>(stays, node.compare(CompareDirection::GE, places, node.unsqueeze(begins, {1, 2, 3})));
  addWhereNot(stays, filter);
  return success();
}

void Masks::addCausal(Value asking, Value asked) {
  Value past = asScalar(node, node.sub(asked, asking));
  Value rows = node.unsqueeze(node.add(countTo(node, asScalar(node, asking)), past), 1);
  // No mask makes these count again: with the least number, what else is added is lost.
  double lowest = -APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
  addWhereNot(node.compare(CompareDirection::LE, countTo(node, asScalar(node, asked)), rows), lowest);
}

/// softmax(scale q k' + mask) v
static Value attend(NodeImport &node, Value q, Value k, Value v, Value mask) {
  Value scores = node.matmul(q, node.transposeLast(k, 4));
  scores = node.cast(node.mul(scores, getScale(node, q)), getComputeType(q));
  if (mask)
    scores = node.add(scores, node.expandLike(mask, scores));
  return node.matmul(node.cast(emitSoftmax(node, scores, {-1}), NodeImport::getElementType(v)), v);
}

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
  if (Value past = node.getOperand(cache))
    for (int i : {1, 2})
      parts[i] = node.concat(2, {node.gather(past, node.i64Scalar(i - 1), 0), parts[i]});
  Masks masks(node, input, getComputeType(projected));
  Value asking = getDims(node, input, 1, 2), asked = getDims(node, parts[1], 2, 3);
  if (failed(masks.addMask(mask, asked)))
    return failure();
  if (node.getInt("unidirectional", 0))
    masks.addCausal(asking, asked);
  if (scoreBias && node.hasOperand(*scoreBias))
    masks.add(node.getOperand(*scoreBias));
  if (node.wantsResult(1))
    (void)node.finish(1, node.concat(0, {node.unsqueeze(parts[1], 0), node.unsqueeze(parts[2], 0)}));
  return node.finish(mergeHeads(node, attend(node, parts[0], parts[1], parts[2], masks.sum)));
}

/// The projections are part of the operator.
static LogicalResult importProjectedAttention(NodeImport &node) {
  Value input = node.getOperand(0), weights = node.getOperand(1), bias = node.getOperand(2);
  if (failed(refuse(node, {6}, {"do_rotary", "past_present_share_buffer"})) ||
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
  if (failed(refuse(node, {8, 9}, {})))
    return failure();
  if (node.wantsResult(3))
    return node.error("the result 'qk' is not supported");
  int64_t heads = getHeads(node, "num_heads");
  MultiHeadOperands operands(node, heads);
  if (node.hasFailed() || failed(operands.read()))
    return failure();
  Value q = operands.q, k = operands.k, v = operands.v;
  if (node.hasOperand(6) != node.hasOperand(7))
    return node.error("of operands 6 (past_key) and 7 (past_value) one is missing");
  if (node.hasOperand(6)) {
    k = node.concat(2, {node.getOperand(6), k});
    v = node.concat(2, {node.getOperand(7), v});
  }
  Masks masks(node, q, getComputeType(q));
  Value asking = getDims(node, q, 2, 3), asked = getDims(node, k, 2, 3);
  if (failed(masks.addMask(4, asked)))
    return failure();
  if (node.getInt("unidirectional", 0))
    masks.addCausal(asking, asked);
  if (node.hasOperand(5))
    masks.add(node.getOperand(5));
  (void)node.finish(1, k);
  (void)node.finish(2, v);
  return node.finish(mergeHeads(node, attend(node, q, k, v, masks.sum)));
}

void onnx::registerContribAttention(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "Attention", 2, 7, importProjectedAttention);
  registry.add(domain, "QAttention", 5, 9, importQuantizedAttention);
  registry.add(domain, "MultiHeadAttention", 1, 10, importMultiHeadAttention);
  registry.add(domain, "GroupQueryAttention", 1, 16, importGroupQueryAttention);
}
