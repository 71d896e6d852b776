//===- Import of sampling at computed places -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// N x C x spatial... read at the points of a grid N x places... x spatial rank.
class GridSampler {
public:
  explicit GridSampler(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  /// One spatial dim: its size, the ends that reflections turn at, and the points' coordinates.
  struct Axis {
    Value size, low, high, coordinate;
  };

  LogicalResult readAttributes();
  Axis makeAxis(Value x, Value grid, int64_t dim);
  Value reflect(Value coordinate, const Axis &axis);
  Value isOutside(Value coordinate, Value low, Value high);
  /// The elements at whole coordinates, 0 where they lie outside and nothing is put there.
  Value read(ArrayRef<Value> places);
  Value interpolate();
  Value getCubicWeight(Value distance);
  Value number(double value) { return node.scalar(value, type); }
  Value last(const Axis &axis) { return node.sub(axis.size, number(1)); }

  NodeImport &node;
  Type type;
  std::string mode, padding;
  bool alignsCorners = false;
  int64_t spatial = 0;
  Value data; ///< N x spatial... x C
  SmallVector<Axis> axes;
};

} // namespace

LogicalResult GridSampler::readAttributes() {
  mode = node.getString("mode", node.getVersion() < 20 ? "bilinear" : "linear");
  padding = node.getString("padding_mode", "zeros");
  alignsCorners = node.getInt("align_corners", 0) != 0;
  if (mode == "bilinear")
    mode = "linear";
  if (mode == "bicubic")
    mode = "cubic";
  if (mode != "linear" && mode != "cubic" && mode != "nearest")
    return node.error("mode " + quoteName(mode) + " is not supported");
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    return node.error("padding_mode " + quoteName(padding) + " is not supported");
  return success();
}

Value GridSampler::isOutside(Value coordinate, Value low, Value high) {
  return node.binary<OrOp>(node.compare(CompareDirection::LT, coordinate, low),
                           node.compare(CompareDirection::GT, coordinate, high));
}

/// Forth and back between two ends; where they are the same, that end.
Value GridSampler::reflect(Value coordinate, const Axis &axis) {
  Value range = node.sub(axis.high, axis.low), one = number(1), zero = number(0);
  Value isEmpty = node.compare(CompareDirection::LE, range, zero);
  Value period = node.select(isEmpty, one, node.mul(range, number(2)));
  Value distance = node.sub(coordinate, axis.low);
  Type resultType = NodeImport::makeBroadcastType({distance, period}, type);
  Value phase = ModOp::create(node.builder, node.loc, resultType, distance, period, /*fmod=*/true);
  phase = node.select(node.compare(CompareDirection::LT, phase, zero), node.add(phase, period), phase);
  Value turned = node.select(node.compare(CompareDirection::GT, phase, range), node.sub(period, phase), phase);
  return node.select(isEmpty, axis.low, node.add(axis.low, turned));
}

GridSampler::Axis GridSampler::makeAxis(Value x, Value grid, int64_t dim) {
  Axis axis;
  axis.size = node.cast(getDim(node, x, dim + 2), type);
  Value half = number(0.5), one = number(1);
  axis.low = alignsCorners ? number(0) : number(-0.5);
  axis.high = alignsCorners ? last(axis) : node.sub(axis.size, half);
  // The grid names the last dim first.
  Value point = node.gather(grid, node.i64Scalar(spatial - 1 - dim), spatial + 1);
  Value shifted = node.add(point, one);
  axis.coordinate = alignsCorners ? node.mul(node.mul(shifted, half), last(axis))
                                  : node.mul(node.sub(node.mul(shifted, axis.size), one), half);
  // What no place can be, NaN too, is where the axis begins, as in onnxruntime.
  Value isPlace = node.compare(CompareDirection::LT, node.abs(axis.coordinate), number(0x1p62));
  axis.coordinate = node.select(isPlace, axis.coordinate, axis.low);
  if (mode == "nearest")
    axis.coordinate = node.unary<RoundOp>(axis.coordinate);
  // Between borders, cubic weights go by where a point is, though elements are read inside.
  if (padding == "zeros" || (padding == "border" && mode == "cubic"))
    return axis;
  Value moved =
      padding == "border" ? node.max(node.min(axis.coordinate, last(axis)), number(0)) : reflect(axis.coordinate, axis);
  axis.coordinate = node.select(isOutside(axis.coordinate, axis.low, axis.high), moved, axis.coordinate);
  return axis;
}

Value GridSampler::read(ArrayRef<Value> places) {
  Type i64 = node.builder.getI64Type();
  SmallVector<Value> parts;
  Value outside;
  for (auto [place, axis] : llvm::zip_equal(places, axes)) {
    Value inside = padding == "reflection" ? reflect(place, axis) : place;
    if (padding == "zeros") {
      Value isBeyond = isOutside(place, number(0), last(axis));
      outside = outside ? node.binary<OrOp>(outside, isBeyond) : isBeyond;
    }
    inside = node.max(node.cast(node.min(inside, last(axis)), i64), node.i64Scalar(0));
    parts.push_back(node.unsqueeze(inside, spatial + 1));
  }
  Value elements = gatherND(node, data, node.concat(spatial + 1, parts), /*batchDims=*/1, /*tuple=*/spatial);
  return outside ? node.select(node.unsqueeze(outside, spatial + 1), node.scalar(0, elements), elements) : elements;
}

Value GridSampler::getCubicWeight(Value d) {
  constexpr double a = -0.75;
  auto times = [&](double factor, Value value) { return node.mul(number(factor), value); };
  auto plus = [&](Value value, double offset) { return node.add(value, number(offset)); };
  Value inner = plus(node.mul(node.mul(plus(times(a + 2, d), -(a + 3)), d), d), 1);
  Value outer = plus(node.mul(plus(node.mul(plus(times(a, d), -5 * a), d), 8 * a), d), -4 * a);
  return node.select(node.compare(CompareDirection::LE, d, number(1)), inner, outer);
}

/// The sum over all neighbours, each with the product of its weights along the axes.
Value GridSampler::interpolate() {
  bool isLinear = mode == "linear";
  int64_t first = isLinear ? 0 : -1, count = isLinear ? 2 : 4, total = 1;
  SmallVector<SmallVector<Value>> places, weights;
  for (const Axis &axis : axes) {
    Value base = node.unary<FloorOp>(axis.coordinate);
    auto &axisPlaces = places.emplace_back();
    auto &axisWeights = weights.emplace_back();
    for (int64_t i = 0; i < count; ++i) {
      Value place = node.add(base, number(static_cast<double>(first + i)));
      Value distance = node.abs(node.sub(axis.coordinate, place));
      axisPlaces.push_back(place);
      axisWeights.push_back(isLinear ? node.sub(number(1), distance) : getCubicWeight(distance));
    }
    total *= count;
  }
  Value result;
  for (int64_t neighbour = 0; neighbour < total; ++neighbour) {
    SmallVector<Value> point;
    Value weight;
    int64_t rest = neighbour;
    for (size_t dim = 0; dim < axes.size(); ++dim, rest /= count) {
      auto which = static_cast<size_t>(rest % count);
      point.push_back(places[dim][which]);
      weight = weight ? node.mul(weight, weights[dim][which]) : weights[dim][which];
    }
    Value part = node.mul(read(point), node.unsqueeze(weight, spatial + 1));
    result = result ? node.add(result, part) : part;
  }
  return result;
}

LogicalResult GridSampler::run() {
  if (failed(readAttributes()))
    return failure();
  spatial = node.requireRank(0) - 2;
  Value x = node.getOperand(0), grid = node.getOperand(1);
  if (node.hasFailed())
    return failure();
  if (spatial < 1 || NodeImport::getRank(grid).value_or(spatial + 2) != spatial + 2)
    return node.contradiction("operands of ranks " + Twine(spatial + 2) + " and " +
                              Twine(NodeImport::getRank(grid).value_or(-1)) + " do not fit");
  // Each neighbour of a point is read by itself: there are 2 or 4 along each dim.
  constexpr int64_t mostLinearDims = 6, mostCubicDims = 2;
  if ((mode == "cubic" && spatial > mostCubicDims) || (mode == "linear" && spatial > mostLinearDims))
    return node.error(mode + " sampling of " + Twine(spatial) + " dims is not supported");
  Type elementType = NodeImport::getElementType(x);
  type = elementType.isF64() ? elementType : Type(node.builder.getF32Type());
  grid = node.cast(grid, type);
  NodeImport::setRank(grid, spatial + 2);
  holdDim(node, grid, spatial + 1, spatial, "numbers of a point in dim " + Twine(spatial + 1) + " of `grid`");
  SmallVector<int64_t> there{0}, back{0, spatial + 1};
  for (int64_t dim = 0; dim < spatial; ++dim) {
    there.push_back(dim + 2);
    back.push_back(dim + 1);
  }
  there.push_back(1);
  data = node.transpose(isa<FloatType>(elementType) ? node.cast(x, type) : x, ArrayRef<int64_t>(there));
  if (mode != "nearest" && !isa<FloatType>(elementType))
    data = node.cast(data, type);
  for (int64_t dim = 0; dim < spatial; ++dim)
    axes.push_back(makeAxis(x, grid, dim));
  Value result;
  if (mode == "nearest")
    result = read(llvm::map_to_vector(axes, [](const Axis &axis) { return axis.coordinate; }));
  else
    result = interpolate();
  return node.finish(node.cast(node.transpose(result, ArrayRef<int64_t>(back)), elementType));
}

static LogicalResult importGridSample(NodeImport &node) { return GridSampler(node).run(); }

/// Of two spatial dims only.
static LogicalResult importContribGridSample(NodeImport &node) {
  return failed(node.requireRanks({{0, 4}, {1, 4}})) ? failure() : GridSampler(node).run();
}

//===----------------------------------------------------------------------===//
// Deformable convolution
//===----------------------------------------------------------------------===//

namespace {

/// A convolution of two spatial dims whose window's elements are moved by offsets, and weighted by a mask. With D
/// groups of offsets and K elements of a window, samples are N x D x K x places... x channels of a group.
class DeformableConvolution {
public:
  explicit DeformableConvolution(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readAttributes();
  /// Where the samples lie along a spatial dim: N x D x K x places....
  Value getCoordinates(Value offsets, int64_t dim);
  Value sample(Value y, Value x);
  /// Every dim of the operands that another one decides.
  void checkDims(Value filter, Value offsets, Value mask);
  Value corner(Value y, Value x, Value weight);
  Value vector(ArrayRef<int64_t> values) { return node.i64Vector(values); }

  NodeImport &node;
  SmallVector<int64_t> kernel, strides, dilations, pads;
  int64_t groups = 1, offsetGroups = 1;
  Type type;
  Value input, data, places; ///< places: the numbers of them along both dims
};

} // namespace

LogicalResult DeformableConvolution::readAttributes() {
  Value filter = node.getOperand(1);
  auto read = [&](StringRef name, size_t count, int64_t defaultValue) {
    SmallVector<int64_t> values = node.getInts(name).value_or(SmallVector<int64_t>(count, defaultValue));
    if (values.size() != count)
      (void)node.error("attribute '" + name + "' has " + Twine(values.size()) + " entries instead of " + Twine(count));
    values.resize(count, defaultValue);
    return values;
  };
  for (size_t operand : {0, 1, 2})
    if (std::optional<int64_t> rank = NodeImport::getRank(node.getOperand(operand)); rank && *rank != 4)
      return node.error("operand " + Twine(operand) + " has rank " + Twine(*rank) + "; two spatial dims are supported");
  std::optional<SmallVector<int64_t>> known = node.getInts("kernel_shape");
  if (!known || known->empty())
    if (std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(filter);
        dims && llvm::none_of(dims->drop_front(2), ShapedType::isDynamic))
      known = SmallVector<int64_t>(dims->drop_front(2));
  if (!known || known->size() != 2 || known->front() < 1 || known->back() < 1)
    return node.error("the size of the window must be known, by attribute 'kernel_shape' or operand 1");
  kernel = *known;
  strides = read("strides", 2, 1);
  dilations = read("dilations", 2, 1);
  pads = read("pads", 4, 0);
  groups = node.getInt("group", 1);
  offsetGroups = node.getInt("offset_group", 1);
  if (!node.hasFailed() && (groups < 1 || offsetGroups < 1))
    return node.error("attributes 'group' and 'offset_group' must be positive");
  return success(!node.hasFailed());
}

Value DeformableConvolution::getCoordinates(Value offsets, int64_t dim) {
  auto at = static_cast<size_t>(dim);
  SmallVector<int64_t> begins;
  for (int64_t row = 0; row < kernel[0]; ++row)
    for (int64_t column = 0; column < kernel[1]; ++column)
      begins.push_back((dim == 0 ? row : column) * dilations[at] - pads[at]);
  Value begin = node.unsqueeze(vector(begins), {1, 2});
  Value place = countTo(node, node.gather(places, node.i64Scalar(dim), 0));
  place = node.mul(place, node.i64Scalar(strides[at]));
  if (dim == 0)
    place = node.unsqueeze(place, 1);
  return node.add(node.gather(offsets, node.i64Scalar(dim), 3), node.cast(node.add(begin, place), type));
}

Value DeformableConvolution::corner(Value y, Value x, Value weight) {
  Type i64 = node.builder.getI64Type();
  Value isInside;
  SmallVector<Value> parts;
  for (auto [place, dim] : {std::pair(y, 2), std::pair(x, 3)}) {
    Value last = node.sub(node.cast(getDim(node, input, dim), type), node.scalar(1, type)), zero = node.scalar(0, type);
    Value fits = node.binary<AndOp>(node.compare(CompareDirection::GE, place, zero),
                                    node.compare(CompareDirection::LE, place, last));
    isInside = isInside ? node.binary<AndOp>(isInside, fits) : fits;
    // What is NaN becomes the lowest integer, and reads the first element.
    parts.push_back(node.unsqueeze(node.max(node.cast(node.min(place, last), i64), node.i64Scalar(0)), 5));
  }
  Value elements = gatherND(node, data, node.concat(5, parts), /*batchDims=*/2, /*tuple=*/2);
  elements = node.select(node.unsqueeze(isInside, 5), elements, node.scalar(0, elements));
  return node.mul(elements, node.unsqueeze(weight, 5));
}

Value DeformableConvolution::sample(Value y, Value x) {
  Value one = node.scalar(1, type), top = node.unary<FloorOp>(y), left = node.unary<FloorOp>(x);
  Value down = node.sub(y, top), right = node.sub(x, left), up = node.sub(one, down), back = node.sub(one, right);
  Value bottom = node.add(top, one), end = node.add(left, one);
  Value upper = node.add(corner(top, left, node.mul(up, back)), corner(top, end, node.mul(up, right)));
  Value lower = node.add(corner(bottom, left, node.mul(down, back)), corner(bottom, end, node.mul(down, right)));
  return node.add(upper, lower);
}

void DeformableConvolution::checkDims(Value filter, Value offsets, Value mask) {
  Value one = vector({1}), size = getDims(node, input, 2, 4), volume = vector({kernel[0] * kernel[1]});
  holdSizes(node, getDims(node, filter, 2, 4), vector(kernel), "window of `W` and kernel_shape", 2);
  requireNoRest(node, 1, vector({offsetGroups}), "offset_group");
  requireNoRest(node, 0, vector({groups}), "group", /*operand=*/1);
  holdSizes(node, getDims(node, input, 1, 2), node.mul(getDims(node, filter, 1, 2), vector({groups})),
            "dim 1 of `X` and of `W`, times group");
  Value padded = node.add(size, vector({pads[0] + pads[2], pads[1] + pads[3]}));
  Value extent = vector({(kernel[0] - 1) * dilations[0] + 1, (kernel[1] - 1) * dilations[1] + 1});
  requireAtMost(node, extent, padded, "the window must fit `X` with its pads", 2);
  Value count = node.add(node.div(node.sub(padded, extent), vector(strides)), one);
  auto check = [&](Value moved, int64_t numbers, StringRef name) {
    Value channels = node.mul(vector({offsetGroups * numbers}), volume);
    holdSizes(node, node.shapeOf(moved), node.concat(0, {getDims(node, input, 0, 1), channels, count}),
              "dims of `" + name + "` and the result's batch, channels and places", 4);
  };
  check(offsets, 2, "offset");
  if (mask)
    check(mask, 1, "mask");
}

LogicalResult DeformableConvolution::run() {
  input = node.getOperand(0);
  Value filter = node.getOperand(1), offsets = node.getOperand(2), bias = node.getOperand(3), mask = node.getOperand(4);
  SmallVector<Value> floats{input, filter, offsets};
  for (Value value : {bias, mask})
    if (value)
      floats.push_back(value);
  if (failed(node.requireSameElementTypes(floats)) || failed(readAttributes()))
    return failure();
  type = NodeImport::getElementType(input);
  Value batch = getDims(node, input, 0, 1), channels = getDims(node, input, 1, 2);
  Value elements = vector({kernel[0] * kernel[1]}), parts = vector({offsetGroups});
  places = getDims(node, offsets, 2, 4);
  checkDims(filter, offsets, mask);
  offsets = node.reshapeTo(offsets, node.concat(0, {batch, parts, elements, vector({2}), places}), /*allowZero=*/true);
  // Channels of a group of offsets go to the end.
  constexpr int64_t there[] = {0, 1, 3, 4, 2}, back[] = {0, 1, 5, 2, 3, 4};
  data = node.reshapeTo(input, node.concat(0, {batch, parts, node.div(channels, parts), getDims(node, input, 2, 4)}),
                        /*allowZero=*/true);
  data = node.transpose(data, ArrayRef<int64_t>(there));
  Value samples = sample(getCoordinates(offsets, 0), getCoordinates(offsets, 1));
  if (mask) {
    mask = node.reshapeTo(mask, node.concat(0, {batch, parts, elements, places}), /*allowZero=*/true);
    samples = node.mul(samples, node.unsqueeze(mask, 5));
  }
  // What remains is a product of matrices for each group of channels.
  Value count = vector({groups}), maps = getDims(node, filter, 0, 1);
  Value rows = node.mul(getDims(node, filter, 1, 2), elements);
  Value total = node.reduce(ReduceKind::Prod, places, std::nullopt, /*keepDims=*/true);
  Value columns = node.reshapeTo(node.transpose(samples, ArrayRef<int64_t>(back)),
                                 node.concat(0, {batch, count, rows, total}), /*allowZero=*/true);
  Value weights = node.reshapeTo(filter, node.concat(0, {count, node.div(maps, count), rows}), /*allowZero=*/true);
  Value result = node.reshapeTo(node.matmul(weights, columns), node.concat(0, {batch, maps, places}),
                                /*allowZero=*/true);
  return node.finish(bias ? node.add(result, spread(node, fitToAxis(node, bias, filter, 0), 1, 4)) : result);
}

static LogicalResult importDeformConv(NodeImport &node) { return DeformableConvolution(node).run(); }

void onnx::registerSampling(OperatorRegistry &registry) {
  registry.add("GridSample", 2, 2, importGridSample);
  registry.add("com.microsoft", "GridSample", 2, 2, importContribGridSample);
  registry.add("DeformConv", 3, 5, importDeformConv);
}
