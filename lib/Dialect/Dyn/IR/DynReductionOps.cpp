//===- Reduction ops --------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"

using namespace mlir;
using namespace dyn;

LogicalResult ReduceOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (getAxes() && failed(Constraint(*this, 1).areAxes(*getAxes(), rank)))
    return failure();
  if (rank && !getKeepDims())
    rank = getAxes() ? *rank - static_cast<int64_t>(getAxes()->size()) : 0;
  return Constraint(*this, 2).isRank("result", getResult(), rank);
}

LogicalResult ReduceToOp::verify() {
  if (failed(Constraint(*this, 1).isRank("axes", getAxes(), 1)))
    return failure();
  return getKeepDims() ? Constraint(*this, 2).isRank("result", getResult(), getKnownRank(getOperand())) : success();
}

LogicalResult ArgReduceOp::verify() {
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return Constraint(*this, 1).emitError()
           << "kind is '" << stringifyReduceKind(getKind()) << "', expected 'max' or 'min'";
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (failed(Constraint(*this, 2).isAxis(getAxis(), rank)))
    return failure();
  if (rank && !getKeepDims())
    --*rank;
  return Constraint(*this, 3).isRank("result", getResult(), rank);
}

LogicalResult CumSumOp::verify() {
  std::optional<int64_t> rank = getKnownRank(getOperand());
  if (failed(Constraint(*this, 1).isRank("result", getResult(), rank)))
    return failure();
  return Constraint(*this, 2).isAxis(getAxis(), rank);
}
