//===- Import of resizing -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each axis is resized by itself: the coordinates of its new elements in the old
// ones are computed as a vector, then elements are gathered and weighed. Numbers
// are those of onnxruntime, operation for operation, because which neighbour is
// the nearest depends on the last bit. Only where a scale gives no whole size is
// the exact one meant by `align_corners`, as in ONNX's node tests and its reference
// evaluator, and a size that stays the same is resized like any other.
//
//===----------------------------------------------------------------------===//

#include "../../Reading/ChannelBlocks.h"
#include "../Builders.h"
#include "Resizer.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

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
  // Along an axis that stays nothing is interpolated, as in all other ways.
  if (transformation == "tf_half_pixel_for_nn")
    return node.select(node.compare(CompareDirection::EQ, axis.scale, one), place, scaled(node.add(place, half)));
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
  case Nearest::FloorOrCeil:
    places = node.select(node.compare(CompareDirection::LT, axis.scale, number(1)), node.unary<CeilOp>(coordinates),
                         node.unary<FloorOp>(coordinates));
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
  // An empty axis that stays so has no ends.
  reach = node.mul(reach, node.min(axis.newSize, node.i64Scalar(1)));
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
  if ((interpolates || transformation == "tf_crop_and_resize") && !isa<FloatType, IntegerType>(type))
    return node.error("operand 0, " + quoteName(node.node.inputs[0]) + ", has no numbers to interpolate between");
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
  registry.add(kBlockedDomain, "Upsample", 1, 1, importResize);
}
