//===- Import of transposition, concatenation, slices and repetition -------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Guards.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importTranspose(NodeImport &node) {
  std::optional<SmallVector<int64_t>> perm = node.getInts("perm");
  std::optional<int64_t> rank = NodeImport::getRank(node.getOperand(0));
  if (perm) {
    SmallVector<int64_t> sorted(*perm);
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, static_cast<int64_t>(sorted.size()))))
      return node.contradiction(
          "attribute 'perm' is no permutation: " +
          llvm::join(llvm::map_range(*perm, [](int64_t axis) { return std::to_string(axis); }), ", "));
    if (rank && *rank != static_cast<int64_t>(perm->size()))
      return node.contradiction("attribute 'perm' has " + Twine(perm->size()) + " entries for rank " + Twine(*rank));
  }
  return node.finish(node.transpose(node.getOperand(0), perm ? std::optional<ArrayRef<int64_t>>(*perm) : std::nullopt));
}

static LogicalResult importConcat(NodeImport &node) {
  SmallVector<Value> operands = node.getAllOperands();
  int64_t axis = node.getRequiredInt("axis");
  if (node.hasFailed() || failed(node.requireSameElementTypes(operands)))
    return failure();
  axis = node.normalizeAxis(axis, NodeImport::getRank(operands.front()));
  return node.finish(node.concat(axis, operands));
}

/// As many elements as each part of a vector has, since a vector of sizes gives a rank, which decompositions ask for.
/// Nothing where that is not known or contradicts the vector.
static std::optional<SmallVector<int64_t>> getPartLengths(NodeImport &node, Value x, Value sizes, int64_t count) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  if (!count || !dims || dims->size() != 1 || ShapedType::isDynamic(dims->front()))
    return std::nullopt;
  int64_t length = dims->front(), part = llvm::divideCeilSigned(length, count);
  SmallVector<int64_t> equal(static_cast<size_t>(count), part);
  equal.back() = length - part * (count - 1);
  std::optional<SmallVector<int64_t>> lengths = sizes ? NodeImport::getConstantInts(sizes) : std::move(equal);
  bool isEven = sizes || node.getVersion() >= 18 || length % count == 0;
  if (!lengths || !isEven || static_cast<int64_t>(lengths->size()) != count)
    return std::nullopt;
  int64_t rest = length;
  for (int64_t size : *lengths) {
    if (size < 0 || size > rest)
      return std::nullopt;
    rest -= size;
  }
  return rest ? std::nullopt : lengths;
}

static LogicalResult importSplit(NodeImport &node) {
  Value x = node.getOperand(0);
  std::optional<int64_t> rank = NodeImport::getRank(x);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), rank);
  int64_t count = node.getInt("num_outputs", static_cast<int64_t>(node.getNumResults()));
  if (count != static_cast<int64_t>(node.getNumResults()))
    return node.error("has " + Twine(node.getNumResults()) + " outputs, but attribute 'num_outputs' says " +
                      Twine(count));
  Value sizes = node.getVectorOrOperand("split", 1, 13);
  if (node.hasFailed())
    return failure();
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(x));
  SmallVector<Type> types(node.getNumResults(), type);
  if (std::optional<SmallVector<int64_t>> lengths = getPartLengths(node, x, sizes, count))
    for (auto [part, length] : llvm::zip_equal(types, *lengths))
      part = RankedTensorType::get(length, NodeImport::getElementType(x));
  // Since opset 18 the last part may be smaller; before, parts of other sizes do not make up the dim.
  if (!sizes && node.getVersion() < 18) {
    Value size = node.gather(node.shapeOf(x), node.i64Vector({axis}), 0);
    Value part = node.div(size, node.i64Vector({count}));
    sizes = node.concat(0, SmallVector<Value>(count, part));
  }
  auto split = SplitOp::create(node.builder, node.loc, types, x, sizes, static_cast<uint64_t>(axis));
  for (auto [index, part] : llvm::enumerate(split.getParts()))
    (void)node.finish(index, part);
  return success();
}

/// The length of a part of a vector of sizes is a rank, which decompositions ask for.
static std::optional<int64_t> getSliceLength(Value x, Value starts, Value ends, Value steps) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  if (!dims || dims->size() != 1 || ShapedType::isDynamic(dims->front()))
    return std::nullopt;
  auto start = NodeImport::getConstantInts(starts), end = NodeImport::getConstantInts(ends);
  auto step = steps ? NodeImport::getConstantInts(steps) : SmallVector<int64_t>{1};
  if (!start || !end || !step || start->size() != 1 || end->size() != 1 || step->size() != 1 || step->front() < 1)
    return std::nullopt;
  int64_t length = dims->front();
  auto clamp = [&](int64_t bound) { return std::clamp<int64_t>(bound < 0 ? bound + length : bound, 0, length); };
  int64_t distance = std::max<int64_t>(clamp(end->front()) - clamp(start->front()), 0);
  return llvm::divideCeilSigned(distance, step->front());
}

/// Before opset 10 the bounds are attributes.
static LogicalResult importSlice(NodeImport &node) {
  Value x = node.getOperand(0);
  bool hasAttributes = node.getVersion() < 10;
  Value starts = node.getVectorOrOperand("starts", 1, 10), ends = node.getVectorOrOperand("ends", 2, 10);
  Value axes = node.getVectorOrOperand("axes", 3, 10), steps = hasAttributes ? Value() : node.getOperand(4);
  if (!starts || !ends)
    return node.error("starts and ends are missing");
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  if (std::optional<int64_t> length = getSliceLength(x, starts, ends, steps))
    type = RankedTensorType::get(*length, NodeImport::getElementType(x));
  return node.finish(SliceToOp::create(node.builder, node.loc, type, x, starts, ends, axes, steps));
}

static std::optional<PadMode> parsePadMode(StringRef mode) {
  if (mode == "constant")
    return PadMode::Constant;
  if (mode == "reflect")
    return PadMode::Reflect;
  if (mode == "edge")
    return PadMode::Edge;
  if (mode == "wrap")
    return PadMode::Wrap;
  return std::nullopt;
}

/// Before opset 11 counts and value are attributes.
static LogicalResult importPad(NodeImport &node) {
  Value x = node.getOperand(0);
  std::string modeName = node.getString("mode", "constant");
  std::optional<PadMode> mode = parsePadMode(modeName);
  if (!mode)
    return node.error("mode " + quoteName(modeName) + " is not supported");
  Value pads = node.getVectorOrOperand("pads", 1, 11);
  if (!pads)
    return node.error("pads are missing");
  Value value = node.getVersion() < 11 ? node.scalar(node.getFloat("value", 0), x) : node.getOperand(2);
  if (value && failed(node.requireSameElementTypes({x, value})))
    return failure();
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  return node.finish(PadToOp::create(node.builder, node.loc, type, *mode, x, pads,
                                     *mode == PadMode::Constant ? value : Value(), node.getOperand(3)));
}

/// By ONNX's definition, which takes a negative size for one of no elements.
static LogicalResult importCenterCropPad(NodeImport &node) {
  Value sizes = node.cast(node.getOperand(1), node.builder.getI64Type());
  std::optional<SmallVector<int64_t>> axes = node.getInts("axes");
  std::optional<int64_t> count = axes ? static_cast<int64_t>(axes->size()) : NodeImport::getRank(node.getOperand(0));
  if (failed(node.requireRanks({{1, 1}})))
    return failure();
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(sizes);
  if (count && dims && !ShapedType::isDynamic(dims->front()) && dims->front() != *count)
    return node.contradiction("has " + Twine(dims->front()) + " sizes for " + Twine(*count) + " axes");
  SmallVector<Value> checked;
  for (int64_t index = 0; index < count.value_or(0); ++index)
    checked.push_back(asVector(node, requireSize(node, node.gather(sizes, node.i64Scalar(index), 0),
                                                 "element " + Twine(index) + " of `" + node.node.inputs[1] + "`")));
  if (!checked.empty())
    sizes = node.concat(0, checked);
  return node.graphs.importDefinition(node.node, {node.getOperand(0), sizes});
}

/// Counts may stand in a matrix of one row, and the value in a vector.
static LogicalResult importContribPad(NodeImport &node) {
  Value x = node.getOperand(0), pads = node.getOperand(1), value = node.getOperand(2);
  std::string modeName = node.getString("mode", "constant");
  std::optional<PadMode> mode = parsePadMode(modeName);
  if (!mode || *mode == PadMode::Wrap)
    return node.error("mode " + quoteName(modeName) + " is not supported");
  if (value && failed(node.requireSameElementTypes({x, value})))
    return failure();
  if (NodeImport::getRank(pads) != 1)
    pads = node.reshapeTo(pads, node.i64Vector({-1}), /*allowZero=*/false);
  bool isConstant = *mode == PadMode::Constant;
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  return node.finish(PadToOp::create(node.builder, node.loc, type, *mode, x, pads,
                                     value && isConstant ? asScalar(node, value) : Value(), /*axes=*/Value()));
}

static LogicalResult importTile(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::makeDynamicType(NodeImport::getRank(x), NodeImport::getElementType(x));
  return node.finish(TileToOp::create(node.builder, node.loc, type, x, node.getOperand(1)));
}

static LogicalResult importExpand(NodeImport &node) {
  Value x = node.getOperand(0), shape = node.getOperand(1);
  std::optional<int64_t> rank = NodeImport::getRank(x);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(shape);
  if (rank && dims && dims->size() == 1 && !ShapedType::isDynamic(dims->front()))
    rank = std::max(*rank, dims->front());
  else
    rank.reset();
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(x));
  return node.finish(ExpandToOp::create(node.builder, node.loc, type, x, shape));
}

static LogicalResult importTrilu(NodeImport &node) {
  Value x = node.getOperand(0);
  return node.finish(TriluOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x), x, node.getOperand(1),
                                     node.getInt("upper", 1) != 0));
}

void onnx::registerDataMovement(OperatorRegistry &registry) {
  registry.add("Transpose", 1, 1, importTranspose, kMovesElements);
  registry.add("Concat", 1, kVariadic, importConcat, kMovesElements);
  registry.add("Split", 1, 2, importSplit, kMovesElements);
  registry.add("Slice", 1, 5, importSlice, kMovesElements);
  registry.add("Pad", 1, 4, importPad);
  registry.add("com.microsoft", "Pad", 2, 3, importContribPad);
  registry.add("CenterCropPad", 2, 2, importCenterCropPad);
  registry.add("Tile", 2, 2, importTile, kMovesElements);
  registry.add("Expand", 2, 2, importExpand, kMovesElements);
  for (StringRef domain : {"", "com.microsoft"})
    registry.add(domain, "Trilu", 1, 2, importTrilu);
}
