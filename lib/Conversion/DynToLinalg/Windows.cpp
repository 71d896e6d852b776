//===- Lowerings of windows and selections ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FunctionReifier.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// The elements of padding before a dim of `size` elements.
static Expr getBegin(WindowsOp op, FunctionReifier &reifier, size_t i, Expr size) {
  if (op.getPlaces() == WindowPlaces::Floor || op.getPlaces() == WindowPlaces::Ceil)
    return reifier.context.getConstant(op.getPads()[i]);
  int64_t stride = op.getStrides()[i], extent = (op.getKernel()[i] - 1) * op.getDilations()[i] + 1;
  Expr total = symbolic::max({reifier.context.getConstant(0), (ceilDiv(size, stride) - 1) * stride + extent - size});
  return op.getPlaces() == WindowPlaces::SameUpper ? floorDiv(total, 2) : ceilDiv(total, 2);
}

static LogicalResult lowerWindows(WindowsOp op, FunctionReifier &reifier) {
  SmallVector<Expr> from = reifier.getDims(op.getOperand()), to = reifier.getDims(op.getResult());
  Type type = getElementType(op.getOperand());
  if (failed(requireSupported(op, type)))
    return failure();
  size_t count = op.getKernel().size(), outer = from.size() - count;
  Value tensor = reifier.lookup(op.getOperand());
  TypedAttr outside = getSignlessAttr(op.getValue());
  SmallVector<Value> sizes, begins;
  for (size_t i = 0; i < count; ++i) {
    sizes.push_back(reifier.getIndex(from[outer + i]));
    begins.push_back(reifier.getIndex(getBegin(op, reifier, i, from[outer + i])));
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    auto multiply = [&](Value index, int64_t factor) -> Value {
      return factor == 1 ? index : arith::MulIOp::create(b, loc, index, arith::ConstantIndexOp::create(b, loc, factor));
    };
    SmallVector<Value> places;
    for (size_t dim = 0; dim < outer; ++dim)
      places.push_back(linalg::IndexOp::create(b, loc, dim));
    Value isInside;
    for (size_t i = 0; i < count; ++i) {
      Value window = multiply(linalg::IndexOp::create(b, loc, outer + i), op.getStrides()[i]);
      Value element = multiply(linalg::IndexOp::create(b, loc, outer + count + i), op.getDilations()[i]);
      Value place = arith::SubIOp::create(b, loc, arith::AddIOp::create(b, loc, window, element), begins[i]);
      // Unsigned, so that a place before the beginning is one far behind the end.
      Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, sizes[i]);
      isInside = isInside ? arith::AndIOp::create(b, loc, isInside, fits).getResult() : fits;
      places.push_back(place);
    }
    if (!isInside)
      return tensor::ExtractOp::create(b, loc, tensor, places);
    auto read = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, tensor::ExtractOp::create(b, loc, tensor, places).getResult());
    };
    auto skip = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, arith::ConstantOp::create(b, loc, outside).getResult());
    };
    return scf::IfOp::create(b, loc, isInside, read, skip).getResult(0);
  };
  reifier.map(op.getResult(), reifier.createPointwise(op.getLoc(), to, getElementType(tensor), {}, body));
  return success();
}

/// Does an element stand before another? Equal ones stand in the order of their places.
static Value comesBefore(OpBuilder &b, Location loc, TopKOp op, Value element, Value place, Value other,
                         Value otherPlace) {
  ScalarBuilder scalars(b, loc);
  bool isUnsigned = dyn::isUnsigned(getElementType(op.getOperand()));
  auto isGreater = [&](Value lhs, Value rhs) -> Value {
    Value greater = scalars.compare(CompareDirection::GT, lhs, rhs, isUnsigned);
    if (!isa<FloatType>(lhs.getType()))
      return greater;
    Value lhsIsNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, lhs, lhs);
    Value rhsIsNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, rhs, rhs);
    return arith::OrIOp::create(b, loc, greater, arith::AndIOp::create(b, loc, lhsIsNan, rhsIsNumber));
  };
  Value better = op.getLeast() ? isGreater(other, element) : isGreater(element, other);
  Value worse = op.getLeast() ? isGreater(element, other) : isGreater(other, element);
  Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, otherPlace);
  Value isTieBroken = arith::SelectOp::create(b, loc, worse, arith::ConstantIntOp::create(b, loc, 0, 1), isEarlier);
  return arith::OrIOp::create(b, loc, better, isTieBroken);
}

/// Each element's rank is the number of those that come before it; the result collects the places by rank. All pairs
/// are compared, so that the work grows with the square of the dim, but none of it depends on other parts.
static LogicalResult lowerTopK(TopKOp op, FunctionReifier &reifier) {
  SmallVector<Expr> dims = reifier.getDims(op.getOperand()), to = reifier.getDims(op.getResult());
  if (failed(requireSupported(op, getElementType(op.getOperand()))))
    return failure();
  auto axis = static_cast<unsigned>(normalizeAxis(op.getAxis(), dims.size()));
  unsigned reduced = dims.size();
  Type i64 = reifier.builder.getI64Type();
  Value tensor = reifier.lookup(op.getOperand());
  SmallVector<AffineExpr> own, other;
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    own.push_back(reifier.getLoop(dim));
    other.push_back(reifier.getLoop(dim == axis ? reduced : dim));
  }
  auto place = [](OpBuilder &b, Location loc, unsigned loop) -> Value { return linalg::IndexOp::create(b, loc, loop); };
  TypedAttr zero = reifier.builder.getI64IntegerAttr(0);
  Value ranks = reifier.createFilled(op.getLoc(), dims, zero);
  SmallVector<Access> pairs{reifier.getAccess(tensor, own), reifier.getAccess(tensor, other)};
  auto countBefore = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange soFar) -> SmallVector<Value> {
    Value before = comesBefore(b, loc, op, elements[1], place(b, loc, reduced), elements[0], place(b, loc, axis));
    return {arith::AddIOp::create(b, loc, soFar[0], arith::ExtUIOp::create(b, loc, i64, before))};
  };
  ranks = reifier.createReduction(op.getLoc(), ranks, 1, pairs, countBefore).front();
  Value result = reifier.createFilled(op.getLoc(), to, zero);
  auto collect = [&](OpBuilder &b, Location loc, ValueRange elements, ValueRange soFar) -> SmallVector<Value> {
    Value wanted = arith::IndexCastOp::create(b, loc, i64, place(b, loc, axis));
    Value isWanted = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, elements[0], wanted);
    Value found = arith::IndexCastOp::create(b, loc, i64, place(b, loc, reduced));
    return {arith::SelectOp::create(b, loc, isWanted, found, soFar[0])};
  };
  result = reifier.createReduction(op.getLoc(), result, 1, reifier.getAccess(ranks, other), collect).front();
  Type type = getElementType(op.getResult());
  if (type != i64)
    result = reifier.createPointwise(op.getLoc(), to, type, reifier.getAccess(result, own),
                                     [&](OpBuilder &b, Location loc, ValueRange elements) {
                                       return ScalarBuilder(b, loc).cast(elements[0], i64, type);
                                     });
  reifier.map(op.getResult(), result);
  return success();
}

void dyn::addWindowLowerings(LoweringTable &table) {
  table.add<WindowsOp>(lowerWindows);
  table.add<TopKOp>(lowerTopK);
}
