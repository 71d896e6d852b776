//===- The relations of all ops of the dyn dialect -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"

using namespace mlir;
using namespace dyn;

#include "dyn/Analysis/ShapeRelationsOpInterface.cpp.inc"

FailureOr<int64_t> relations::getAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return op->emitOpError() << "axis " << axis << " is out of range for rank " << rank;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<bool>> relations::getAxes(Operation *op, ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<bool> flags(rank, false);
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = getAxis(op, axis, rank);
    if (failed(dim))
      return failure();
    if (flags[*dim])
      return op->emitOpError() << "axis " << axis << " is named twice";
    flags[*dim] = true;
  }
  return flags;
}

LogicalResult relations::relateRanks(ShapeRelations &relations, Value operand, Value result) {
  for (auto [from, to] : {std::pair(operand, result), std::pair(result, operand)})
    if (std::optional<int64_t> rank = relations.getRank(from); rank && failed(relations.setRank(to, *rank)))
      return failure();
  return success();
}

void dyn::registerShapeRelations(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DynDialect *) {
    relations::attachContractionRelations(context);
    relations::attachElementwiseRelations(context);
    relations::attachGeneratorRelations(context);
    relations::attachIndexingRelations(context);
    relations::attachMovementRelations(context);
    relations::attachNonZeroRelations(context);
    relations::attachPaddingRelations(context);
    relations::attachProcedureRelations(context);
    relations::attachRecurrenceRelations(context);
    relations::attachReductionRelations(context);
    relations::attachReshapeRelations(context);
    relations::attachSequenceRelations(context);
    relations::attachSliceRelations(context);
    relations::attachUnitDimRelations(context);
    relations::attachWindowRelations(context);
  });
}
