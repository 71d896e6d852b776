//===- Relations of elementwise ops -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseValues.h"
#include "Relations.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::symbolic;

/// The result has the dims that all operands broadcast to.
static LogicalResult relateElementwise(Operation *op, ShapeRelations &relations) {
  std::optional<Dims> dims;
  for (Value operand : op->getOperands()) {
    std::optional<Dims> other = relations.getDims(operand);
    if (!other)
      return success();
    FailureOr<Dims> joined = dims ? relations.broadcast(*dims, *other, op->getName().stripDialect()) : *other;
    if (failed(joined))
      return failure();
    dims = std::move(*joined);
  }
  if (failed(relations.setDims(op->getResult(0), *dims)))
    return failure();
  relations::relateValues(op, relations);
  return success();
}

namespace {
template <typename Op>
struct Model : ShapeRelationsOpInterface::ExternalModel<Model<Op>, Op> {
  LogicalResult relateShapes(Operation *op, ShapeRelations &relations) const {
    return relateElementwise(op, relations);
  }
};
} // namespace

template <typename... Ops>
static void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void relations::attachElementwiseRelations(MLIRContext *context) {
  attachAll<AbsOp, NegOp, SignOp, ExpOp, LogOp, SqrtOp, ReciprocalOp, ErfOp, TanhOp, SigmoidOp, SinOp, CosOp, FloorOp,
            CeilOp, RoundOp, NotOp, IsNanOp, IsInfOp, AddOp, SubOp, MulOp, DivOp, ModOp, PowOp, MinOp, MaxOp, AndOp,
            OrOp, XorOp, CompareOp, SelectOp, CastOp>(context);
}
