//===- Relations of reductions --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// Dims after those that are flagged were reduced.
static Dims getReduced(ShapeRelations &relations, ArrayRef<Expr> dims, ArrayRef<bool> reduced, bool keepDims) {
  Dims result;
  for (auto [dim, isReduced] : llvm::zip(dims, reduced)) {
    if (!isReduced)
      result.push_back(dim);
    else if (keepDims)
      result.push_back(relations.getConstant(1));
  }
  return result;
}

/// The elements of a small integer tensor that is reduced to one element.
static void relateElements(ReduceOp op, ShapeRelations &relations) {
  std::optional<SmallVector<Expr>> operands = relations.getIntegers(op.getOperand());
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getResult());
  if (!operands || operands->empty() || !dims || !llvm::all_of(*dims, [](int64_t dim) { return dim == 1; }))
    return;
  Expr value = operands->front();
  for (Expr operand : llvm::drop_begin(*operands)) {
    switch (op.getKind()) {
    case ReduceKind::Sum:
      value = value + operand;
      break;
    case ReduceKind::Prod:
      value = value * operand;
      break;
    case ReduceKind::Max:
      value = symbolic::max({value, operand});
      break;
    case ReduceKind::Min:
      value = symbolic::min({value, operand});
      break;
    case ReduceKind::Mean:
      return;
    }
  }
  relations.setElements(op.getResult(), {ElementValue::getInteger(value)});
}

static LogicalResult relateReduce(ReduceOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  FailureOr<SmallVector<bool>> reduced = SmallVector<bool>(dims->size(), true);
  if (op.getAxes())
    reduced = getAxes(op, *op.getAxes(), dims->size());
  if (failed(reduced) ||
      failed(relations.setDims(op.getResult(), getReduced(relations, *dims, *reduced, op.getKeepDims()))))
    return failure();
  if (op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min)
    relations.setBounds(op.getResult(), relations.getBounds(op.getOperand()));
  relateElements(op, relations);
  return success();
}

static LogicalResult relateArgReduce(ArgReduceOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  FailureOr<SmallVector<bool>> reduced = getAxes(op, op.getAxis(), dims->size());
  if (failed(reduced) ||
      failed(relations.setDims(op.getResult(), getReduced(relations, *dims, *reduced, op.getKeepDims()))))
    return failure();
  Expr size = (*dims)[llvm::find(*reduced, true) - reduced->begin()];
  // Over an empty dim there is no index at all, and the op's result is 0.
  if (relations.isKnownLessEqual(relations.getConstant(1), size))
    relations.setBounds(op.getResult(), {relations.getConstant(0), size - 1});
  return success();
}

static LogicalResult relateCumSum(CumSumOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  if (failed(getAxis(op, op.getAxis(), dims->size())))
    return failure();
  return relations.setDims(op.getResult(), *dims);
}

void relations::attachReductionRelations(MLIRContext *context) {
  attach<ReduceOp, relateReduce>(context);
  attach<ArgReduceOp, relateArgReduce>(context);
  attach<CumSumOp, relateCumSum>(context);
}
