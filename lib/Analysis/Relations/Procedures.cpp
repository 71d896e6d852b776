//===- Shape relations of procedures --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// The first of some dims of some values that is known; null if none is.
static Expr getFirst(ShapeRelations &relations, ArrayRef<std::pair<Value, size_t>> places) {
  for (auto [value, dim] : places)
    if (std::optional<Dims> dims = relations.getDims(value); dims && dim < dims->size() && (*dims)[dim])
      return (*dims)[dim];
  return {};
}

static LogicalResult relateSuppress(SuppressOp op, ShapeRelations &relations) {
  Value boxes = op.getBoxes(), order = op.getOrder(), scores = op.getScores(), result = op.getResult();
  Expr batch = getFirst(relations, {{boxes, 0}, {order, 0}, {scores, 0}, {result, 0}});
  Expr classes = getFirst(relations, {{order, 1}, {scores, 1}, {result, 1}});
  Expr count = getFirst(relations, {{boxes, 1}, {order, 2}, {scores, 2}, {result, 2}});
  if (failed(relations.setDims(boxes, {batch, count, relations.getConstant(4)})))
    return failure();
  for (Value value : {order, scores, result})
    if (failed(relations.setDims(value, {batch, classes, count})))
      return failure();
  return success();
}

static LogicalResult relateRoiAlign(RoiAlignOp op, ShapeRelations &relations) {
  Value operand = op.getOperand(), rois = op.getRois(), batches = op.getBatches(), result = op.getResult();
  Expr count = getFirst(relations, {{rois, 0}, {batches, 0}, {result, 0}});
  Expr channels = getFirst(relations, {{operand, 1}, {result, 1}});
  if (failed(relations.setDims(operand, {Expr(), channels, Expr(), Expr()})) ||
      failed(relations.setDims(rois, {count, relations.getConstant(4)})) || failed(relations.setDims(batches, count)))
    return failure();
  return relations.setDims(result, {count, channels, relations.getConstant(static_cast<int64_t>(op.getHeight())),
                                    relations.getConstant(static_cast<int64_t>(op.getWidth()))});
}

/// Both have the dims of the other, the last two of which are equal.
static LogicalResult relateInverse(InverseOp op, ShapeRelations &relations) {
  for (auto [from, to] : {std::pair(op.getOperand(), op.getResult()), std::pair(op.getResult(), op.getOperand())}) {
    std::optional<Dims> dims = relations.getDims(from);
    if (!dims)
      continue;
    if (dims->size() < 2)
      return op.emitOpError() << "an operand of rank " << dims->size() << " holds no matrices";
    if (failed(relations.requireEqual(dims->back(), (*dims)[dims->size() - 2], "matrices are square")) ||
        failed(relations.setDims(to, *dims)))
      return failure();
  }
  return success();
}

static LogicalResult relateDet(DetOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims) {
    std::optional<int64_t> rank = relations.getRank(op.getResult());
    return rank ? relations.setRank(op.getOperand(), *rank + 2) : success();
  }
  if (dims->size() < 2)
    return op.emitOpError() << "an operand of rank " << dims->size() << " holds no matrices";
  if (failed(relations.requireEqual(dims->back(), (*dims)[dims->size() - 2], "matrices are square")))
    return failure();
  return relations.setDims(op.getResult(), ArrayRef(*dims).drop_back(2));
}

void relations::attachProcedureRelations(MLIRContext *context) {
  attach<SuppressOp, relateSuppress>(context);
  attach<RoiAlignOp, relateRoiAlign>(context);
  attach<DetOp, relateDet>(context);
  attach<InverseOp, relateInverse>(context);
}
