//===- Lowerings of windows ---------------------------------------------------------===//
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

void dyn::addWindowLowerings(LoweringTable &table) { table.add<WindowsOp>(lowerWindows); }
