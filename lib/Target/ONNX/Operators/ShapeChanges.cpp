//===- Import of changes of rank and of shapes as values -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "RandomNumbers.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importReshape(NodeImport &node) {
  bool allowZero = node.getInt("allowzero", 0) != 0;
  return node.finish(node.reshapeTo(node.getOperand(0), node.getOperand(1), allowZero));
}

/// Which of `count` places, an i64 scalar, a vector of axes names, an i64 vector of 0 and 1; for axes that are seen
/// when the model runs. Both look-ups end a run: of an axis out of range, and of a place that is named twice.
static Value markAxes(NodeImport &node, Value axes, Value count) {
  axes = node.cast(axes, node.builder.getI64Type());
  Value places = countTo(node, count);
  axes = node.gather(places, axes, 0);
  Value isNamed = node.compare(CompareDirection::EQ, node.unsqueeze(axes, 1), node.unsqueeze(places, 0));
  Value times = node.reduce(ReduceKind::Sum, node.cast(isNamed, node.builder.getI64Type()), ArrayRef<int64_t>(0),
                            /*keepDims=*/false);
  return node.gather(node.i64Vector({0, 1}), times, 0);
}

static LogicalResult squeezeAtRunTime(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  Value x = node.getOperand(0),
        isKept = node.sub(node.i64Scalar(1), markAxes(node, node.getOperand(1), node.i64Scalar(rank)));
  Type type = RankedTensorType::get({1, ShapedType::kDynamic}, node.builder.getI64Type());
  Value places = NonZeroOp::create(node.builder, node.loc, type, isKept, /*count=*/StringAttr());
  Value shape = node.gather(node.shapeOf(x), node.squeeze(places, ArrayRef<int64_t>(0)), 0);
  return node.finish(node.reshapeTo(x, shape, /*allowZero=*/true));
}

static LogicalResult unsqueezeAtRunTime(NodeImport &node) {
  node.takeDeclaredRanks();
  Value x = node.getOperand(0), axes = node.getOperand(1);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(axes);
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (!dims || dims->size() != 1)
    return node.error("operand 1 (axes) must be a vector");
  Value count = ShapedType::isDynamic(dims->front())
                    ? node.add(node.i64Scalar(rank), asScalar(node, getDims(node, axes, 0, 1)))
                    : node.i64Scalar(rank + dims->front());
  Value isNew = markAxes(node, axes, count), one = node.i64Scalar(1);
  // The dims of the operand stand at the other places, one after the other; a 1 before them is read for new ones.
  Value kept = node.sub(one, isNew);
  Value order = CumSumOp::create(node.builder, node.loc, NodeImport::makeTypeLike(kept), kept, 0, false, false, false);
  Value source = node.concat(0, {node.i64Vector({1}), node.shapeOf(x)});
  Value shape = node.gather(source, node.mul(order, kept), 0);
  return node.finish(node.reshapeTo(x, shape, /*allowZero=*/true));
}

static bool hasUnknownAxes(NodeImport &node) {
  return node.getVersion() >= 13 && node.hasOperand(1) && !NodeImport::getConstantInts(node.getOperand(1));
}

/// Axes are an operand since opset 13; without them all dims of size 1 go.
static LogicalResult importSqueeze(NodeImport &node) {
  if (hasUnknownAxes(node))
    return squeezeAtRunTime(node);
  std::optional<SmallVector<int64_t>> axes = node.getAttributeOrOperand("axes", 1, 13);
  std::optional<int64_t> rank = NodeImport::getRank(node.getOperand(0));
  if (axes)
    for (int64_t axis : *axes)
      (void)node.normalizeAxis(axis, rank);
  if (node.hasFailed())
    return failure();
  return node.finish(node.squeeze(node.getOperand(0), axes ? std::optional<ArrayRef<int64_t>>(*axes) : std::nullopt));
}

static LogicalResult importUnsqueeze(NodeImport &node) {
  if (hasUnknownAxes(node))
    return unsqueezeAtRunTime(node);
  std::optional<SmallVector<int64_t>> axes = node.getAttributeOrOperand("axes", 1, 13);
  if (!axes)
    return node.hasFailed() ? failure() : node.error("axes are missing");
  if (std::optional<int64_t> rank = NodeImport::getRank(node.getOperand(0)))
    for (int64_t axis : *axes)
      (void)node.normalizeAxis(axis, *rank + static_cast<int64_t>(axes->size()));
  if (node.hasFailed())
    return failure();
  return node.finish(node.unsqueeze(node.getOperand(0), *axes));
}

static LogicalResult importFlatten(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t axis = node.getInt("axis", 1);
  if (std::optional<int64_t> rank = NodeImport::getRank(x)) {
    if (axis < -*rank || axis > *rank)
      return node.error("axis " + Twine(axis) + " is out of range for rank " + Twine(*rank));
    if (axis < 0)
      axis += *rank;
  }
  return node.finish(node.flatten(x, axis));
}

/// `start` and `end` select a range of dims since opset 15.
static LogicalResult importShape(NodeImport &node) {
  Value shape = node.shapeOf(node.getOperand(0));
  int64_t start = node.getInt("start", 0);
  if (start == 0 && !node.hasAttribute("end"))
    return node.finish(shape);
  int64_t end = node.getInt("end", std::numeric_limits<int64_t>::max());
  return node.finish(node.slice(shape, start, end, 0));
}

static LogicalResult importSize(NodeImport &node) {
  Value shape = node.shapeOf(node.getOperand(0));
  return node.finish(node.reduce(ReduceKind::Prod, shape, std::nullopt, /*keepDims=*/false));
}

/// Where nothing is dropped, data pass through, and the mask keeps everything.
static LogicalResult importDropout(NodeImport &node) {
  Value x = node.getOperand(0);
  if (!dropsNothing(node, /*ratio=*/1, /*training=*/2)) {
    Dropped dropped = dropRandomly(node, x, /*ratio=*/1, /*training=*/2);
    (void)node.finish(1, dropped.mask);
    return node.finish(dropped.result);
  }
  if (node.wantsResult(1)) {
    Type elementType = node.getVersion() < 10 ? NodeImport::getElementType(x) : node.builder.getI1Type();
    Value shape = node.shapeOf(x);
    TypedAttr one = isa<FloatType>(elementType) ? TypedAttr(node.builder.getFloatAttr(elementType, 1))
                                                : TypedAttr(node.builder.getIntegerAttr(elementType, 1));
    (void)node.finish(1,
                      FullToOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, elementType), shape, one));
  }
  return node.finish(x);
}

void onnx::registerShapeChanges(OperatorRegistry &registry) {
  registry.add("Reshape", 2, 2, importReshape, kMovesElements);
  registry.add("Squeeze", 1, 2, importSqueeze, kMovesElements);
  registry.add("Unsqueeze", 1, 2, importUnsqueeze, kMovesElements);
  registry.add("Flatten", 1, 1, importFlatten, kMovesElements);
  registry.add("Shape", 1, 1, importShape, kMovesElements);
  registry.add("Size", 1, 1, importSize, kMovesElements);
  registry.add("Dropout", 1, 3, importDropout);
}
