//===- Import of attention to some blocks of places ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// As Phi-3-small has it: a layout says which blocks of places count for which. B is
// the batch, N the heads, S the new places, M those of the caches, L the layouts,
// R the blocks of a layout's rows and H the elements of a head.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../Formulas.h"
#include "AttentionParts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class SparseAttention {
public:
  explicit SparseAttention(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult check();
  /// The cache with the new places of each sequence behind its own ones.
  Value write(Value cache, Value fresh);
  /// Which blocks count for which, L x R x R, from the ends of rows and the columns in them.
  Value readLayouts();
  /// True for the places that count: B x N x S x M.
  Value makeMask();
  Value attend(Value k, Value v);
  Value cast(Value x) { return node.cast(x, node.builder.getI64Type()); }

  NodeImport &node;
  int64_t heads = 1, groups = 1, block = 1;
  Value q;       ///< B x N x S x H
  Value lengths; ///< of what is cached, B
  Value own;     ///< the places of the new ones, B x S
};

} // namespace

LogicalResult SparseAttention::check() {
  if (failed(readSharedHeads(node, "num_heads", heads, groups)))
    return failure();
  block = node.getRequiredInt("sparse_block_size");
  if (node.hasFailed())
    return failure();
  if (block < 1)
    return node.error("attribute 'sparse_block_size' is " + Twine(block));
  if (node.hasOperand(1) != node.hasOperand(2))
    return node.error("keys need values");
  for (size_t operand : {3, 4, 5, 6, 7, 8})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  if (node.getInt("do_rotary", 0) && (!node.hasOperand(9) || !node.hasOperand(10)))
    return node.error("operand 9 (cos_cache) or 10 (sin_cache) is missing");
  return node.requireRanks({{0, 3}, {1, 3}, {2, 3}, {3, 4}, {4, 4}, {5, 2}, {6, 2}, {8, 1}, {9, 2}, {10, 2}});
}

Value SparseAttention::write(Value cache, Value fresh) {
  Value room = getDims(node, cache, 2, 3), length = asScalar(node, getDims(node, fresh, 2, 3));
  Value places = node.unsqueeze(countTo(node, asScalar(node, room)), 0);
  Value behind = node.sub(places, node.unsqueeze(lengths, 1));
  Value isNew = node.binary<AndOp>(node.compare(CompareDirection::GE, behind, node.i64Scalar(0)),
                                   node.compare(CompareDirection::LT, behind, length));
  Value sources = node.select(isNew, node.add(behind, room), places);
  constexpr int64_t order[] = {0, 2, 1, 3};
  Value both = node.transpose(node.concat(2, {cache, fresh}), ArrayRef<int64_t>(order));
  Value picked = gatherND(node, both, node.unsqueeze(sources, 2), /*batchDims=*/1, /*tuple=*/1);
  // More places than there is room for are refused.
  Value total = node.max(room, asVector(node, cast(node.getOperand(7))));
  Value dims = node.concat(0, {getDims(node, fresh, 0, 2), total, getDims(node, fresh, 3, 4)});
  Value all = node.reshapeTo(node.transpose(picked, ArrayRef<int64_t>(order)), dims, /*allowZero=*/true);
  return sliceTo(node, all, node.i64Vector({0}), room, 2);
}

Value SparseAttention::readLayouts() {
  Value ends = cast(node.getOperand(5)), columns = cast(node.getOperand(6)), one = node.i64Vector({1});
  Value count = getDims(node, ends, 0, 1), blocks = node.sub(getDims(node, ends, 1, 2), one);
  ends = sliceTo(node, ends, one, node.i64Vector({std::numeric_limits<int64_t>::max()}), 1);
  // As many rows end before or at an entry as its own is; what is behind the last row goes to one that nothing reads.
  Value entries = countTo(node, asScalar(node, getDims(node, columns, 1, 2)));
  Value isBefore = node.compare(CompareDirection::LE, node.unsqueeze(ends, 2), entries);
  Value rows = node.reduce(ReduceKind::Sum, cast(isBefore), ArrayRef<int64_t>{1}, /*keepDims=*/false);
  Value layouts = node.expandLike(node.unsqueeze(countTo(node, asScalar(node, count)), 1), rows);
  columns = node.max(node.expandLike(columns, rows), node.i64Scalar(0));
  auto part = [&](Value x) { return node.unsqueeze(x, 2); };
  Value places = node.concat(2, {part(layouts), part(rows), part(columns)});
  Type i8 = node.builder.getIntegerType(8);
  Value none = fill(node, node.concat(0, {count, node.add(blocks, one), blocks}), 3, 0, i8);
  Value ones = fill(node, node.shapeOf(rows), 2, 1, i8);
  return sliceTo(node, scatterND(node, none, places, ones, std::nullopt), node.i64Vector({0}), blocks, 1);
}

Value SparseAttention::makeMask() {
  Value places = countTo(node, getDim(node, node.getOperand(3), 2)), size = node.i64Scalar(block);
  Value layouts = readLayouts();
  Value chosen = node.gather(node.gather(layouts, node.div(own, size), 1), node.div(places, size), 3);
  Value counts = node.compare(CompareDirection::GT, chosen, node.scalar(0, chosen));
  Value isBefore = node.compare(CompareDirection::LE, places, node.unsqueeze(own, 2));
  counts = node.binary<AndOp>(counts, isBefore);
  // L x B x S x M: heads take the layouts in turns.
  constexpr int64_t order[] = {1, 0, 2, 3};
  counts = node.transpose(counts, ArrayRef<int64_t>(order));
  Value batch = getDims(node, counts, 0, 1), count = getDims(node, counts, 1, 2), rest = getDims(node, counts, 2, 4);
  Value all = node.i64Vector({heads});
  counts = expand(node, node.unsqueeze(counts, 1), node.concat(0, {batch, node.div(all, count), count, rest}), 5);
  return node.reshapeTo(counts, node.concat(0, {batch, all, rest}), /*allowZero=*/true);
}

Value SparseAttention::attend(Value k, Value v) {
  Value all = node.i64Vector({heads});
  auto repeat = [&](Value shared) { return heads == groups ? shared : repeatHeads(node, shared, all); };
  Value scores = node.matmul(q, node.transposeLast(repeat(k), 4));
  scores = node.cast(node.mul(scores, getScale(node, q)), getComputeType(q));
  double lowest = -std::numeric_limits<double>::infinity();
  scores = node.select(makeMask(), scores, node.scalar(lowest, scores));
  return node.matmul(node.cast(emitSoftmax(node, scores, {-1}), NodeImport::getElementType(v)), repeat(v));
}

LogicalResult SparseAttention::run() {
  if (failed(check()))
    return failure();
  Heads operands = readGroupedOperands(node, heads, groups);
  q = operands.q;
  // A sequence has what is cached before its new places, nothing if all places are new.
  Value length = asScalar(node, getDims(node, q, 2, 3)), total = asScalar(node, cast(node.getOperand(7)));
  Value totals = fitToAxis(node, cast(node.getOperand(8)), q, 0);
  Value isFirst = node.compare(CompareDirection::EQ, total, length);
  lengths = node.select(isFirst, node.i64Scalar(0), node.sub(totals, length));
  own = node.add(node.unsqueeze(lengths, 1), countTo(node, length));
  Value k = operands.k;
  if (node.getInt("do_rotary", 0)) {
    bool isInterleaved = node.getInt("rotary_interleaved", 0) != 0;
    Value cos = node.gather(node.getOperand(9), own, 0), sin = node.gather(node.getOperand(10), own, 0);
    q = rotate(node, q, cos, sin, isInterleaved);
    k = rotate(node, k, cos, sin, isInterleaved);
  }
  k = write(node.getOperand(3), k);
  Value v = write(node.getOperand(4), operands.v);
  (void)node.finish(1, k);
  (void)node.finish(2, v);
  Value result = attend(k, v);
  return node.hasFailed() ? failure() : node.finish(mergeHeads(node, result));
}

static LogicalResult importSparseAttention(NodeImport &node) { return SparseAttention(node).run(); }

void onnx::registerSparseAttention(OperatorRegistry &registry) {
  registry.add("com.microsoft", "SparseAttention", 1, 11, importSparseAttention);
}
