//===- Import of sorting, scattering and one-hot operators ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Guards.h"
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// `k` became an operand with opset 10, smallest elements came with 11.
static LogicalResult importTopK(NodeImport &node) {
  Value x = node.getOperand(0), k = node.getOperand(1);
  if (node.getVersion() < 10)
    k = node.i64Vector({node.getRequiredInt("k")});
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), NodeImport::getRank(x));
  if (node.hasFailed() || !k)
    return node.hasFailed() ? failure() : node.error("operand 1 (K) is missing");
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), node.builder.getI64Type());
  Value places =
      TopKOp::create(node.builder, node.loc, type, x, k, static_cast<uint64_t>(axis), node.getInt("largest", 1) == 0);
  (void)node.finish(1, places);
  return node.finish(gatherElements(node, x, places, axis));
}

/// Negative places are counted from `depth`.
static Value countFromEnd(NodeImport &node, Value places, Value depth) {
  Value isNegative = node.compare(CompareDirection::LT, places, node.i64Scalar(0));
  return node.select(isNegative, node.add(places, depth), places);
}

static LogicalResult importOneHot(NodeImport &node) {
  int64_t rank = node.requireRank(0) + 1;
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  if (node.hasFailed())
    return failure();
  Type i64 = node.builder.getI64Type();
  Value places = node.cast(node.getOperand(0), i64), depth = node.cast(asScalar(node, node.getOperand(1)), i64);
  depth = requireSize(node, depth, "the depth");
  if (node.getVersion() >= 11)
    places = countFromEnd(node, places, depth);
  Value values = node.getOperand(2);
  holdSizes(node, node.shapeOf(values), node.i64Vector({2}), "elements of `values` and one for off and one for on");
  Value off = node.gather(values, node.i64Scalar(0), 0), on = node.gather(values, node.i64Scalar(1), 0);
  Value isPlace =
      node.compare(CompareDirection::EQ, node.unsqueeze(places, axis), spread(node, countTo(node, depth), axis, rank));
  return node.finish(node.select(isPlace, on, off));
}

/// One more element at the end of each row, which is the first greatest one only where there is no other.
static Value appendLowest(NodeImport &node, Value rows, int64_t rank, int64_t axis) {
  SmallVector<int64_t> pads(static_cast<size_t>(2 * rank), 0);
  pads[static_cast<size_t>(rank + axis)] = 1;
  Type element = NodeImport::getElementType(rows);
  return PadToOp::create(node.builder, node.loc, NodeImport::makeDynamicType(rank, element), PadMode::Constant, rows,
                         node.i64Vector(pads), node.scalar(-std::numeric_limits<double>::infinity(), element),
                         /*axes=*/Value());
}

/// 1 at the first greatest element of each row, 0 elsewhere. Before opset 13 a row is all from the axis on.
static LogicalResult importHardmax(NodeImport &node) {
  Value x = node.getOperand(0), rows = x;
  int64_t rank = node.requireRank(0);
  bool flattens = node.getVersion() < 13;
  int64_t axis = node.normalizeAxis(node.getInt("axis", flattens ? 1 : -1), rank);
  if (node.hasFailed())
    return failure();
  if (flattens) {
    rows = node.flatten(x, axis);
    rank = 2;
    axis = 1;
  }
  Type type = NodeImport::makeDynamicType(rank, node.builder.getI64Type());
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(rows);
  bool mayBeEmpty = !dims || (*dims)[static_cast<size_t>(axis)] <= 0;
  Value best = ArgReduceOp::create(node.builder, node.loc, type, ReduceKind::Max,
                                   mayBeEmpty ? appendLowest(node, rows, rank, axis) : rows,
                                   static_cast<uint64_t>(axis), /*keep_dims=*/true, /*last=*/false);
  Value places = spread(node, countTo(node, getDim(node, rows, axis)), axis, rank);
  Value result = node.cast(node.compare(CompareDirection::EQ, best, places), NodeImport::getElementType(x));
  return node.finish(flattens ? node.reshapeTo(result, node.shapeOf(x), /*allowZero=*/true) : result);
}

static LogicalResult importEyeLike(NodeImport &node) {
  if (failed(node.requireRanks({{0, 2}})))
    return failure();
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  if (node.hasAttribute("dtype")) {
    auto number = static_cast<ElementType>(node.getInt("dtype", 1));
    type = getElementType(number, node.builder.getContext());
    if (!type)
      return node.error("elements of type " + getElementTypeName(number) + " are not supported");
  }
  Value rows = node.add(node.unsqueeze(countTo(node, getDim(node, x, 0)), 1), node.i64Scalar(node.getInt("k", 0)));
  Value columns = node.unsqueeze(countTo(node, getDim(node, x, 1)), 0);
  return node.finish(node.cast(node.compare(CompareDirection::EQ, rows, columns), type));
}

static FailureOr<std::optional<ReduceKind>> readReduction(NodeImport &node) {
  std::string name = node.getString("reduction", "none");
  if (name == "none")
    return std::optional<ReduceKind>();
  if (name == "add")
    return std::optional(ReduceKind::Sum);
  if (name == "mul")
    return std::optional(ReduceKind::Prod);
  if (name == "max")
    return std::optional(ReduceKind::Max);
  if (name == "min")
    return std::optional(ReduceKind::Min);
  return node.error("reduction " + quoteName(name) + " is not supported");
}

static LogicalResult importScatterND(NodeImport &node) {
  Value data = node.getOperand(0), updates = node.getOperand(2);
  FailureOr<std::optional<ReduceKind>> reduction = readReduction(node);
  if (failed(reduction) || failed(node.requireSameElementTypes({data, updates})))
    return failure();
  return node.finish(scatterND(node, data, node.getOperand(1), updates, *reduction));
}

/// The tuples (i, j, .., indices[i, j, ..], ..) of all places, the index standing in the place of `axis`.
static Value makeTuples(NodeImport &node, Value indices, int64_t axis, int64_t rank) {
  Type i64 = node.builder.getI64Type();
  Value shape = node.shapeOf(indices);
  SmallVector<Value> parts;
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value part = node.cast(indices, i64);
    if (dim != axis)
      part = expand(node, spread(node, countTo(node, getDim(node, indices, dim)), dim, rank), shape, rank);
    parts.push_back(node.unsqueeze(part, rank));
  }
  return node.concat(rank, parts);
}

static LogicalResult importScatterElements(NodeImport &node) {
  Value data = node.getOperand(0), updates = node.getOperand(2);
  int64_t rank = node.requireRank(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  FailureOr<std::optional<ReduceKind>> reduction = readReduction(node);
  if (node.hasFailed() || failed(reduction) || failed(node.requireSameElementTypes({data, updates})))
    return failure();
  return node.finish(scatterND(node, data, makeTuples(node, node.getOperand(1), axis, rank), updates, *reduction));
}

/// A cache with a new part written at each sequence's own place along an axis; `circular` goes on at the beginning.
static LogicalResult importTensorScatter(NodeImport &node) {
  Value cache = node.getOperand(0), update = node.getOperand(1);
  int64_t rank = node.requireRank(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -2), rank);
  std::string mode = node.getString("mode", "linear");
  if (node.hasFailed() || failed(node.requireSameElementTypes({cache, update})))
    return failure();
  if ((mode != "linear" && mode != "circular") || axis == 0)
    return node.error(axis == 0 ? Twine("the axis is that of the batch")
                                : "mode " + quoteName(mode) + " is not supported");
  if (failed(node.requireRanks({{1, rank}})))
    return failure();
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  llvm::erase(others, axis);
  holdDims(node, update, cache, others, "dims of `update` and `past_cache` beside the axis");
  requireAtMost(node, getDims(node, update, axis, axis + 1), getDims(node, cache, axis, axis + 1),
                "dim " + Twine(axis) + " of `update` must fit `past_cache`");
  Value places = spread(node, countTo(node, getDim(node, update, axis)), axis, rank);
  if (node.hasOperand(2))
    places = node.add(
        places, spread(node, holdToAxis(node, node.getOperand(2), cache, 0, "elements of write_indices"), 0, rank));
  if (mode == "circular")
    places = node.binary<ModOp>(places, getDim(node, cache, axis));
  Value indices = expand(node, places, node.shapeOf(update), rank);
  return node.finish(scatterND(node, cache, makeTuples(node, indices, axis, rank), update, std::nullopt));
}

/// The entries of an axis, or of the flattened tensor, whose condition is true.
static LogicalResult importCompress(NodeImport &node) {
  Value x = node.getOperand(0), condition = node.getOperand(1);
  int64_t axis = 0;
  if (node.hasAttribute("axis"))
    axis = node.normalizeAxis(node.getInt("axis", 0), NodeImport::getRank(x));
  else
    x = node.reshapeTo(x, node.i64Vector({-1}), /*allowZero=*/false);
  // PaddlePaddle's exporter writes masks of the operand's rank, which onnxruntime takes as they lie.
  if (std::optional<int64_t> rank = node.findRank(1); rank && *rank != 1) {
    if (node.hasAttribute("axis"))
      return node.contradiction("'condition' has rank " + Twine(*rank) + ", expected 1");
    condition = node.reshapeTo(condition, node.i64Vector({-1}), /*allowZero=*/false);
  }
  if (node.hasFailed())
    return failure();
  Type type = RankedTensorType::get({1, ShapedType::kDynamic}, node.builder.getI64Type());
  Value places = NonZeroOp::create(node.builder, node.loc, type, condition, /*count=*/StringAttr());
  return node.finish(node.gather(x, node.squeeze(places, ArrayRef<int64_t>(0)), axis));
}

/// The first elements of each sequence in reverse order, as many as its length says.
static LogicalResult importReverseSequence(NodeImport &node) {
  Value x = node.getOperand(0), lengths = node.cast(node.getOperand(1), node.builder.getI64Type());
  int64_t rank = node.requireRank(0);
  int64_t batch = node.getInt("batch_axis", 1), time = node.getInt("time_axis", 0);
  if (node.hasFailed())
    return failure();
  if (batch + time != 1 || batch * time != 0 || rank < 2)
    return node.error("batch_axis and time_axis must be 0 and 1, or 1 and 0");
  Value place = spread(node, countTo(node, getDim(node, x, time)), time, rank);
  // A single length does not hold for all sequences.
  Value length = spread(node, holdToAxis(node, lengths, x, batch, "elements of sequence_lens"), batch, rank);
  Value reversed = node.sub(node.sub(length, node.i64Scalar(1)), place);
  Value source = node.select(node.compare(CompareDirection::LT, place, length), reversed, place);
  // No place is right for a negative length: one behind the last is refused.
  Value isNegative = node.compare(CompareDirection::LT, length, node.i64Scalar(0));
  source = node.select(isNegative, getDim(node, x, time), source);
  return node.finish(gatherElements(node, x, expand(node, source, node.shapeOf(x), rank), time));
}

/// N x C x H x W to N x C/(b b) x H b x W b.
static LogicalResult importDepthToSpace(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t block = node.getRequiredInt("blocksize");
  std::string mode = node.getString("mode", "DCR");
  if (node.hasFailed())
    return failure();
  if (block < 1 || (mode != "DCR" && mode != "CRD"))
    return node.error(block < 1 ? "attribute 'blocksize' is " + Twine(block)
                                : "mode " + quoteName(mode) + " is not supported");
  Value channels = requireMultiple(node, 1, node.i64Vector({block * block}), "the square of blocksize");
  if (node.hasFailed())
    return failure();
  Value blocks = node.i64Vector({block, block}), edge = node.i64Vector({block});
  Value height = getDims(node, x, 2, 3), width = getDims(node, x, 3, 4), batch = getDims(node, x, 0, 1);
  bool isDepthFirst = mode == "DCR";
  SmallVector<Value> split = isDepthFirst ? SmallVector<Value>{batch, blocks, channels, height, width}
                                          : SmallVector<Value>{batch, channels, blocks, height, width};
  Value parts = node.reshapeTo(x, node.concat(0, split), /*allowZero=*/true);
  SmallVector<int64_t> order =
      isDepthFirst ? SmallVector<int64_t>{0, 3, 4, 1, 5, 2} : SmallVector<int64_t>{0, 1, 4, 2, 5, 3};
  Value merged = node.concat(0, {batch, channels, node.mul(height, edge), node.mul(width, edge)});
  return node.finish(node.reshapeTo(node.transpose(parts, ArrayRef<int64_t>(order)), merged, /*allowZero=*/true));
}

static LogicalResult importSpaceToDepth(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t block = node.getRequiredInt("blocksize");
  if (node.hasFailed())
    return failure();
  if (block < 1)
    return node.error("attribute 'blocksize' is " + Twine(block));
  Value edge = node.i64Vector({block});
  Value height = requireMultiple(node, 2, edge, "blocksize"), width = requireMultiple(node, 3, edge, "blocksize");
  if (node.hasFailed())
    return failure();
  Value batch = getDims(node, x, 0, 1), channels = getDims(node, x, 1, 2);
  Value parts = node.reshapeTo(x, node.concat(0, {batch, channels, height, edge, width, edge}), /*allowZero=*/true);
  constexpr int64_t order[] = {0, 3, 5, 1, 2, 4};
  Value merged = node.concat(0, {batch, node.mul(channels, node.i64Scalar(block * block)), height, width});
  return node.finish(node.reshapeTo(node.transpose(parts, ArrayRef<int64_t>(order)), merged, /*allowZero=*/true));
}

void onnx::registerSelection(OperatorRegistry &registry) {
  registry.add("TopK", 1, 2, importTopK);
  registry.add("OneHot", 3, 3, importOneHot);
  registry.add("Hardmax", 1, 1, importHardmax);
  registry.add("EyeLike", 1, 1, importEyeLike);
  registry.add("ScatterND", 3, 3, importScatterND);
  registry.add("ScatterElements", 3, 3, importScatterElements);
  registry.add("Scatter", 3, 3, importScatterElements);
  registry.add("TensorScatter", 2, 3, importTensorScatter);
  registry.add("Compress", 2, 2, importCompress, kMovesElements);
  registry.add("ReverseSequence", 2, 2, importReverseSequence, kMovesElements);
  registry.add("DepthToSpace", 1, 1, importDepthToSpace, kMovesElements);
  registry.add("SpaceToDepth", 1, 1, importSpaceToDepth, kMovesElements);
}
