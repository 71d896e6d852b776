//===- Import of regions of feature maps ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// Regions cut into bins of samples, as many along each dim of a bin as the operator says. With R regions, samples are
/// R x h x w x C, where h and w count the samples of all bins of a column or row.
class RegionSampler {
public:
  explicit RegionSampler(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  /// Where the samples of a spatial dim lie, R x samples: the pixels before and behind each, the share of the second,
  /// and whether it is too far from the map to count.
  struct Side {
    Value low, high, share, isOutside;
  };

  LogicalResult readAttributes();
  Side makeSide(int64_t firstColumn, int64_t bins, int64_t dim);
  /// The pixels at some rows (R x h) and columns (R x w), times their shares.
  Value takeCorner(Value rows, Value columns, Value rowShares, Value columnShares);
  Value number(double value) { return node.scalar(value, type); }
  /// The same for all columns, for all rows.
  Value alongRows(Value side) { return node.unsqueeze(side, 2); }
  Value alongColumns(Value side) { return node.unsqueeze(side, 1); }

  NodeImport &node;
  int64_t height = 1, width = 1, samples = 0;
  double scale = 1;
  bool isMax = false, isHalfPixel = true;
  Type type;
  Value x, rois, data, batches; ///< data: N x H x W x C
};

} // namespace

/// Regions are shifted by half a pixel since opset 16, unless the attribute says otherwise.
LogicalResult RegionSampler::readAttributes() {
  std::string mode = node.getString("mode", "avg");
  std::string shift =
      node.getString("coordinate_transformation_mode", node.getVersion() < 16 ? "output_half_pixel" : "half_pixel");
  height = node.getInt("output_height", 1);
  width = node.getInt("output_width", 1);
  samples = node.getInt("sampling_ratio", 0);
  scale = node.getFloat("spatial_scale", 1.0f);
  if (mode != "avg" && mode != "max")
    return node.error("mode " + quoteName(mode) + " is not supported");
  if (shift != "half_pixel" && shift != "output_half_pixel")
    return node.error("coordinate_transformation_mode " + quoteName(shift) + " is not supported");
  // The product of all is a size.
  constexpr int64_t most = 1 << 15;
  if (height < 1 || width < 1 || samples < 0 || height > most || width > most || samples > most)
    return node.error("bins of " + Twine(height) + " x " + Twine(width) + " with " + Twine(samples) +
                      " samples are not possible");
  isMax = mode == "max";
  isHalfPixel = shift == "half_pixel";
  return success(!node.hasFailed());
}

RegionSampler::Side RegionSampler::makeSide(int64_t firstColumn, int64_t bins, int64_t dim) {
  auto corner = [&](int64_t column) {
    Value scaled = node.mul(node.gather(rois, node.i64Scalar(column), 1), number(scale));
    return isHalfPixel ? node.sub(scaled, number(0.5)) : scaled;
  };
  Value begin = corner(firstColumn), extent = node.sub(corner(firstColumn + 2), begin);
  if (!isHalfPixel)
    extent = node.max(extent, number(1));
  Value bin = node.div(extent, number(static_cast<double>(bins)));
  // Samples lie in the middle of equal parts of bins.
  Value parts = node.add(node.cast(countTo(node, node.i64Scalar(bins * samples)), type), number(0.5));
  parts = node.div(parts, number(static_cast<double>(samples)));
  Value place = node.add(node.unsqueeze(begin, 1), node.mul(node.unsqueeze(bin, 1), parts));
  Value size = node.cast(getDim(node, x, dim), type), last = node.sub(size, number(1));
  Value isOutside = node.binary<OrOp>(node.compare(CompareDirection::LT, place, number(-1)),
                                      node.compare(CompareDirection::GT, place, size));
  Value inside = node.max(node.min(place, last), number(0)), low = node.unary<FloorOp>(inside);
  return {low, node.min(node.add(low, number(1)), last), node.sub(inside, low), isOutside};
}

Value RegionSampler::takeCorner(Value rows, Value columns, Value rowShares, Value columnShares) {
  Type i64 = node.builder.getI64Type();
  Value dims = node.concat(0, {getDims(node, rois, 0, 1), node.i64Vector({height * samples, width * samples})});
  SmallVector<Value> parts;
  // A place that is NaN is the lowest integer: the first element stands for it.
  auto toPlace = [&](Value place) { return node.max(node.cast(place, i64), node.i64Scalar(0)); };
  for (Value part : {node.unsqueeze(batches, {1, 2}), alongRows(toPlace(rows)), alongColumns(toPlace(columns))})
    parts.push_back(node.unsqueeze(expand(node, part, dims, 3), 3));
  Value pixels = gatherND(node, data, node.concat(3, parts), /*batchDims=*/0, /*tuple=*/3);
  Value shares = node.mul(alongRows(rowShares), alongColumns(columnShares));
  return node.mul(pixels, node.unsqueeze(shares, 3));
}

LogicalResult RegionSampler::run() {
  x = node.getOperand(0);
  rois = node.getOperand(1);
  if (failed(node.requireSameElementTypes({x, rois})) || failed(readAttributes()) ||
      failed(node.requireRanks({{0, 4}, {1, 2}, {2, 1}})))
    return failure();
  holdDim(node, rois, 1, 4, "numbers of a region in dim 1 of `rois`");
  Type elementType = NodeImport::getElementType(x);
  if (samples == 0)
    return node.finish(RoiAlignOp::create(node.builder, node.loc, NodeImport::makeDynamicType(4, elementType), x, rois,
                                          node.getOperand(2), static_cast<uint64_t>(height),
                                          static_cast<uint64_t>(width), /*samples=*/0, APFloat(scale), isMax,
                                          isHalfPixel)
                           .getResult());
  type = getComputeType(x);
  rois = node.cast(rois, type);
  constexpr int64_t channelsLast[] = {0, 2, 3, 1}, channelsFirst[] = {0, 3, 1, 2}, inBins[] = {2, 4};
  data = node.transpose(node.cast(x, type), ArrayRef<int64_t>(channelsLast));
  // One map for each region; negative numbers do not count from the end.
  batches = fitToAxis(node, node.cast(node.getOperand(2), node.builder.getI64Type()), rois, 0);
  Value isNegative = node.compare(CompareDirection::LT, batches, node.i64Scalar(0));
  batches = node.select(isNegative, node.sub(batches, getDim(node, x, 0)), batches);
  Side y = makeSide(1, height, 2), xs = makeSide(0, width, 3);
  Value one = number(1), top = node.sub(one, y.share), left = node.sub(one, xs.share);
  Value corners[] = {takeCorner(y.low, xs.low, top, left), takeCorner(y.low, xs.high, top, xs.share),
                     takeCorner(y.high, xs.low, y.share, left), takeCorner(y.high, xs.high, y.share, xs.share)};
  Value sampled = corners[0];
  // The maximum is that of the weighted pixels, as ONNX's definition has it.
  for (Value corner : ArrayRef(corners).drop_front())
    sampled = isMax ? node.max(sampled, corner) : node.add(sampled, corner);
  Value isOutside = node.unsqueeze(node.binary<OrOp>(alongRows(y.isOutside), alongColumns(xs.isOutside)), 3);
  sampled = node.select(isOutside, node.scalar(0, sampled), sampled);
  Value bins = node.concat(
      0, {getDims(node, rois, 0, 1), node.i64Vector({height, samples, width, samples}), getDims(node, x, 1, 2)});
  Value result = node.reduce(isMax ? ReduceKind::Max : ReduceKind::Mean,
                             node.reshapeTo(sampled, bins, /*allowZero=*/true), ArrayRef<int64_t>(inBins),
                             /*keepDims=*/false);
  return node.finish(node.cast(node.transpose(result, ArrayRef<int64_t>(channelsFirst)), elementType));
}

static LogicalResult importRoiAlign(NodeImport &node) { return RegionSampler(node).run(); }

//===----------------------------------------------------------------------===//
// Crops
//===----------------------------------------------------------------------===//

namespace {

/// Regions of images, all resized to one size. With R regions, a crop is R x h x w x C.
class Cropper {
public:
  explicit Cropper(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  /// Where the pixels of a dim of each crop lie, R x pixels, and whether that is outside of the image.
  struct Side {
    Value place, isOutside, last;
  };

  Side makeSide(int64_t firstColumn, int64_t dim);
  Value take(Value rows, Value columns);
  Value number(double value) { return node.scalar(value, type); }

  NodeImport &node;
  Type type;
  Value x, rois, sizes, batches, data, dims; ///< dims: those of a crop without channels
};

} // namespace

/// The first and the last pixel lie on the ends of the region, a single one in its middle.
Cropper::Side Cropper::makeSide(int64_t firstColumn, int64_t dim) {
  auto column = [&](int64_t index) { return node.slice(rois, index, index + 1, 1); };
  Value begin = column(firstColumn), end = column(firstColumn + 2);
  Value last = node.sub(node.cast(getDim(node, x, dim), type), number(1));
  Value count = node.gather(sizes, node.i64Scalar(firstColumn), 0);
  Value lastPixel = node.cast(node.sub(count, node.i64Scalar(1)), type);
  Value pixels = node.unsqueeze(node.cast(countTo(node, count), type), 0);
  Value first = node.mul(begin, last), final = node.mul(end, last);
  Value step = node.div(node.mul(node.sub(end, begin), last), node.max(lastPixel, number(1)));
  Value place = node.add(first, node.mul(pixels, step));
  place = node.select(node.compare(CompareDirection::EQ, pixels, lastPixel), final, place);
  Value middle = node.mul(node.mul(node.add(begin, end), number(0.5)), last);
  place = node.select(node.compare(CompareDirection::LE, lastPixel, number(0)), middle, place);
  Value isInside = node.binary<AndOp>(node.compare(CompareDirection::GE, place, number(0)),
                                      node.compare(CompareDirection::LE, place, last));
  return {place, node.unary<NotOp>(isInside), last};
}

Value Cropper::take(Value rows, Value columns) {
  SmallVector<Value> parts;
  for (Value part : {node.unsqueeze(batches, {1, 2}), node.unsqueeze(rows, 2), node.unsqueeze(columns, 1)})
    parts.push_back(node.unsqueeze(expand(node, part, dims, 3), 3));
  return gatherND(node, data, node.concat(3, parts), /*batchDims=*/0, /*tuple=*/3);
}

LogicalResult Cropper::run() {
  x = node.getOperand(0);
  rois = node.getOperand(1);
  std::string mode = node.getString("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest")
    return node.error("mode " + quoteName(mode) + " is not supported");
  if (failed(node.requireRanks({{0, 4}, {1, 2}, {2, 1}, {3, 1}})) || failed(node.requireSameElementTypes({x, rois})))
    return failure();
  Type elementType = NodeImport::getElementType(x), i64 = node.builder.getI64Type();
  type = getComputeType(x);
  // Columns and sizes beyond those that are read would go unnoticed.
  Value count = getDims(node, rois, 0, 1);
  rois = node.reshapeTo(node.cast(rois, type), node.concat(0, {count, node.i64Vector({4})}), /*allowZero=*/true);
  sizes = node.reshapeTo(node.cast(node.getOperand(3), i64), node.i64Vector({2}), /*allowZero=*/true);
  batches = fitToAxis(node, node.cast(node.getOperand(2), i64), rois, 0);
  // Negative numbers do not count from the end.
  Value isNegative = node.compare(CompareDirection::LT, batches, node.i64Scalar(0));
  batches = node.select(isNegative, node.sub(batches, getDim(node, x, 0)), batches);
  constexpr int64_t channelsLast[] = {0, 2, 3, 1}, channelsFirst[] = {0, 3, 1, 2};
  data = node.transpose(node.cast(x, type), ArrayRef<int64_t>(channelsLast));
  dims = node.concat(0, {count, sizes});
  Side y = makeSide(0, 2), xs = makeSide(1, 3);
  // What lies outside is replaced, but read somewhere.
  auto toPlace = [&](Value place, const Side &side) {
    return node.cast(node.max(node.min(place, side.last), number(0)), i64);
  };
  Value result;
  if (mode == "nearest") {
    // Halves are rounded up.
    auto round = [&](const Side &side) {
      Value low = node.unary<FloorOp>(side.place);
      Value isNearer = node.compare(CompareDirection::LT, node.sub(side.place, low), number(0.5));
      return toPlace(node.select(isNearer, low, node.add(low, number(1))), side);
    };
    result = take(round(y), round(xs));
  } else {
    auto low = [&](const Side &side) { return toPlace(node.unary<FloorOp>(side.place), side); };
    auto high = [&](const Side &side) { return toPlace(node.unary<CeilOp>(side.place), side); };
    auto share = [&](const Side &side) { return node.sub(side.place, node.unary<FloorOp>(side.place)); };
    auto mix = [&](Value from, Value to, Value part) { return node.add(from, node.mul(node.sub(to, from), part)); };
    Value across = node.unsqueeze(share(xs), {1, 3}), down = node.unsqueeze(share(y), {2, 3});
    Value top = mix(take(low(y), low(xs)), take(low(y), high(xs)), across);
    Value bottom = mix(take(high(y), low(xs)), take(high(y), high(xs)), across);
    result = mix(top, bottom, down);
  }
  Value isOutside = node.binary<OrOp>(node.unsqueeze(y.isOutside, {2, 3}), node.unsqueeze(xs.isOutside, {1, 3}));
  result = node.select(isOutside, number(node.getFloat("extrapolation_value", 0)), result);
  return node.finish(node.cast(node.transpose(result, ArrayRef<int64_t>(channelsFirst)), elementType));
}

static LogicalResult importCropAndResize(NodeImport &node) { return Cropper(node).run(); }

void onnx::registerRegions(OperatorRegistry &registry) {
  registry.add("RoiAlign", 3, 3, importRoiAlign);
  registry.add("com.microsoft", "CropAndResize", 4, 4, importCropAndResize);
}
