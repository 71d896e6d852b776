//===- Import of ONNX's Attention --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// ONNX defines the operator by a function too, which chooses by run-time values
// whether keys and values are repeated for the heads that share them.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class Attention {
public:
  explicit Attention(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readOperands();
  /// What is added to the scores; null for nothing.
  FailureOr<Value> makeBias();
  Value makeMask();
  Value lowest() { return node.scalar(-std::numeric_limits<double>::infinity(), type); }
  Value zero() { return node.scalar(0, type); }

  NodeImport &node;
  Type type;
  bool hasHeads = true;
  Value q, k, v, past; ///< past: how many places are cached, an i64 vector
};

} // namespace

/// The number of heads, where it is known at import.
static std::optional<int64_t> findHeads(Value x) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  bool isKnown = dims && dims->size() == 4 && !ShapedType::isDynamic((*dims)[1]);
  return isKnown ? std::optional((*dims)[1]) : std::nullopt;
}

LogicalResult Attention::readOperands() {
  int64_t rank = node.requireRank(0);
  q = node.getOperand(0);
  k = node.getOperand(1);
  v = node.getOperand(2);
  for (size_t operand : {1, 2})
    if (int64_t other = node.requireRank(operand); !node.hasFailed() && other != rank)
      return node.contradiction("operands 0 and " + Twine(operand) + " have ranks " + Twine(rank) + " and " +
                                Twine(other));
  if (node.hasFailed())
    return failure();
  if (rank != 3 && rank != 4)
    return node.contradiction("operand 0 has rank " + Twine(rank) + ", must be 3 or 4");
  hasHeads = rank == 4;
  if (!hasHeads) {
    int64_t heads, shared;
    if (failed(readSharedHeads(node, "q_num_heads", heads, shared)))
      return failure();
    q = splitHeads(node, q, heads);
    k = splitHeads(node, k, shared);
    v = splitHeads(node, v, shared);
  }
  if (node.hasOperand(4) != node.hasOperand(5))
    return node.error("of operands 4 (past_key) and 5 (past_value) one is missing");
  holdHeads(node, {q, k, v});
  past = node.i64Vector({0});
  if (node.hasOperand(4)) {
    past = getDims(node, node.getOperand(4), 2, 3);
    k = node.concat(2, {node.getOperand(4), k});
    v = node.concat(2, {node.getOperand(5), v});
  }
  type = NodeImport::getElementType(q);
  // Heads come in equal groups, also where their numbers are known at the run only.
  std::optional<int64_t> heads = findHeads(q), groups = findHeads(k);
  if (heads && groups && failed(requireEqualGroups(node, *heads, *groups)))
    return failure();
  return node.requireSameElementTypes({q, k});
}

/// The mask as numbers; places that it does not reach do not count.
Value Attention::makeMask() {
  Value mask = node.getOperand(3);
  int64_t rank = node.requireRank(3);
  if (node.hasFailed() || rank < 2 || rank > 4) {
    if (!node.hasFailed())
      (void)node.contradiction("operand 3 has rank " + Twine(rank) + ", must be 2 to 4");
    return {};
  }
  mask = NodeImport::getElementType(mask).isInteger(1) ? node.select(mask, zero(), lowest()) : node.cast(mask, type);
  if (node.getVersion() < 24)
    return mask;
  Value lacking = node.sub(getDims(node, k, 2, 3), getDims(node, mask, rank - 1, rank));
  if (NodeImport::getConstantInts(lacking) == SmallVector<int64_t>{0})
    return mask;
  SmallVector<int64_t> none(static_cast<size_t>(2 * rank - 1), 0);
  Type padded = NodeImport::makeDynamicType(rank, type);
  return PadToOp::create(node.builder, node.loc, padded, PadMode::Constant, mask,
                         node.concat(0, {node.i64Vector(none), lacking}), lowest(), /*axes=*/Value());
}

FailureOr<Value> Attention::makeBias() {
  Value sum;
  auto add = [&](Value term) { sum = sum ? node.add(sum, term) : term; };
  if (node.hasOperand(3)) {
    add(makeMask());
    if (node.hasFailed())
      return failure();
  }
  Value places = countTo(node, asScalar(node, getDims(node, k, 2, 3)));
  if (node.getInt("is_causal", 0)) {
    Value rows = node.add(countTo(node, asScalar(node, getDims(node, q, 2, 3))), asScalar(node, past));
    Value counts = node.compare(CompareDirection::LE, places, node.unsqueeze(rows, 1));
    add(node.select(counts, zero(), lowest()));
  }
  if (node.hasOperand(6)) {
    Value lengths = holdToAxis(node, node.getOperand(6), q, 0, "elements of nonpad_kv_seqlen");
    lengths = node.unsqueeze(node.cast(lengths, node.builder.getI64Type()), {1, 2, 3});
    add(node.select(node.compare(CompareDirection::LT, places, lengths), zero(), lowest()));
  }
  return sum;
}

LogicalResult Attention::run() {
  if (failed(readOperands()))
    return failure();
  (void)node.finish(1, k);
  (void)node.finish(2, v);
  FailureOr<Value> bias = makeBias();
  if (failed(bias))
    return failure();
  int64_t mode = node.getInt("qk_matmul_output_mode", 0);
  auto show = [&](int64_t which, Value value) {
    if (mode == which && node.wantsResult(3))
      (void)node.finish(3, node.cast(value, type));
  };
  if (mode < 0 || mode > 3)
    return node.error("attribute 'qk_matmul_output_mode' is " + Twine(mode));
  Value keys = node.transposeLast(repeatHeads(node, k, getDims(node, q, 1, 2)), 4);
  Value scores = node.matmul(node.mul(q, getScale(node, q)), keys);
  show(0, scores);
  if (double cap = node.getFloat("softcap", 0); cap > 0)
    scores = node.mul(node.unary<TanhOp>(node.div(scores, node.scalar(cap, scores))), node.scalar(cap, scores));
  show(1, scores);
  if (*bias)
    scores = node.add(scores, node.expandLike(*bias, scores));
  show(2, scores);
  Type computed = getComputeType(scores);
  if (node.hasAttribute("softmax_precision")) {
    auto number = static_cast<ElementType>(node.getInt("softmax_precision", 1));
    computed = getElementType(number, node.builder.getContext());
    if (!computed)
      return node.error("elements of type " + getElementTypeName(number) + " are not supported");
  }
  Value weights = emitSoftmax(node, node.cast(scores, computed), {-1});
  if (node.hasOperand(3) || node.hasOperand(6)) {
    // Rows that a mask rules out as a whole get zeros, as in onnxruntime and PyTorch: no number would spread to all
    // rows in the next layer.
    Type flag = NodeImport::makeTypeLike(weights, node.builder.getI1Type());
    weights = node.select(IsNanOp::create(node.builder, node.loc, flag, weights), node.scalar(0, weights), weights);
  }
  show(3, weights);
  Value result =
      node.matmul(node.cast(weights, NodeImport::getElementType(v)), repeatHeads(node, v, getDims(node, q, 1, 2)));
  result = node.cast(result, NodeImport::getElementType(node.getOperand(0)));
  return node.finish(hasHeads ? result : mergeHeads(node, result));
}

static LogicalResult importAttention(NodeImport &node) { return Attention(node).run(); }

/// As ONNX defines it, where nothing is repeated but heads for the queries that share them.
static LogicalResult importFlexAttention(NodeImport &node) {
  if (failed(node.requireRanks({{0, 4}, {1, 4}, {2, 4}})))
    return failure();
  holdHeads(node, {node.getOperand(0), node.getOperand(1), node.getOperand(2)});
  return node.hasFailed() ? failure() : node.finishByDefinition();
}

void onnx::registerAttention(OperatorRegistry &registry) {
  registry.add("Attention", 3, 7, importAttention);
  registry.add("ai.onnx.preview", "FlexAttention", 3, 3, importFlexAttention);
}
