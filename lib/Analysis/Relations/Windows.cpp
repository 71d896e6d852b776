//===- Shape relations of windows and selections ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// "a window of 3 with dilation 2 must fit dim 2 of input `x` with its pads"
static std::string describeWindow(WindowsOp op, ShapeRelations &relations, size_t axis) {
  int64_t outer = relations.getRank(op.getOperand()).value_or(0) - static_cast<int64_t>(op.getKernel().size());
  int64_t dilation = op.getDilations()[axis];
  return "a window of " + std::to_string(op.getKernel()[axis]) +
         (dilation == 1 ? "" : " with dilation " + std::to_string(dilation)) + " must fit " +
         describeDim(findOperandOfNode(op, op.getOperand()), outer + static_cast<int64_t>(axis)) + " with its pads";
}

/// How many places window `i` has along a dim of `size` elements.
static FailureOr<Expr> getNumPlaces(WindowsOp op, ShapeRelations &relations, size_t i, Expr size) {
  int64_t stride = op.getStrides()[i], begin = op.getPads()[i], end = op.getPads()[i + op.getKernel().size()];
  if (op.getPlaces() == WindowPlaces::SameUpper || op.getPlaces() == WindowPlaces::SameLower)
    return ceilDiv(size, stride);
  // What is left beside the first window.
  Expr room = size + (begin + end - (op.getKernel()[i] - 1) * op.getDilations()[i] - 1);
  if (op.getPlaces() == WindowPlaces::Ceil) {
    // As in onnxruntime: no place where a step is missing, and nothing that is sensible where more than that is.
    if (failed(relations.require(Predicate::lessEqual(relations.getConstant(1 - 2 * stride), room),
                                 describeWindow(op, relations, i))))
      return failure();
    Expr zero = relations.getConstant(0);
    return symbolic::max({zero, symbolic::min({ceilDiv(room, stride), floorDiv(size + (begin - 1), stride)}) + 1});
  }
  // One element too few gives no place, fewer none that is sensible.
  if (failed(
          relations.require(Predicate::lessEqual(relations.getConstant(-1), room), describeWindow(op, relations, i))))
    return failure();
  return floorDiv(room, stride) + 1;
}

static LogicalResult relateWindows(WindowsOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims || dims->size() < op.getKernel().size())
    return success();
  size_t outer = dims->size() - op.getKernel().size();
  for (size_t i = 0; i < op.getKernel().size(); ++i) {
    Expr &dim = (*dims)[outer + i];
    if (!dim)
      continue;
    FailureOr<Expr> places = getNumPlaces(op, relations, i, dim);
    if (failed(places))
      return failure();
    dim = *places;
  }
  for (int64_t size : op.getKernel())
    dims->push_back(relations.getConstant(size));
  return relations.setDims(op.getResult(), *dims);
}

static LogicalResult relateTopK(TopKOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims) {
    std::optional<int64_t> rank = relations.getRank(op.getResult());
    return rank ? relations.setRank(op.getOperand(), *rank) : success();
  }
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), dims->size());
  if (failed(axis))
    return failure();
  if (relations.getRank(op.getK()) == 1 && failed(relations.setDims(op.getK(), relations.getConstant(1))))
    return failure();
  Expr size = (*dims)[*axis], count = relations.getScalar(op.getK());
  if (count && size &&
      (failed(relations.require(Predicate::lessEqual(relations.getConstant(0), count), "k is not negative")) ||
       failed(relations.require(Predicate::lessEqual(count, size), "there are k elements"))))
    return failure();
  (*dims)[*axis] = count;
  if (size)
    relations.setBounds(op.getResult(), {relations.getConstant(0), size - 1});
  return relations.setDims(op.getResult(), *dims);
}

void relations::attachWindowRelations(MLIRContext *context) {
  attach<WindowsOp, relateWindows>(context);
  attach<TopKOp, relateTopK, 1>(context);
}
