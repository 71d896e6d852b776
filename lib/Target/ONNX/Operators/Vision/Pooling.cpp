//===- Import of pooling --------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A pool reduces the dims of windows. What it divides by, and the places that it
// found, are pools of other tensors.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../../Reading/ChannelBlocks.h"
#include "../Builders.h"
#include "../Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

struct Pool {
  SmallVector<int64_t> kernel, strides, dilations, pads;
  WindowPlaces places = WindowPlaces::Floor;

  size_t getRank() const { return kernel.size(); }
  bool isSame() const { return places == WindowPlaces::SameUpper || places == WindowPlaces::SameLower; }
  bool isPadded() const {
    return isSame() || places == WindowPlaces::Ceil || llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  }
};

} // namespace

static SmallVector<int64_t> readList(NodeImport &node, StringRef name, size_t length, int64_t defaultValue,
                                     int64_t least) {
  SmallVector<int64_t> values = node.getInts(name).value_or(SmallVector<int64_t>(length, defaultValue));
  if (values.size() != length)
    (void)node.error("attribute '" + name + "' has " + Twine(values.size()) + " entries instead of " + Twine(length));
  for (int64_t value : values)
    if (value < least)
      (void)node.error("attribute '" + name + "' has the entry " + Twine(value) + ", below " + Twine(least));
  return values;
}

static FailureOr<Pool> readPool(NodeImport &node) {
  Pool pool;
  std::optional<SmallVector<int64_t>> kernel = node.getInts("kernel_shape");
  if (!kernel || kernel->empty())
    return node.error("attribute 'kernel_shape' is missing");
  pool.kernel = readList(node, "kernel_shape", kernel->size(), 1, 1);
  pool.strides = readList(node, "strides", kernel->size(), 1, 1);
  pool.dilations = readList(node, "dilations", kernel->size(), 1, 1);
  pool.pads = readList(node, "pads", 2 * kernel->size(), 0, 0);
  std::string autoPad = node.getString("auto_pad", "NOTSET");
  if (autoPad != "NOTSET")
    pool.pads.assign(2 * kernel->size(), 0);
  if (autoPad == "SAME_UPPER")
    pool.places = WindowPlaces::SameUpper;
  else if (autoPad == "SAME_LOWER")
    pool.places = WindowPlaces::SameLower;
  else if (autoPad != "NOTSET" && autoPad != "VALID")
    return node.error("attribute 'auto_pad' has the unknown value " + quoteName(autoPad));
  else if (node.getInt("ceil_mode", 0))
    pool.places = WindowPlaces::Ceil;
  std::optional<int64_t> rank = NodeImport::getRank(node.getOperand(0));
  if (rank && *rank != static_cast<int64_t>(kernel->size()) + 2)
    return node.contradiction("operand 0 has rank " + Twine(*rank) + ", windows of " + Twine(kernel->size()) +
                              " dims need " + Twine(kernel->size() + 2));
  if (node.hasFailed())
    return failure();
  return pool;
}

static TypedAttr makeNumber(Type type, double value) {
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(number, value);
  return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), static_cast<int64_t>(value), /*isSigned=*/true,
                                      /*implicitTrunc=*/true));
}

/// The least element of a type.
static TypedAttr makeLeast(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerAttr::get(type, integer.isUnsigned() ? APInt::getMinValue(integer.getWidth())
                                                       : APInt::getSignedMinValue(integer.getWidth()));
  return makeNumber(type, -std::numeric_limits<double>::infinity());
}

static Value makeWindows(NodeImport &node, Value x, TypedAttr outside, const Pool &pool) {
  auto rank = static_cast<int64_t>(2 * pool.getRank() + 2);
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(x));
  Builder &b = node.builder;
  return WindowsOp::create(node.builder, node.loc, type, pool.places, x, outside, b.getDenseI64ArrayAttr(pool.kernel),
                           b.getDenseI64ArrayAttr(pool.strides), b.getDenseI64ArrayAttr(pool.dilations),
                           b.getDenseI64ArrayAttr(pool.pads));
}

static Value reduceWindows(NodeImport &node, ReduceKind kind, Value x, TypedAttr outside, const Pool &pool) {
  auto axes = llvm::to_vector(llvm::seq<int64_t>(-static_cast<int64_t>(pool.getRank()), 0));
  return node.reduce(kind, makeWindows(node, x, outside, pool), ArrayRef<int64_t>(axes), /*keepDims=*/false);
}

/// For each element of `x`, its place in row-major order; with `columnMajor` the first spatial dim runs fastest.
static Value makePlaces(NodeImport &node, Value x, const Pool &pool, bool columnMajor) {
  auto spatial = static_cast<int64_t>(pool.getRank());
  Value shape = node.shapeOf(x);
  Value count = node.reduce(ReduceKind::Prod, shape, std::nullopt, /*keepDims=*/false);
  Value flat = countTo(node, count);
  if (!columnMajor || spatial < 2)
    return node.reshapeTo(flat, shape, /*allowZero=*/true);
  SmallVector<Value> dims{getDims(node, x, 0, 2)};
  SmallVector<int64_t> order{0, 1};
  for (int64_t dim = spatial + 1; dim > 1; --dim) {
    dims.push_back(getDims(node, x, dim, dim + 1));
    order.push_back(dim);
  }
  return node.transpose(node.reshapeTo(flat, node.concat(0, dims), /*allowZero=*/true), ArrayRef<int64_t>(order));
}

static LogicalResult importMaxPool(NodeImport &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  Value x = node.getOperand(0);
  TypedAttr least = makeLeast(NodeImport::getElementType(x));
  if (node.wantsResult(1)) {
    auto spatial = static_cast<int64_t>(pool->getRank());
    auto flatten = [&](Value windows) {
      Value volume = node.i64Vector({llvm::product_of(pool->kernel)});
      Value shape = node.concat(0, {getDims(node, windows, 0, spatial + 2), volume});
      return node.reshapeTo(windows, shape, /*allowZero=*/true);
    };
    Value windows = flatten(makeWindows(node, x, least, *pool));
    Type type = NodeImport::makeDynamicType(spatial + 3, node.builder.getI64Type());
    Value places = makePlaces(node, x, *pool, node.getInt("storage_order", 0) != 0);
    places = flatten(makeWindows(node, places, makeNumber(node.builder.getI64Type(), -1), *pool));
    auto findFirst = [&](Value greatestOf) {
      Value best = ArgReduceOp::create(node.builder, node.loc, type, ReduceKind::Max, greatestOf,
                                       static_cast<uint64_t>(spatial + 2), /*keep_dims=*/true, /*last=*/false);
      return gatherElements(node, places, best, spatial + 2);
    };
    Value found = findFirst(windows);
    // Where padding is as great as the greatest element, all elements are the least number: the first one is meant.
    if (pool->isPadded()) {
      Value isInside = node.compare(CompareDirection::GE, places, node.scalar(0, places));
      Value first = findFirst(node.cast(isInside, node.builder.getI64Type()));
      found = node.select(node.compare(CompareDirection::LT, found, node.scalar(0, found)), first, found);
    }
    (void)node.finish(1, node.squeeze(found, ArrayRef<int64_t>(spatial + 2)));
  }
  return node.finish(reduceWindows(node, ReduceKind::Max, x, least, *pool));
}

/// The channels are the last dim.
static LogicalResult importNhwcMaxPool(NodeImport &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  auto rank = static_cast<int64_t>(pool->getRank()) + 2;
  Value x = moveChannels(node, node.getOperand(0), rank, /*last=*/false);
  Value greatest = reduceWindows(node, ReduceKind::Max, x, makeLeast(NodeImport::getElementType(x)), *pool);
  return node.finish(moveChannels(node, greatest, rank, /*last=*/true));
}

/// How many elements of each window lie in the operand, or with `withPads` in the operand and its padding.
static Value countElements(NodeImport &node, Value x, Value result, const Pool &pool, bool withPads) {
  auto spatial = static_cast<int64_t>(pool.getRank());
  Type type = NodeImport::getElementType(result);
  if (!withPads) {
    Value ones =
        fill(node, node.concat(0, {node.i64Vector({1, 1}), getDims(node, x, 2, 2 + spatial)}), spatial + 2, 1, type);
    return reduceWindows(node, ReduceKind::Sum, ones, makeNumber(type, 0), pool);
  }
  Value product;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    // What is left behind the window's first element, in steps of the dilation.
    Value end = node.add(getDim(node, x, dim + 2), node.i64Scalar(pool.pads[dim] + pool.pads[dim + spatial]));
    Value begins = node.mul(countTo(node, getDim(node, result, dim + 2)), node.i64Scalar(pool.strides[dim]));
    Value left = node.add(node.sub(end, begins), node.i64Scalar(pool.dilations[dim] - 1));
    Value count = node.min(node.div(left, node.i64Scalar(pool.dilations[dim])), node.i64Scalar(pool.kernel[dim]));
    count = spread(node, count, dim, spatial);
    product = product ? node.mul(product, count) : count;
  }
  return node.cast(product, type);
}

FailureOr<Value> onnx::emitAveragePool(NodeImport &node, Value x) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  bool withPads = node.getInt("count_include_pad", 0) != 0;
  // A sum may leave 16 bits where the mean does not.
  return computeWide(node, x, [&](Value wide) {
    Type type = NodeImport::getElementType(wide);
    Value sum = reduceWindows(node, ReduceKind::Sum, wide, makeNumber(type, 0), *pool);
    Value count;
    if (!pool->isPadded() || (withPads && pool->places != WindowPlaces::Ceil))
      count = node.scalar(static_cast<double>(llvm::product_of(pool->kernel)), type);
    else
      count = countElements(node, wide, sum, *pool, withPads);
    return node.div(sum, count);
  });
}

static LogicalResult importAveragePool(NodeImport &node) {
  FailureOr<Value> result = emitAveragePool(node, node.getOperand(0));
  return failed(result) ? failure() : node.finish(*result);
}

/// The p-th root of a sum of p-th powers.
static Value finishNorm(NodeImport &node, Value sum, int64_t p) {
  if (p == 1)
    return sum;
  if (p == 2)
    return node.sqrt(sum);
  return node.binary<PowOp>(sum, node.scalar(1.0 / static_cast<double>(p), sum));
}

static Value raise(NodeImport &node, Value x, int64_t p) {
  if (p == 1)
    return node.abs(x);
  if (p == 2)
    return node.mul(x, x);
  return node.binary<PowOp>(node.abs(x), node.scalar(static_cast<double>(p), x));
}

static FailureOr<int64_t> readNorm(NodeImport &node) {
  int64_t p = node.getInt("p", 2);
  if (p < 1)
    return node.error("attribute 'p' is " + Twine(p) + ", must be positive");
  return p;
}

static LogicalResult importLpPool(NodeImport &node) {
  FailureOr<Pool> pool = readPool(node);
  FailureOr<int64_t> p = readNorm(node);
  if (failed(pool) || failed(p))
    return failure();
  return node.finish(computeWide(node, node.getOperand(0), [&](Value wide) {
    Value powers = raise(node, wide, *p);
    TypedAttr zero = makeNumber(NodeImport::getElementType(powers), 0);
    return finishNorm(node, reduceWindows(node, ReduceKind::Sum, powers, zero, *pool), *p);
  }));
}

static LogicalResult importGlobalLpPool(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  FailureOr<int64_t> p = readNorm(node);
  if (node.hasFailed() || failed(p))
    return failure();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(rank, 2)));
  return node.finish(computeWide(node, node.getOperand(0), [&](Value wide) {
    Value sum = node.reduce(ReduceKind::Sum, raise(node, wide, *p), ArrayRef<int64_t>(axes), /*keepDims=*/true);
    return finishNorm(node, sum, *p);
  }));
}

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta
static LogicalResult importLRN(NodeImport &node) {
  int64_t size = node.getRequiredInt("size"), rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (size < 1 || rank < 2)
    return node.error("attribute 'size' is " + Twine(size) + ", the rank " + Twine(rank));
  Value x = node.getOperand(0);
  double alpha = node.getFloat("alpha", 0.0001f), beta = node.getFloat("beta", 0.75f), bias = node.getFloat("bias", 1);
  // The channels become the last dim, along which the windows slide.
  SmallVector<int64_t> there{0}, back{0, rank - 1};
  for (int64_t dim = 2; dim < rank; ++dim) {
    there.push_back(dim);
    back.push_back(dim - 1);
  }
  there.push_back(1);
  Pool pool;
  pool.kernel = {size};
  pool.strides = pool.dilations = {1};
  pool.pads = {(size - 1) / 2, size - 1 - (size - 1) / 2};
  return node.finish(computeWide(node, x, [&](Value wide) {
    Value squares = node.transpose(node.mul(wide, wide), ArrayRef<int64_t>(there));
    Type element = NodeImport::getElementType(wide), type = NodeImport::makeDynamicType(rank + 1, element);
    Builder &b = node.builder;
    Value windows = WindowsOp::create(node.builder, node.loc, type, pool.places, squares, makeNumber(element, 0),
                                      b.getDenseI64ArrayAttr(pool.kernel), b.getDenseI64ArrayAttr(pool.strides),
                                      b.getDenseI64ArrayAttr(pool.dilations), b.getDenseI64ArrayAttr(pool.pads));
    Value sum = node.reduce(ReduceKind::Sum, windows, ArrayRef<int64_t>(-1), /*keepDims=*/false);
    sum = node.transpose(sum, ArrayRef<int64_t>(back));
    Value scale = node.add(node.mul(sum, node.scalar(alpha / static_cast<double>(size), sum)), node.scalar(bias, sum));
    return node.div(wide, node.binary<PowOp>(scale, node.scalar(beta, scale)));
  }));
}

void onnx::registerPooling(OperatorRegistry &registry) {
  registry.add("MaxPool", 1, 1, importMaxPool);
  registry.add("AveragePool", 1, 1, importAveragePool);
  registry.add("com.microsoft", "NhwcMaxPool", 1, 1, importNhwcMaxPool);
  registry.add(kBlockedDomain, "MaxPool", 1, 1, importMaxPool);
  registry.add(kBlockedDomain, "AveragePool", 1, 1, importAveragePool);
  registry.add("LpPool", 1, 1, importLpPool);
  registry.add("GlobalLpPool", 1, 1, importGlobalLpPool);
  registry.add("LRN", 1, 1, importLRN);
}
