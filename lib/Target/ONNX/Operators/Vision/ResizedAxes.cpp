//===- Which axes a node resizes, and to what sizes ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../Reading/ChannelBlocks.h"
#include "../Guards.h"
#include "Resizer.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

LogicalResult Resizer::readAttributes() {
  mode = node.getString("mode", "nearest");
  // Up to opset 10 there is one way.
  bool isOld = node.node.opType == "Upsample" || node.getVersion() < 11;
  bool hasOneWay = isOld && node.node.domain != kBlockedDomain;
  transformation = hasOneWay ? "asymmetric" : node.getString("coordinate_transformation_mode", "half_pixel");
  std::string rule = node.getString("nearest_mode", "round_prefer_floor");
  policy = node.getString("keep_aspect_ratio_policy", "stretch");
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return node.error("mode " + quoteName(mode) + " is not supported");
  static constexpr StringLiteral known[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                            "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  if (!llvm::is_contained(known, transformation))
    return node.error("coordinate_transformation_mode " + quoteName(transformation) + " is not supported");
  auto choice = llvm::StringSwitch<std::optional<Nearest>>(rule)
                    .Case("round_prefer_floor", Nearest::RoundPreferFloor)
                    .Case("round_prefer_ceil", Nearest::RoundPreferCeil)
                    .Case("floor", Nearest::Floor)
                    .Case("ceil", Nearest::Ceil)
                    .Default(std::nullopt);
  if (isOld)
    choice = node.node.opType == "Resize" ? Nearest::FloorOrCeil : Nearest::Floor;
  if (!choice)
    return node.error("nearest_mode " + quoteName(rule) + " is not supported");
  nearest = *choice;
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return node.error("keep_aspect_ratio_policy " + quoteName(policy) + " is not supported");
  cubic = node.getFloat("cubic_coeff_a", -0.75f);
  extrapolation = node.getFloat("extrapolation_value", 0);
  excludeOutside = node.getInt("exclude_outside", 0) != 0;
  antialias = node.getInt("antialias", 0) != 0;
  return success();
}

/// A fraction with a small denominator that is nearest to a scale, if there is one: 0.7 is meant where f32 says
/// 0.699999988.
static std::optional<std::pair<int64_t, int64_t>> findFraction(double scale) {
  constexpr int64_t largest = 4096;
  if (!(scale > 0) || scale > 1e6)
    return std::nullopt;
  for (int64_t denominator = 1; denominator <= largest; ++denominator) {
    double numerator = std::nearbyint(scale * static_cast<double>(denominator));
    if (numerator >= 1 && static_cast<float>(numerator / static_cast<double>(denominator)) == static_cast<float>(scale))
      return std::pair(static_cast<int64_t>(numerator), denominator);
  }
  return std::nullopt;
}

/// The scales, each where it is known: those of axes that stay are often constants in front of others.
static SmallVector<std::optional<double>> findScales(Value scales) {
  if (std::optional<SmallVector<double>> known = NodeImport::getConstantNumbers(scales))
    return SmallVector<std::optional<double>>(known->begin(), known->end());
  SmallVector<std::optional<double>> found;
  auto concat = scales.getDefiningOp<ConcatOp>();
  if (!concat)
    return found;
  for (Value part : concat.getOperands()) {
    auto type = dyn_cast<RankedTensorType>(part.getType());
    // Where the ones behind it stand is not known.
    if (!type || type.getRank() != 1 || type.isDynamicDim(0))
      break;
    SmallVector<std::optional<double>> some = findScales(part);
    some.resize(static_cast<size_t>(type.getDimSize(0)));
    found.append(some);
  }
  return found;
}

static std::string describeElement(int64_t index, StringRef operand) {
  return ("element " + Twine(index) + " of `" + operand + "`").str();
}

/// May a value be computed of elements of a float input, or of what a body gives? Sizes of the run are known before it.
static bool dependsOnData(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<FloatType>(getElementTypeOrSelf(value));
  if (op->getNumRegions() != 0)
    return true;
  return !isa<ShapeOfOp>(op) && seen.insert(op).second &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnData(operand, seen); });
}

/// A scale of the run that is a positive number and gives a size of 64 bits: else the run ends with an error that tells
/// it.
static Value requireScale(NodeImport &node, Value scale, Value oldSize, const Twine &what) {
  Type f32 = node.builder.getF32Type();
  Value isPositive = node.compare(CompareDirection::GT, scale, node.scalar(0, f32));
  Value isSmall =
      node.compare(CompareDirection::LT, node.mul(scale, node.cast(oldSize, f32)), node.scalar(0x1p63, f32));
  Value fits = node.cast(node.binary<AndOp>(isPositive, isSmall), node.builder.getI64Type());
  // One time what is a scale, and -1 times what is none.
  Value times = node.sub(node.mul(fits, node.i64Scalar(2)), node.i64Scalar(1));
  Value vector = expand(node, asVector(node, scale), asVector(node, times), 1);
  explainGuards(node, vector,
                node.node.opType + ": " + what + " must be a positive number with which the size fits in 64 bits");
  // A sum asks nothing of how many there are.
  return node.reduce(ReduceKind::Sum, vector, std::nullopt, /*keepDims=*/false);
}

LogicalResult Resizer::readScales(Value scales, StringRef name) {
  Value x = node.getOperand(0);
  SmallVector<std::optional<double>> scalesByAxis = findScales(scales);
  if (NodeImport::getConstantNumbers(scales) && scalesByAxis.size() != axes.size())
    return node.contradiction("has " + Twine(scalesByAxis.size()) + " scales for " + Twine(axes.size()) + " axes");
  holdSizes(node, node.shapeOf(scales), node.i64Vector({static_cast<int64_t>(axes.size())}),
            "elements of `" + name + "` and axes");
  scalesByAxis.resize(axes.size());
  llvm::SmallPtrSet<Operation *, 16> seen;
  bool isData = dependsOnData(scales, seen);
  for (auto [index, axis] : llvm::enumerate(axes)) {
    ResizedAxis entry;
    entry.axis = axis;
    std::optional<double> known = scalesByAxis[index];
    if (known && !(*known > 0))
      return node.error("has the scale " + Twine(std::to_string(*known)) + ", which is not positive");
    if (known && *known == 1 && transformation != "tf_crop_and_resize")
      continue;
    entry.oldSize = getDim(node, x, axis);
    std::string what = describeElement(static_cast<int64_t>(index), name);
    if (known) {
      entry.scale = number(*known);
      if (auto fraction = findFraction(*known))
        entry.newSize =
            node.div(node.mul(entry.oldSize, node.i64Scalar(fraction->first)), node.i64Scalar(fraction->second));
    } else {
      entry.scale = toFloat(node.gather(scales, node.i64Scalar(static_cast<int64_t>(index)), 0));
      if (isData)
        entry.scale = requireScale(node, entry.scale, entry.oldSize, what);
    }
    if (!entry.newSize)
      entry.newSize = toInt(node.unary<FloorOp>(node.mul(toFloat(entry.oldSize), entry.scale)));
    if (!known && !isData) {
      // The new size does not depend on the guard: it can be told where the guard can't.
      Value rounded = toInt(node.unary<CeilOp>(entry.scale));
      Value positive = requirePositive(node, rounded, what + ", rounded up,");
      entry.oldSize = node.add(entry.oldSize, node.sub(positive, rounded));
    }
    resized.push_back(entry);
  }
  return success();
}

/// Is element `index` of a vector of sizes dim `axis` of `x` itself?
static bool isDimOf(Value sizes, int64_t index, Value x, int64_t axis) {
  if (auto concat = sizes.getDefiningOp<ConcatOp>()) {
    for (Value part : concat.getOperands()) {
      auto type = dyn_cast<RankedTensorType>(part.getType());
      if (!type || type.getRank() != 1 || type.isDynamicDim(0))
        return false;
      if (index < type.getDimSize(0))
        return isDimOf(part, index, x, axis);
      index -= type.getDimSize(0);
    }
    return false;
  }
  if (auto slice = sizes.getDefiningOp<SliceToOp>()) {
    std::optional<SmallVector<int64_t>> starts = NodeImport::getConstantInts(slice.getStarts());
    if (!starts || starts->size() != 1 || starts->front() < 0 || slice.getSteps())
      return false;
    return isDimOf(slice.getOperand(), index + starts->front(), x, axis);
  }
  if (auto cast = sizes.getDefiningOp<CastOp>())
    return isDimOf(cast.getOperand(), index, x, axis);
  if (auto shape = sizes.getDefiningOp<ShapeOfOp>())
    return shape.getOperand() == x && index == axis;
  return false;
}

void Resizer::readSizes(Value sizes, StringRef name) {
  Value x = node.getOperand(0);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  std::optional<SmallVector<int64_t>> known = NodeImport::getConstantInts(sizes);
  for (auto [index, axis] : llvm::enumerate(axes)) {
    auto place = static_cast<int64_t>(index);
    bool isKept = isDimOf(sizes, place, x, axis) ||
                  (known && dims && index < known->size() && (*known)[index] == (*dims)[static_cast<size_t>(axis)]);
    if (isKept && transformation != "tf_crop_and_resize")
      continue;
    ResizedAxis entry;
    entry.axis = axis;
    entry.oldSize = getDim(node, x, axis);
    Value size = node.gather(sizes, node.i64Scalar(place), 0);
    entry.newSize = requireSize(node, toInt(size), describeElement(place, name));
    entry.scale = node.div(toFloat(entry.newSize), toFloat(entry.oldSize));
    resized.push_back(entry);
  }
}

/// All axes get the scale of the one that needs the smallest (or largest).
void Resizer::keepAspectRatio(Value sizes, StringRef name) {
  Value x = node.getOperand(0), scale;
  bool isAtMost = policy == "not_larger";
  SmallVector<Value> given;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    Value size = node.gather(sizes, node.i64Scalar(static_cast<int64_t>(index)), 0);
    given.push_back(requireSize(node, toInt(size), describeElement(static_cast<int64_t>(index), name)));
    Value own = node.div(toFloat(size), toFloat(getDim(node, x, axis)));
    scale = !scale ? own : isAtMost ? node.min(scale, own) : node.max(scale, own);
  }
  for (auto [axis, size] : llvm::zip_equal(axes, given)) {
    ResizedAxis entry;
    entry.axis = axis;
    entry.oldSize = getDim(node, x, axis);
    Value exact = node.mul(scale, toFloat(entry.oldSize));
    Value rounded = toInt(node.unary<FloorOp>(node.add(exact, number(0.5))));
    // What floats round to is on that side of the size already: this says so to those who infer sizes.
    entry.newSize = isAtMost ? node.min(rounded, size) : node.max(rounded, size);
    entry.scale = scale;
    resized.push_back(entry);
  }
}

LogicalResult Resizer::readAxes() {
  rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (std::optional<SmallVector<int64_t>> listed = node.getInts("axes")) {
    for (int64_t axis : *listed)
      axes.push_back(node.normalizeAxis(axis, rank));
  } else {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  if (node.hasFailed())
    return failure();
  bool isOld = node.node.opType == "Upsample" || node.getVersion() < 11;
  Value scales = node.getOperand(isOld ? 1 : 2), sizes = isOld ? Value() : node.getOperand(3);
  SmallVector<float> given;
  if (node.node.domain == kBlockedDomain)
    llvm::append_range(given, node.getInts("scales").value_or(SmallVector<int64_t>()));
  else if (const NodeAttribute *attribute = node.getAttributeOfKind("scales", NodeAttribute::Kind::Floats))
    llvm::append_range(given, attribute->floats);
  if (!given.empty())
    scales = node.constant(DenseElementsAttr::get(
        RankedTensorType::get(static_cast<int64_t>(given.size()), node.builder.getF32Type()), ArrayRef<float>(given)));
  auto isEmpty = [](Value value) {
    std::optional<ArrayRef<int64_t>> dims = value ? NodeImport::getDims(value) : std::nullopt;
    return !value || (dims && *dims == ArrayRef<int64_t>(0));
  };
  // Only one of the two has elements: where a run tells how many scales there are, there must be none beside sizes.
  auto hasUnknownLength = [](Value value) {
    std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(value);
    return !dims || (dims->size() == 1 && ShapedType::isDynamic(dims->front()));
  };
  if (!isEmpty(scales) && !isEmpty(sizes) && hasUnknownLength(scales)) {
    holdSizes(node, node.shapeOf(scales), node.i64Vector({0}),
              "elements of `" + node.node.inputs[2] + "` beside sizes");
    scales = Value();
  }
  if (!isEmpty(scales)) {
    if (failed(readScales(scales, given.empty() ? node.node.inputs[isOld ? 1 : 2] : "scales")))
      return failure();
  } else if (isEmpty(sizes)) {
    return node.error("has neither scales nor sizes");
  } else {
    holdSizes(node, node.shapeOf(sizes), node.i64Vector({static_cast<int64_t>(axes.size())}),
              "elements of `" + node.node.inputs[3] + "` and axes");
    // What the other axes would have to follow, one alone gets.
    if (policy == "stretch" || axes.size() == 1)
      readSizes(sizes, node.node.inputs[3]);
    else
      keepAspectRatio(sizes, node.node.inputs[3]);
  }
  if (transformation != "tf_crop_and_resize")
    return success();
  if (!node.hasOperand(1))
    return node.error("operand 1 (roi) is missing");
  auto count = static_cast<int64_t>(axes.size());
  holdSizes(node, node.shapeOf(node.getOperand(1)), node.i64Vector({2 * count}),
            "elements of `" + node.node.inputs[1] + "` and ends of axes");
  for (ResizedAxis &entry : resized) {
    int64_t index = llvm::find(axes, entry.axis) - axes.begin();
    entry.roiBegin = toFloat(node.gather(node.getOperand(1), node.i64Scalar(index), 0));
    entry.roiEnd = toFloat(node.gather(node.getOperand(1), node.i64Scalar(index + count), 0));
  }
  return success();
}
