//===- Lowering of regions of feature maps --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A nest of loops over regions, channels and bins that runs in program order,
// because each region has another number of samples.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

namespace {

using Values = SmallVector<Value>;

/// Scalar code of one bin.
class BinCode {
public:
  BinCode(OpBuilder &b, Location loc, RoiAlignOp op, Type type, Type computed)
      : b(b), loc(loc), scalars(b, loc), op(op), type(type), computed(computed) {}

  /// Where the samples of a region lie along one dim.
  struct Side {
    Value begin, binSize, samples, size;
  };
  /// The two neighbours of a point along one dim and their shares; both shares are 0 where the point is too far away.
  struct Neighbours {
    Value low, high, lowShare, highShare;
  };

  Value number(double value) { return scalars.constant(computed, value); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value toNumber(Value index) {
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    return scalars.cast(integer, b.getI64Type(), computed);
  }
  Value toIndex(Value number) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars.cast(number, computed, b.getI64Type()));
  }
  Value read(Value tensor, ValueRange places) {
    return scalars.cast(tensor::ExtractOp::create(b, loc, tensor, places), type, computed);
  }
  Side makeSide(Value rois, Value region, int64_t firstColumn, int64_t bins, Value size, int64_t guard);
  Neighbours findNeighbours(const Side &side, Value bin, Value sample);

  OpBuilder &b;
  Location loc;
  ScalarBuilder scalars;
  RoiAlignOp op; // accessors of ops are not const
  Type type, computed;
};

} // namespace

BinCode::Side BinCode::makeSide(Value rois, Value region, int64_t firstColumn, int64_t bins, Value size,
                                int64_t guard) {
  auto corner = [&](int64_t column) {
    Value scaled = scalars.mul(read(rois, {region, index(column)}), number(op.getScale().convertToDouble()));
    return op.getHalfPixel() ? scalars.sub(scaled, number(0.5)) : scaled;
  };
  Value begin = corner(firstColumn), extent = scalars.sub(corner(firstColumn + 2), begin);
  if (!op.getHalfPixel())
    extent = scalars.max(extent, number(1), false);
  Value binSize = scalars.div(extent, number(static_cast<double>(bins)), false);
  auto given = static_cast<int64_t>(op.getSamples());
  Value samples = given ? index(given) : Value();
  if (!samples) {
    // None where it is NaN. What is beyond all bounds, and may be no integer, is refused too.
    Value most = number(RoiAlignOp::kMostSamples + 1), pixels = math::CeilOp::create(b, loc, binSize);
    Value isAny = scalars.compare(CompareDirection::GT, pixels, number(0), false);
    pixels = toIndex(scalars.select(isAny, scalars.min(pixels, most, false), number(0)));
    samples = shape::BoundOp::create(b, loc, b.getIndexType(), pixels, index(RoiAlignOp::kMostSamples + 1), UnitAttr(),
                                     b.getI64IntegerAttr(guard));
  }
  return {begin, binSize, samples, size};
}

BinCode::Neighbours BinCode::findNeighbours(const Side &side, Value bin, Value sample) {
  Value part = scalars.div(scalars.add(toNumber(sample), number(0.5)), toNumber(side.samples), false);
  Value place = scalars.add(side.begin, scalars.mul(scalars.add(toNumber(bin), part), side.binSize));
  Value size = toNumber(side.size), last = scalars.sub(size, number(1)), zero = number(0);
  Value counts = arith::AndIOp::create(b, loc, scalars.compare(CompareDirection::GE, place, number(-1), false),
                                       scalars.compare(CompareDirection::LE, place, size, false));
  // Of what does not count, as NaN, the first element is read.
  Value inside = scalars.select(counts, scalars.max(scalars.min(place, last, false), zero, false), zero);
  Value low = math::FloorOp::create(b, loc, inside), share = scalars.sub(inside, low);
  Value high = scalars.min(scalars.add(low, number(1)), last, false);
  return {toIndex(low), toIndex(high), scalars.select(counts, scalars.sub(number(1), share), zero),
          scalars.select(counts, share, zero)};
}

namespace {

/// Builds the loops.
class RegionBuilder {
public:
  RegionBuilder(RoiAlignOp op, FunctionReifier &reifier);
  void build();

private:
  /// The mean or maximum of the samples of a bin.
  Value reduceBin(OpBuilder &b, Location loc, ValueRange places);
  Value combineCorners(BinCode &code, Value batch, Value channel, const BinCode::Neighbours &y,
                       const BinCode::Neighbours &x, Value before, Value isFirst);

  RoiAlignOp op;
  FunctionReifier &reifier;
  Type type, computed;
  SmallVector<Expr> dims, mapDims;
  Value maps, rois, batches, numMaps, mapHeight, mapWidth;
  int64_t batchGuard, sampleGuard;
};

} // namespace

RegionBuilder::RegionBuilder(RoiAlignOp op, FunctionReifier &reifier)
    : op(op), reifier(reifier), dims(reifier.getDims(op.getResult())), mapDims(reifier.getDims(op.getOperand())) {
  type = getElementType(op.getOperand());
  computed = type.getIntOrFloatBitWidth() < 32 ? Type(reifier.builder.getF32Type()) : type;
  maps = reifier.lookup(op.getOperand());
  rois = reifier.lookup(op.getRois());
  batches = reifier.lookup(op.getBatches());
  // What no region reads may be empty.
  for (Expr dim : {mapDims[0], mapDims[2], mapDims[3]})
    reifier.requireNonEmpty(op.getLoc(), dim, dims);
  numMaps = reifier.getIndex(mapDims[0]);
  mapHeight = reifier.getIndex(mapDims[2]);
  mapWidth = reifier.getIndex(mapDims[3]);
  batchGuard = reifier.addIndexGuard(op.getLoc(), op.getBatches(), "index");
  sampleGuard = reifier.addIndexGuard(op.getLoc(), {}, "number of samples");
}

Value RegionBuilder::combineCorners(BinCode &code, Value batch, Value channel, const BinCode::Neighbours &y,
                                    const BinCode::Neighbours &x, Value before, Value isFirst) {
  Value result;
  for (auto [row, rowShare] : {std::pair(y.low, y.lowShare), std::pair(y.high, y.highShare)})
    for (auto [column, columnShare] : {std::pair(x.low, x.lowShare), std::pair(x.high, x.highShare)}) {
      Value part =
          code.scalars.mul(code.scalars.mul(rowShare, columnShare), code.read(maps, {batch, channel, row, column}));
      if (!result)
        result = part;
      else
        result = op.getMax() ? code.scalars.max(result, part, false) : code.scalars.add(result, part);
    }
  if (!op.getMax())
    return code.scalars.add(before, result);
  return code.scalars.select(isFirst, result, code.scalars.max(before, result, false));
}

Value RegionBuilder::reduceBin(OpBuilder &b, Location loc, ValueRange places) {
  Value region = places[0], channel = places[1];
  BinCode code(b, loc, op, type, computed);
  Value batch = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                           tensor::ExtractOp::create(b, loc, batches, region).getResult());
  batch = shape::BoundOp::create(b, loc, b.getIndexType(), batch, numMaps, UnitAttr(), b.getI64IntegerAttr(batchGuard));
  BinCode::Side rows = code.makeSide(rois, region, 1, static_cast<int64_t>(op.getHeight()), mapHeight, sampleGuard);
  BinCode::Side columns = code.makeSide(rois, region, 0, static_cast<int64_t>(op.getWidth()), mapWidth, sampleGuard);
  Value zero = code.index(0), one = code.index(1);
  auto overColumns = [&](OpBuilder &b, Location loc, Value row, Value before) {
    BinCode outer(b, loc, op, type, computed);
    BinCode::Neighbours y = outer.findNeighbours(rows, places[2], row);
    auto body = [&](OpBuilder &b, Location loc, Value column, ValueRange carried) {
      BinCode inner(b, loc, op, type, computed);
      BinCode::Neighbours x = inner.findNeighbours(columns, places[3], column);
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            arith::AddIOp::create(b, loc, row, column).getResult(), zero);
      scf::YieldOp::create(b, loc, combineCorners(inner, batch, channel, y, x, carried.front(), isFirst));
    };
    return scf::ForOp::create(b, loc, zero, columns.samples, one, before, body).getResult(0);
  };
  auto overRows = [&](OpBuilder &b, Location loc, Value row, ValueRange carried) {
    scf::YieldOp::create(b, loc, overColumns(b, loc, row, carried.front()));
  };
  Value reduced = scf::ForOp::create(b, loc, zero, rows.samples, one, code.number(0), overRows).getResult(0);
  if (op.getMax())
    return reduced;
  Value count = arith::MulIOp::create(b, loc, rows.samples, columns.samples);
  return code.scalars.div(reduced, code.scalars.max(code.toNumber(count), code.number(1), false), false);
}

void RegionBuilder::build() {
  auto body = [&](OpBuilder &b, Location loc, ValueRange places, ValueRange carried) {
    Value bin = ScalarBuilder(b, loc).cast(reduceBin(b, loc, places), computed, type);
    return Values{tensor::InsertOp::create(b, loc, bin, carried.front(), places)};
  };
  Value empty = reifier.createEmpty(op.getLoc(), dims, type);
  reifier.map(op.getResult(), reifier.createLoops(reifier.builder, op.getLoc(), dims, empty, body).front());
}

static LogicalResult lowerRoiAlign(RoiAlignOp op, FunctionReifier &reifier) {
  if (failed(requireSupported(op, getElementType(op.getOperand()))))
    return failure();
  RegionBuilder(op, reifier).build();
  return success();
}

void dyn::addRegionLowerings(LoweringTable &table) { table.add<RoiAlignOp>(lowerRoiAlign); }
