//===- Import of resizing -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each axis is resized by itself: the coordinates of its new elements in the old
// ones are computed as a vector, then elements are gathered and weighed. Numbers
// are those of onnxruntime, operation for operation, because which neighbour is
// the nearest depends on the last bit.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

enum class Nearest { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };

/// One axis that is resized; sizes are i64 scalars, the others f32.
struct ResizedAxis {
  int64_t axis;
  Value oldSize, newSize, scale;
  Value roiBegin, roiEnd;
};

class Resizer {
public:
  explicit Resizer(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readAttributes();
  LogicalResult readAxes();
  LogicalResult readScales(Value scales);
  void readSizes(Value sizes);
  void keepAspectRatio(Value sizes);
  Value resize(Value x, const ResizedAxis &axis);
  Value computeCoordinates(const ResizedAxis &axis);
  Value pickNearest(Value x, const ResizedAxis &axis, Value coordinates);
  Value interpolate(Value x, const ResizedAxis &axis, Value coordinates);
  Value interpolateSmoothly(Value x, const ResizedAxis &axis, Value coordinates);
  Value getCubicWeight(Value distance);

  Value number(double value) { return node.scalar(value, node.builder.getF32Type()); }
  Value toFloat(Value x) { return node.cast(x, node.builder.getF32Type()); }
  Value toInt(Value x) { return node.cast(x, node.builder.getI64Type()); }
  Value clampPlaces(Value places, const ResizedAxis &axis) {
    Value last = node.sub(axis.oldSize, node.i64Scalar(1));
    return node.max(node.min(places, last), node.i64Scalar(0));
  }

  NodeImport &node;
  int64_t rank = 0;
  std::string mode, transformation, policy;
  Nearest nearest = Nearest::RoundPreferFloor;
  double cubic = -0.75, extrapolation = 0;
  bool excludeOutside = false, antialias = false;
  SmallVector<int64_t> axes;
  SmallVector<ResizedAxis> resized;
};

} // namespace

LogicalResult Resizer::readAttributes() {
  mode = node.getString("mode", "nearest");
  // Up to opset 10 there is one way.
  bool isOld = node.node.opType == "Upsample" || node.getVersion() < 11;
  transformation = isOld ? "asymmetric" : node.getString("coordinate_transformation_mode", "half_pixel");
  std::string rule = isOld ? "floor" : node.getString("nearest_mode", "round_prefer_floor");
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

LogicalResult Resizer::readScales(Value scales) {
  Value x = node.getOperand(0);
  std::optional<SmallVector<double>> known = NodeImport::getConstantNumbers(scales);
  if (known && known->size() != axes.size())
    return node.error("has " + Twine(known->size()) + " scales for " + Twine(axes.size()) + " axes");
  for (auto [index, axis] : llvm::enumerate(axes)) {
    ResizedAxis entry;
    entry.axis = axis;
    if (known && !((*known)[index] > 0))
      return node.error("has the scale " + Twine(std::to_string((*known)[index])) + ", which is not positive");
    if (known && (*known)[index] == 1 && transformation != "tf_crop_and_resize")
      continue;
    entry.oldSize = getDim(node, x, axis);
    if (known) {
      entry.scale = number((*known)[index]);
      if (auto fraction = findFraction((*known)[index]))
        entry.newSize =
            node.div(node.mul(entry.oldSize, node.i64Scalar(fraction->first)), node.i64Scalar(fraction->second));
    } else {
      entry.scale = toFloat(node.gather(scales, node.i64Scalar(static_cast<int64_t>(index)), 0));
    }
    if (!entry.newSize)
      entry.newSize = toInt(node.unary<FloorOp>(node.mul(toFloat(entry.oldSize), entry.scale)));
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

void Resizer::readSizes(Value sizes) {
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
    entry.newSize = node.cast(node.gather(sizes, node.i64Scalar(place), 0), node.builder.getI64Type());
    entry.scale = node.div(toFloat(entry.newSize), toFloat(entry.oldSize));
    resized.push_back(entry);
  }
}

/// All axes get the scale of the one that needs the smallest (or largest).
void Resizer::keepAspectRatio(Value sizes) {
  Value x = node.getOperand(0), scale;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    Value size = toFloat(node.gather(sizes, node.i64Scalar(static_cast<int64_t>(index)), 0));
    Value own = node.div(size, toFloat(getDim(node, x, axis)));
    scale = !scale ? own : policy == "not_larger" ? node.min(scale, own) : node.max(scale, own);
  }
  for (int64_t axis : axes) {
    ResizedAxis entry;
    entry.axis = axis;
    entry.oldSize = getDim(node, x, axis);
    Value exact = node.mul(scale, toFloat(entry.oldSize));
    entry.newSize = toInt(node.unary<FloorOp>(node.add(exact, number(0.5))));
    entry.scale = scale;
    resized.push_back(entry);
  }
}

LogicalResult Resizer::readAxes() {
  rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (std::optional<SmallVector<int64_t>> given = node.getInts("axes")) {
    for (int64_t axis : *given)
      axes.push_back(node.normalizeAxis(axis, rank));
  } else {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  if (node.hasFailed())
    return failure();
  bool isOld = node.node.opType == "Upsample" || node.getVersion() < 11;
  Value scales = node.getOperand(isOld ? 1 : 2), sizes = isOld ? Value() : node.getOperand(3);
  if (const NodeAttribute *attribute = node.getAttributeOfKind("scales", NodeAttribute::Kind::Floats))
    scales = node.constant(DenseElementsAttr::get(
        RankedTensorType::get(static_cast<int64_t>(attribute->floats.size()), node.builder.getF32Type()),
        ArrayRef<float>(attribute->floats)));
  auto isEmpty = [](Value value) {
    std::optional<ArrayRef<int64_t>> dims = value ? NodeImport::getDims(value) : std::nullopt;
    return !value || (dims && *dims == ArrayRef<int64_t>(0));
  };
  if (!isEmpty(scales)) {
    if (failed(readScales(scales)))
      return failure();
  } else if (isEmpty(sizes)) {
    return node.error("has neither scales nor sizes");
  } else if (policy == "stretch") {
    readSizes(sizes);
  } else {
    keepAspectRatio(sizes);
  }
  if (transformation != "tf_crop_and_resize")
    return success();
  if (!node.hasOperand(1))
    return node.error("operand 1 (roi) is missing");
  auto count = static_cast<int64_t>(axes.size());
  for (ResizedAxis &entry : resized) {
    int64_t index = llvm::find(axes, entry.axis) - axes.begin();
    entry.roiBegin = toFloat(node.gather(node.getOperand(1), node.i64Scalar(index), 0));
    entry.roiEnd = toFloat(node.gather(node.getOperand(1), node.i64Scalar(index + count), 0));
  }
  return success();
}

/// Where the new elements lie among the old ones, a vector of f32.
Value Resizer::computeCoordinates(const ResizedAxis &axis) {
  Value place = toFloat(countTo(node, axis.newSize)), half = number(0.5), one = number(1);
  auto scaled = [&](Value x) { return node.div(x, axis.scale); };
  // The new size before it was rounded.
  Value exactSize = node.mul(toFloat(axis.oldSize), axis.scale);
  Value lastOld = node.sub(toFloat(axis.oldSize), one);
  Value lastNew = node.sub(transformation == "align_corners" ? exactSize : toFloat(axis.newSize), one);
  Value isOne = node.compare(CompareDirection::LE, lastNew, number(0));
  // Where there is one new element only, nothing is divided by 0.
  Value divisor = node.select(isOne, one, lastNew);
  if (transformation == "asymmetric")
    return scaled(place);
  if (transformation == "tf_half_pixel_for_nn")
    return scaled(node.add(place, half));
  if (transformation == "align_corners")
    return node.select(isOne, number(0), node.div(node.mul(place, lastOld), divisor));
  if (transformation == "tf_crop_and_resize") {
    Value span = node.mul(node.sub(axis.roiEnd, axis.roiBegin), lastOld);
    Value begin = node.mul(axis.roiBegin, lastOld);
    Value middle = node.mul(node.mul(half, node.add(axis.roiBegin, axis.roiEnd)), lastOld);
    return node.select(isOne, middle, node.add(begin, node.div(node.mul(place, span), divisor)));
  }
  Value centre = node.sub(scaled(node.add(place, half)), half);
  if (transformation == "pytorch_half_pixel")
    return node.select(isOne, number(0), centre);
  if (transformation == "half_pixel_symmetric") {
    Value adjustment = node.div(toFloat(axis.newSize), exactSize);
    Value offset = node.mul(node.mul(toFloat(axis.oldSize), half), node.sub(one, adjustment));
    return node.add(offset, centre);
  }
  return centre;
}

Value Resizer::pickNearest(Value x, const ResizedAxis &axis, Value coordinates) {
  Value half = number(0.5), places;
  switch (nearest) {
  case Nearest::RoundPreferFloor:
    places = node.unary<CeilOp>(node.sub(coordinates, half));
    break;
  case Nearest::RoundPreferCeil:
    places = node.unary<FloorOp>(node.add(coordinates, half));
    break;
  case Nearest::Floor:
    places = node.unary<FloorOp>(coordinates);
    break;
  case Nearest::Ceil:
    places = node.unary<CeilOp>(coordinates);
    break;
  }
  return node.gather(x, clampPlaces(toInt(places), axis), axis.axis);
}

/// The weight of an element at a distance, not negative, by the cubic kernel.
Value Resizer::getCubicWeight(Value d) {
  auto times = [&](double factor, Value value) { return node.mul(number(factor), value); };
  auto plus = [&](Value value, double offset) { return node.add(value, number(offset)); };
  // (a + 2) d^3 - (a + 3) d^2 + 1 up to 1, a d^3 - 5 a d^2 + 8 a d - 4 a up to 2
  Value inner = plus(node.mul(node.mul(plus(times(cubic + 2, d), -(cubic + 3)), d), d), 1);
  Value outer = plus(node.mul(plus(node.mul(plus(times(cubic, d), -5 * cubic), d), 8 * cubic), d), -4 * cubic);
  Value isInner = node.compare(CompareDirection::LE, d, number(1));
  Value isOuter = node.compare(CompareDirection::LT, d, number(2));
  return node.select(isInner, inner, node.select(isOuter, outer, number(0)));
}

/// Linear and cubic: a few neighbours, each with a vector of weights.
Value Resizer::interpolate(Value x, const ResizedAxis &axis, Value coordinates) {
  bool isLinear = mode == "linear";
  if (isLinear && !excludeOutside) {
    Value last = node.sub(toFloat(axis.oldSize), number(1));
    coordinates = node.max(node.min(coordinates, last), number(0));
  }
  Value base = node.unary<FloorOp>(coordinates), zero = number(0);
  SmallVector<Value> weights, places;
  for (int64_t offset = isLinear ? 0 : -1; offset <= (isLinear ? 1 : 2); ++offset) {
    Value exact = node.add(base, number(static_cast<double>(offset)));
    Value distance = node.abs(node.sub(coordinates, exact));
    Value weight = isLinear ? node.sub(number(1), distance) : getCubicWeight(distance);
    Value place = toInt(exact);
    if (excludeOutside) {
      Value isBefore = node.compare(CompareDirection::LT, place, node.i64Scalar(0));
      Value isBehind = node.compare(CompareDirection::GE, place, axis.oldSize);
      weight = node.select(node.binary<OrOp>(isBefore, isBehind), zero, weight);
    }
    weights.push_back(weight);
    places.push_back(clampPlaces(place, axis));
  }
  if (excludeOutside) {
    Value sum = weights.front();
    for (Value weight : ArrayRef(weights).drop_front())
      sum = node.add(sum, weight);
    for (Value &weight : weights)
      weight = node.div(weight, sum);
  }
  Value result;
  for (auto [weight, place] : llvm::zip_equal(weights, places)) {
    Value spreadWeight = node.cast(spread(node, weight, axis.axis, rank), NodeImport::getElementType(x));
    Value part = node.mul(node.gather(x, place, axis.axis), spreadWeight);
    result = result ? node.add(result, part) : part;
  }
  return result;
}

/// With antialiasing the kernel is as much wider as the axis shrinks, so that how many neighbours there are depends on
/// sizes: a matrix of weights, new elements by old ones, multiplies the axis.
Value Resizer::interpolateSmoothly(Value x, const ResizedAxis &axis, Value coordinates) {
  Value shrink = node.min(axis.scale, number(1));
  // Elements beyond the ends are those at the ends, as far as the kernel reaches, or have no weight.
  Value reach = node.i64Scalar(0);
  if (!excludeOutside)
    reach = node.add(toInt(node.unary<CeilOp>(node.div(number(mode == "linear" ? 1 : 2), shrink))), node.i64Scalar(1));
  Value count = node.add(axis.oldSize, node.mul(reach, node.i64Scalar(2)));
  Value old = toFloat(node.sub(countTo(node, count), reach));
  Value distance = node.mul(node.abs(node.sub(node.unsqueeze(old, 0), node.unsqueeze(coordinates, 1))), shrink);
  Value weights = mode == "linear" ? node.max(node.sub(number(1), distance), number(0)) : getCubicWeight(distance);
  Value sum = node.reduce(ReduceKind::Sum, weights, ArrayRef<int64_t>(1), /*keepDims=*/true);
  weights = node.cast(node.div(weights, sum), NodeImport::getElementType(x));
  if (!excludeOutside)
    x = node.gather(x, clampPlaces(node.sub(countTo(node, count), reach), axis), axis.axis);
  // The axis becomes the second last dim, and goes back.
  SmallVector<int64_t> there, back;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis.axis)
      there.push_back(dim);
  there.push_back(axis.axis);
  for (int64_t dim = 0; dim < rank; ++dim)
    back.push_back(llvm::find(there, dim) - there.begin());
  constexpr int64_t swapped[] = {1, 0};
  Value moved = node.transpose(x, ArrayRef<int64_t>(there));
  return node.transpose(node.matmul(moved, node.transpose(weights, ArrayRef<int64_t>(swapped))),
                        ArrayRef<int64_t>(back));
}

Value Resizer::resize(Value x, const ResizedAxis &axis) {
  Value coordinates = computeCoordinates(axis);
  Value result = mode == "nearest" ? pickNearest(x, axis, coordinates)
                 : antialias       ? interpolateSmoothly(x, axis, coordinates)
                                   : interpolate(x, axis, coordinates);
  return result;
}

LogicalResult Resizer::run() {
  if (failed(readAttributes()) || failed(readAxes()))
    return failure();
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  bool interpolates = mode != "nearest";
  Type computed = interpolates && !type.isF64() ? Type(node.builder.getF32Type()) : type;
  Value result = node.cast(x, computed);
  for (const ResizedAxis &axis : resized)
    result = resize(result, axis);
  if (transformation == "tf_crop_and_resize") {
    for (const ResizedAxis &axis : resized) {
      Value coordinates = computeCoordinates(axis);
      Value last = node.sub(toFloat(axis.oldSize), number(1));
      Value isOutside = node.binary<OrOp>(node.compare(CompareDirection::LT, coordinates, number(0)),
                                          node.compare(CompareDirection::GT, coordinates, last));
      result = node.select(spread(node, isOutside, axis.axis, rank), node.scalar(extrapolation, result), result);
    }
  }
  if (computed != type && !isa<FloatType>(type))
    result = quantize(node, result, type);
  return node.finish(node.cast(result, type));
}

static LogicalResult importResize(NodeImport &node) { return Resizer(node).run(); }

void onnx::registerResizing(OperatorRegistry &registry) {
  registry.add("Resize", 1, 4, importResize);
  registry.add("Upsample", 1, 2, importResize);
}
