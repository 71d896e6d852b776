//===- Relations of borders ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// What is known of the elements of a padded tensor, if other elements than those of the operand are constants.
static void padValues(ShapeRelations &relations, PadMode mode, Value operand, Value value, Value result,
                      ArrayRef<Expr> low) {
  if (mode != PadMode::Constant)
    return passBoundsOfPart(relations, operand, result);
  ElementValue filling = getZero(relations, getElementTypeOrSelf(operand));
  Bounds fillingBounds{filling.getInteger(), filling.getInteger()};
  if (value) {
    std::optional<ElementValues> elements = relations.getElements(value);
    filling = elements && elements->size() == 1 ? elements->front() : ElementValue();
    fillingBounds = relations.getBounds(value);
  }
  relations.setBounds(result, join(relations, relations.getBounds(operand), fillingBounds));
  std::optional<SmallVector<int64_t>> first = getConstants(low);
  if (!first)
    return;
  moveElements(
      relations, operand, result,
      [&](ArrayRef<int64_t> position) {
        SmallVector<int64_t> source(position);
        for (auto [index, begin] : llvm::zip_equal(source, *first))
          index -= begin;
        return source;
      },
      filling);
}

static LogicalResult relatePad(PadOp op, ShapeRelations &relations) {
  if (failed(relateRanks(relations, op.getOperand(), op.getResult())))
    return failure();
  padValues(relations, op.getMode(), op.getOperand(), op.getValue(), op.getResult(),
            op.getLow().getExprs(relations.getContext()));
  return success();
}

/// What `mode` puts around a dim must be in it: something, and for a reflection as much as is put on either side.
static LogicalResult requireRepeated(ShapeRelations &relations, PadMode mode, Expr size, Expr low, Expr high) {
  if (!size || !low || !high)
    return success();
  // What negative counts remove is not repeated.
  Expr zero = relations.getConstant(0);
  auto getRemoved = [&](Expr count) { return relations.isKnownLessEqual(zero, count) ? zero : min({count, zero}); };
  Expr left = size + getRemoved(low) + getRemoved(high);
  for (Expr count : {low, high}) {
    if (!left || relations.isKnownLessEqual(count, zero))
      continue;
    Predicate fits = Predicate::lessEqual(mode == PadMode::Reflect ? count + 1 : relations.getConstant(1), left);
    if (!relations.isKnownLessEqual(relations.getConstant(1), count))
      fits = Predicate::disjunction({fits, Predicate::lessEqual(count, zero)});
    StringRef because = mode == PadMode::Reflect ? "a reflection is no longer than the dim without its end"
                                                 : "an empty dim has nothing to repeat";
    if (failed(relations.require(fits, because)))
      return failure();
  }
  return success();
}

/// Dims that change have elements, unless the result has none.
static LogicalResult requireRepeatable(ShapeRelations &relations, Value operand, Value result) {
  std::optional<Dims> from = relations.getKnownDims(operand), to = relations.getKnownDims(result);
  if (!from || !to)
    return success();
  for (auto [size, padded] : llvm::zip_equal(*from, *to))
    if (size != padded && failed(requireNonEmpty(relations, size, *to, "an empty dim has nothing to repeat")))
      return failure();
  return success();
}

static LogicalResult relatePadTo(PadToOp op, ShapeRelations &relations) {
  Value operand = op.getOperand(), result = op.getResult();
  if (failed(relateRanks(relations, operand, result)))
    return failure();
  std::optional<Dims> dims = relations.getDims(operand);
  if (!dims)
    return success();
  int64_t rank = dims->size();
  std::optional<SmallVector<int64_t>> axes =
      op.getAxes() ? relations.getConstants(op.getAxes()) : llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (!axes)
    return success();
  int64_t count = axes->size();
  if (failed(getAxes(op, *axes, rank)) || failed(relations.setDims(op.getPads(), {relations.getConstant(2 * count)})))
    return failure();
  Dims pads = getListOf(relations, op.getPads(), 2 * count).value_or(Dims(2 * count));
  Dims low(rank, relations.getConstant(0));
  for (auto [index, axis] : llvm::enumerate(*axes)) {
    int64_t number = axis < 0 ? axis + rank : axis;
    Expr size = (*dims)[number], &padded = (*dims)[number];
    low[number] = pads[index];
    padded = size + pads[index] + pads[count + index];
    if (failed(requireSize(relations, padded, "more removed than there is")))
      return failure();
    if (op.getMode() != PadMode::Constant &&
        failed(requireRepeated(relations, op.getMode(), size, pads[index], pads[count + index])))
      return failure();
  }
  if (failed(relations.setDims(result, *dims)))
    return failure();
  if (op.getMode() != PadMode::Constant && failed(requireRepeatable(relations, operand, result)))
    return failure();
  padValues(relations, op.getMode(), operand, op.getValue(), result, low);
  return success();
}

void relations::attachPaddingRelations(MLIRContext *context) {
  attach<PadOp, relatePad>(context);
  attach<PadToOp, relatePadTo, 1, 3>(context);
}
