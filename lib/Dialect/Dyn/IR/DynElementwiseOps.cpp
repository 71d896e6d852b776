//===- Elementwise ops ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

LogicalResult dyn::OpTrait::detail::verifyElementwise(Operation *op) {
  int64_t rank = 0;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = getKnownRank(operand);
    if (!known)
      return success();
    rank = std::max(rank, *known);
  }
  std::optional<int64_t> actual = getKnownRank(op->getResult(0));
  if (actual && *actual != rank)
    return op->emitOpError() << "result has rank " << *actual << ", expected the greatest rank of an operand, " << rank;
  return success();
}

LogicalResult BitCastOp::verify() {
  Type from = getElementTypeOrSelf(getOperand()), to = getElementTypeOrSelf(getResult());
  if (from.isIntOrFloat() && to.isIntOrFloat() && from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth())
    return success();
  return emitOpError() << "elements of type " << from << " have another width than those of type " << to;
}

OpFoldResult CastOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : Value(); }
