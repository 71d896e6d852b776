//===- Lowerings of ops that compute places in a bounded operand --------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Padding.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// `value` modulo a positive `size`, never negative.
static Value wrap(OpBuilder &b, Location loc, Value value, Value size) {
  Value remainder = arith::RemSIOp::create(b, loc, value, size);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, remainder, zero);
  return arith::SelectOp::create(b, loc, isNegative, arith::AddIOp::create(b, loc, remainder, size), remainder);
}

/// The place in a dim of `size` elements, at least one, that place `place` repeats; it may lie outside.
static Value mirror(OpBuilder &b, Location loc, PadMode mode, Value place, Value size) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  if (mode == PadMode::Wrap)
    return wrap(b, loc, place, size);
  Value last = arith::SubIOp::create(b, loc, size, one);
  if (mode == PadMode::Edge) {
    Value atLeastZero = arith::MaxSIOp::create(b, loc, place, zero);
    return arith::MinSIOp::create(b, loc, atLeastZero, last);
  }
  // Reflection runs forth and back without repeating the ends; over one element it stays there.
  Value period = arith::MaxSIOp::create(b, loc, arith::AddIOp::create(b, loc, last, last), one);
  Value phase = wrap(b, loc, place, period);
  return arith::MinSIOp::create(b, loc, phase, arith::SubIOp::create(b, loc, period, phase));
}

Value dyn::createPad(FunctionReifier &reifier, Location loc, PadMode mode, Value tensor, ArrayRef<Expr> from,
                     ArrayRef<Expr> to, ArrayRef<Expr> low, const Access &fill) {
  auto isPadded = [&](size_t dim) { return from[dim] != to[dim] || !low[dim].isConstant(0); };
  SmallVector<Value> sizes(from.size()), lows(from.size()), removed(from.size()), left(from.size());
  Expr zero = reifier.context.getConstant(0);
  auto isAtLeastZero = [&](Expr expr) { return reifier.solver.isLessEqual(zero, expr) == Verdict::Yes; };
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (isPadded(dim)) {
      sizes[dim] = reifier.getIndex(from[dim]);
      lows[dim] = reifier.getIndex(low[dim]);
      Expr high = to[dim] - from[dim] - low[dim];
      if (mode == PadMode::Wrap && !(isAtLeastZero(low[dim]) && isAtLeastZero(high))) {
        removed[dim] = reifier.getIndex(max({-low[dim], zero}));
        left[dim] = reifier.getIndex(from[dim] + min({low[dim], zero}) + min({high, zero}));
      }
    }
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    SmallVector<Value> places;
    Value isInside;
    for (size_t dim = 0; dim < from.size(); ++dim) {
      Value place = linalg::IndexOp::create(b, loc, dim);
      if (isPadded(dim)) {
        place = arith::SubIOp::create(b, loc, place, lows[dim]);
        if (mode == PadMode::Constant) {
          // Unsigned, so that a place before the beginning is one far behind the end.
          Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, sizes[dim]);
          isInside = isInside ? arith::AndIOp::create(b, loc, isInside, fits).getResult() : fits;
        } else if (mode == PadMode::Wrap && removed[dim]) {
          // What is removed is not among what is repeated all over.
          place = arith::SubIOp::create(b, loc, place, removed[dim]);
          place = arith::AddIOp::create(b, loc, removed[dim], mirror(b, loc, mode, place, left[dim]));
        } else {
          place = mirror(b, loc, mode, place, sizes[dim]);
        }
      }
      places.push_back(place);
    }
    if (!isInside)
      return tensor::ExtractOp::create(b, loc, tensor, places);
    // A branch, so that places stay neighbours: lanes that are inside are read at once.
    auto read = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, tensor::ExtractOp::create(b, loc, tensor, places).getResult());
    };
    auto skip = [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, elements.front()); };
    return scf::IfOp::create(b, loc, isInside, read, skip).getResult(0);
  };
  return reifier.createPointwise(loc, to, getElementType(tensor), fill, body);
}

static LogicalResult lowerPad(PadOp op, FunctionReifier &reifier) {
  Value operand = op.getOperand();
  SmallVector<Expr> from = reifier.getDims(operand), to = reifier.getDims(op.getResult());
  SmallVector<Expr> low = reifier.getExprs(op.getLow());
  Type type = getSignlessType(getElementType(operand));
  if (failed(requireSupported(op, type)))
    return failure();
  Access fill;
  if (op.getValue())
    fill = reifier.getBroadcastAccess(op.getValue(), to);
  else
    fill.splat = cast<TypedAttr>(reifier.builder.getZeroAttr(type));
  if (op.getMode() != PadMode::Constant)
    for (auto [fromDim, toDim] : llvm::zip_equal(from, to))
      if (fromDim != toDim)
        reifier.requireNonEmpty(op.getLoc(), fromDim, to);
  reifier.map(op.getResult(),
              createPad(reifier, op.getLoc(), op.getMode(), reifier.lookup(operand), from, to, low, fill));
  return success();
}

static LogicalResult lowerTile(TileOp op, FunctionReifier &reifier) {
  Value operand = reifier.lookup(op.getOperand());
  SmallVector<Expr> from = reifier.getDims(op.getOperand()), to = reifier.getDims(op.getResult());
  SmallVector<Value> sizes(from.size());
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (from[dim] != to[dim])
      size = reifier.getIndex(from[dim]);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    SmallVector<Value> places;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      Value place = linalg::IndexOp::create(b, loc, dim);
      if (from[dim].isConstant(1))
        place = arith::ConstantIndexOp::create(b, loc, 0);
      else if (size)
        place = arith::RemUIOp::create(b, loc, place, size);
      places.push_back(place);
    }
    return tensor::ExtractOp::create(b, loc, operand, places);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), to, getElementType(operand), {}, body));
  return success();
}

static LogicalResult lowerTrilu(TriluOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getResult());
  Type type = getSignlessType(getElementType(op.getResult()));
  if (failed(requireSupported(op, type)))
    return failure();
  if (dims.size() < 2)
    return op.emitOpError() << "has no lowering for a result of type " << op.getType();
  SmallVector<Access> inputs{reifier.getBroadcastAccess(op.getOperand(), dims)};
  if (op.getDiagonal())
    inputs.push_back(reifier.getBroadcastAccess(op.getDiagonal(), dims));
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) -> Value {
    Value row = linalg::IndexOp::create(b, loc, dims.size() - 2),
          column = linalg::IndexOp::create(b, loc, dims.size() - 1);
    if (op.getDiagonal()) {
      // Beyond all rows one is as another; the sum must not wrap around.
      constexpr int64_t most = int64_t(1) << 62;
      auto number = [&](int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
      Value diagonal = arith::MinSIOp::create(b, loc, elements[1], number(most));
      diagonal = arith::MaxSIOp::create(b, loc, diagonal, number(-most));
      row = arith::AddIOp::create(b, loc, row, arith::IndexCastOp::create(b, loc, b.getIndexType(), diagonal));
    }
    auto predicate = op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
    Value stays = arith::CmpIOp::create(b, loc, predicate, column, row);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    return arith::SelectOp::create(b, loc, stays, elements[0], zero);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), dims, type, inputs, body));
  return success();
}

void dyn::addPaddingLowerings(LoweringTable &table) {
  table.add<PadOp>(lowerPad);
  table.add<TileOp>(lowerTile);
  table.add<TriluOp>(lowerTrilu);
}
