//===- Import of hashes of runs of tokens ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Rows of tables that models of n-grams look up. B is the batch, S the tokens.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class NgramHashes {
public:
  explicit NgramHashes(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readAttributes();
  /// What stands that many places before each token: B x S.
  Value getBefore(int64_t distance);
  /// Is a token that many places before each one the first of its segment, of those that the operand has?
  Value isFirst(int64_t distance);

  NodeImport &node;
  int64_t longest = 0, heads = 0;
  Value all;    ///< with what stands before the first tokens, B x (longest - 1 + S)
  Value length; ///< S, an i64 vector
};

} // namespace

LogicalResult NgramHashes::readAttributes() {
  longest = node.getRequiredInt("max_ngram_size");
  heads = node.getRequiredInt("n_head_per_ngram");
  if (node.hasFailed())
    return failure();
  constexpr int64_t most = 64;
  if (longest < 2 || longest > most || heads < 1 || heads > most)
    return node.error("attributes 'max_ngram_size' = " + Twine(longest) + " and 'n_head_per_ngram' = " + Twine(heads) +
                      " are not supported");
  return node.requireRanks({{0, 2}, {1, 1}, {2, 1}, {3, 2}, {4, 1}, {6, 2}});
}

Value NgramHashes::getBefore(int64_t distance) {
  Value begin = node.i64Vector({longest - 1 - distance});
  return sliceTo(node, all, begin, node.add(begin, length), 1);
}

Value NgramHashes::isFirst(int64_t distance) {
  Value segments = node.reshapeTo(node.getOperand(6), node.shapeOf(node.getOperand(0)), /*allowZero=*/true);
  // The first token follows no other.
  Value others = node.concat(1, {node.slice(segments, 0, 1, 1), segments});
  others = sliceTo(node, others, node.i64Vector({0}), length, 1);
  Value changes = node.compare(CompareDirection::NE, segments, others);
  if (distance == 0)
    return changes;
  Value moved = padZeros(node, node.cast(changes, node.builder.getI32Type()), node.i64Vector({0, distance, 0, 0}));
  moved = sliceTo(node, moved, node.i64Vector({0}), length, 1);
  return node.compare(CompareDirection::NE, moved, node.scalar(0, moved));
}

LogicalResult NgramHashes::run() {
  if (failed(readAttributes()))
    return failure();
  Value ids = node.getOperand(0), end = node.getOperand(5), batch = getDims(node, ids, 0, 1);
  Value room = node.i64Vector({longest - 1}), before = node.concat(0, {batch, room});
  Value filler = node.scalar(static_cast<double>(node.getRequiredInt("pad_id")), ids);
  if (end)
    filler = end = asScalar(node, end);
  Value history = node.hasOperand(3) ? node.reshapeTo(node.getOperand(3), before, /*allowZero=*/true)
                                     : expand(node, filler, before, 2);
  all = node.concat(1, {history, ids});
  length = getDims(node, ids, 1, 2);
  Value count = node.i64Vector({(longest - 1) * heads});
  auto fit = [&](size_t operand) { return node.reshapeTo(node.getOperand(operand), count, /*allowZero=*/true); };
  Value sizes = fit(2), offsets = node.hasOperand(4) ? fit(4) : Value();
  bool endsRuns = end && node.getInt("reset_on_eos", 0);
  auto scale = [&](Value tokens, int64_t place) {
    return node.mul(tokens, node.gather(node.getOperand(1), node.i64Scalar(place), 0));
  };
  Value mix = scale(ids, 0), isCut;
  auto cut = [&](Value where) { isCut = isCut ? node.binary<OrOp>(isCut, where) : where; };
  SmallVector<Value> parts;
  for (int64_t distance = 1; distance < longest; ++distance) {
    Value tokens = getBefore(distance);
    // No run reaches over the end of a text, or of a segment.
    if (endsRuns)
      cut(node.compare(CompareDirection::EQ, tokens, end));
    if (node.hasOperand(6))
      cut(isFirst(distance - 1));
    if (isCut)
      tokens = node.select(isCut, filler, tokens);
    mix = node.binary<XorOp>(mix, scale(tokens, distance));
    auto own = [&](Value list) { return node.slice(list, (distance - 1) * heads, distance * heads, 0); };
    Value rows = node.binary<ModOp>(node.unsqueeze(mix, 2), own(sizes));
    parts.push_back(offsets ? node.add(rows, own(offsets)) : rows);
  }
  (void)node.finish(1, sliceTo(node, all, length, node.add(length, room), 1));
  return node.finish(node.concat(2, parts));
}

static LogicalResult importNGramHashMapping(NodeImport &node) { return NgramHashes(node).run(); }

void onnx::registerNgramHashes(OperatorRegistry &registry) {
  registry.add("com.microsoft", "NGramHashMapping", 3, 7, importNGramHashMapping);
}
