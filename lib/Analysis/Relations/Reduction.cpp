//===- Relations of reductions --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../EarlierTwin.h"
#include "Elements/ElementEvaluator.h"
#include "Elements/ElementwiseValues.h"
#include "MovedValues.h"
#include "llvm/ADT/BitVector.h"

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

/// The elements of a tensor whose elements are known integers, row-major. Those of floats are rounded to the type.
static std::optional<Dims> getSmallIntegers(ShapeRelations &relations, Value value, ArrayRef<int64_t> dims,
                                            ReduceKind kind) {
  bool isOrder = kind == ReduceKind::Max || kind == ReduceKind::Min;
  int64_t limit = isOrder ? kMostWhole : getExactLimit(getElementTypeOrSelf(value)).value_or(0);
  std::optional<ElementValues> elements = relations.getElements(value);
  if (!elements || static_cast<int64_t>(elements->size()) != llvm::product_of(dims))
    return std::nullopt;
  Dims integers;
  for (const ElementValue &element : *elements)
    if (Expr integer = getWhole(element, limit, relations))
      integers.push_back(integer);
  return integers.size() == elements->size() ? std::optional(std::move(integers)) : std::nullopt;
}

/// Is the reduction of floats the rounded one of the integers that they are? Rounding keeps the order. Sums and
/// products of what is not negative are no smaller than their parts, so that nothing is rounded where the whole is not,
/// and f16 alone has infinities within reach, which times 0 are no number.
static bool reducesWholeNumbers(ReduceKind kind, Type type, ArrayRef<Expr> integers, ShapeRelations &relations) {
  if (!isa<FloatType>(type) || kind == ReduceKind::Max || kind == ReduceKind::Min)
    return true;
  return (kind == ReduceKind::Sum || (kind == ReduceKind::Prod && !type.isF16())) &&
         llvm::all_of(integers,
                      [&](Expr integer) { return relations.isKnownLessEqual(relations.getConstant(0), integer); });
}

/// The elements of reductions of small integer tensors.
static LogicalResult relateElements(ReduceOp op, ShapeRelations &relations, ArrayRef<bool> reduced) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getOperand()),
                                      resultDims = relations.getSmallDims(op.getResult());
  std::optional<Dims> operands =
      dims ? getSmallIntegers(relations, op.getOperand(), *dims, op.getKind()) : std::nullopt;
  if (!operands || !resultDims ||
      !reducesWholeNumbers(op.getKind(), getElementTypeOrSelf(op.getResult()), *operands, relations))
    return success();
  SmallVector<int64_t> keptDims;
  int64_t count = 1;
  for (auto [dim, isReduced] : llvm::zip_equal(*dims, reduced)) {
    if (isReduced)
      count *= dim;
    else
      keptDims.push_back(dim);
  }
  // Extremes of nothing are those of the element type: no sizes.
  if (count == 0 && op.getKind() != ReduceKind::Sum && op.getKind() != ReduceKind::Prod)
    return success();
  Dims values(llvm::product_of(keptDims));
  if (count == 0)
    llvm::fill(values, relations.getConstant(op.getKind() == ReduceKind::Prod));
  const Expr *next = operands->begin();
  llvm::BitVector isStarted(values.size());
  forEachPosition(*dims, [&](ArrayRef<int64_t> position) {
    int64_t place = 0;
    for (auto [dim, index, isReduced] : llvm::zip_equal(*dims, position, reduced))
      place = isReduced ? place : place * dim + index;
    Expr operand = *next++, &value = values[place];
    if (!isStarted[place]) {
      isStarted.set(place);
      value = operand;
      return;
    }
    switch (op.getKind()) {
    case ReduceKind::Sum:
    case ReduceKind::Mean:
      value = value + operand;
      return;
    case ReduceKind::Prod:
      value = value * operand;
      return;
    case ReduceKind::Max:
      value = symbolic::max({value, operand});
      return;
    case ReduceKind::Min:
      value = symbolic::min({value, operand});
      return;
    }
  });
  // Means are rounded towards zero.
  if (op.getKind() == ReduceKind::Mean)
    for (Expr &value : values)
      value = relations.isKnownLessEqual(relations.getConstant(0), value) ? floorDiv(value, count) : Expr();
  return setIntegers(op, values, relations);
}

/// The bounds of sums of at most `count` elements that are not negative.
static Bounds getSumBounds(ShapeRelations &relations, Bounds bounds, Expr count, Type type) {
  if (!relations.isKnownLessEqual(relations.getConstant(0), bounds.lower))
    return {};
  return getUnwrapped(relations, {relations.getConstant(0), bounds.upper * count}, type);
}

static void relateBounds(ReduceOp op, ShapeRelations &relations, ArrayRef<Expr> dims, ArrayRef<bool> reduced) {
  Bounds bounds = relations.getBounds(op.getOperand());
  Dims sizes;
  for (auto [dim, isReduced] : llvm::zip_equal(dims, reduced))
    if (isReduced)
      sizes.push_back(dim);
  switch (op.getKind()) {
  case ReduceKind::Sum:
    bounds = getSumBounds(relations, bounds, relations.getNumElements(sizes), getElementTypeOrSelf(op.getResult()));
    break;
  case ReduceKind::Max:
  case ReduceKind::Min:
    // The extreme of nothing is no element.
    if (!llvm::all_of(sizes, [&](Expr size) { return relations.isKnownLessEqual(relations.getConstant(1), size); }))
      return;
    // The extreme of all is that of one of the parts.
    (op.getKind() == ReduceKind::Max ? bounds.lowerAt : bounds.upperAt) = EndPlace::Unknown;
    for (EndPlace *place : {&bounds.lowerAt, &bounds.upperAt})
      if (*place != EndPlace::Unknown)
        *place = EndPlace::Somewhere;
    break;
  case ReduceKind::Mean:
  case ReduceKind::Prod:
    return;
  }
  relations.setBounds(op.getResult(), bounds);
}

/// The greatest of all positions, or the least: an end of their interval that is known to be one of them. Where a size
/// depends on it, there must be a position; that of none is the end of the type.
static LogicalResult relateExtreme(ReduceOp op, ShapeRelations &relations, ArrayRef<Expr> dims) {
  Bounds bounds = relations.getBounds(op.getOperand());
  bool isMax = op.getKind() == ReduceKind::Max, isMin = op.getKind() == ReduceKind::Min;
  Expr extreme = isMax ? bounds.upper : bounds.lower;
  bool isReached = extreme && (isMax ? bounds.upperAt : bounds.lowerAt) != EndPlace::Unknown;
  if (!(isMax || isMin) || !isReached || relations.findElements(op.getResult()))
    return success();
  Expr one = relations.getConstant(1);
  SmallVector<Expr> open;
  for (Expr dim : dims)
    if (!relations.isKnownLessEqual(one, dim))
      open.push_back(dim);
  if (!open.empty() && (!relations.decidesSizes(op.getResult()) || !relations.areKnownAtEntry(open)))
    return success();
  for (Expr dim : open)
    if (failed(relations.requireAtEntry(Predicate::lessEqual(one, dim),
                                        isMax ? "a size is the greatest of so many elements"
                                              : "a size is the least of so many elements",
                                        ReasonPlace::Alone)))
      return failure();
  relations.setElements(op.getResult(), {ElementValue::getInteger(extreme)});
  return success();
}

/// The sum of a mask that an op has counted the places of, as exporters write `x[mask] = values`.
static void relateCount(ReduceOp op, ShapeRelations &relations) {
  if (op.getKind() != ReduceKind::Sum || relations.findElements(op.getResult()))
    return;
  Value mask = op.getOperand();
  // Narrow ones may wrap around.
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(mask));
  bool areIntegers = type && type.getWidth() >= 32;
  while (Operation *producer = areIntegers ? mask.getDefiningOp() : nullptr) {
    if (!isa<CastOp, ReshapeToOp, FlattenOp, SqueezeOp, UnsqueezeOp>(producer))
      break;
    mask = producer->getOperand(0);
    areIntegers = isa<IntegerType>(getElementTypeOrSelf(mask));
    NonZeroOp count = getElementTypeOrSelf(mask).isInteger(1) ? findEarlierCount(mask, op) : NonZeroOp();
    std::optional<Dims> dims = count ? relations.getDims(count.getResult()) : std::nullopt;
    if (dims && dims->back())
      return relations.setElements(op.getResult(), {ElementValue::getInteger(dims->back())});
  }
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
  relateBounds(op, relations, *dims, *reduced);
  if (failed(relateElements(op, relations, *reduced)))
    return failure();
  // What is left is one element, as of the greatest of each row where there is one.
  Expr one = relations.getConstant(1);
  bool isOne = llvm::all_of(llvm::zip_equal(*dims, *reduced), [&](auto entry) {
    auto [dim, isReduced] = entry;
    return isReduced || (dim && relations.isKnownEqual(dim, one));
  });
  if (!isOne)
    return success();
  relateCount(op, relations);
  return relateExtreme(op, relations, *dims);
}

static LogicalResult relateReduceTo(ReduceToOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  std::optional<SmallVector<int64_t>> axes = relations.getConstants(op.getAxes());
  if (!axes)
    return op.getKeepDims() ? relations.setRank(op.getResult(), dims->size()) : success();
  FailureOr<SmallVector<bool>> reduced = SmallVector<bool>(dims->size(), !op.getNoop());
  if (!axes->empty())
    reduced = getAxes(op, *axes, dims->size());
  if (failed(reduced))
    return failure();
  return relations.setDims(op.getResult(), getReduced(relations, *dims, *reduced, op.getKeepDims()));
}

static LogicalResult relateArgReduce(ArgReduceOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  FailureOr<SmallVector<bool>> reduced = getAxes(op, op.getAxis(), dims->size());
  if (failed(reduced) ||
      failed(relations.setDims(op.getResult(), getReduced(relations, *dims, *reduced, op.getKeepDims()))))
    return failure();
  int64_t axis = llvm::find(*reduced, true) - reduced->begin();
  Expr size = (*dims)[axis], zero = relations.getConstant(0), one = relations.getConstant(1);
  if (relations.isKnownLessEqual(one, size)) {
    relations.setBounds(op.getResult(), {zero, size - 1});
    return success();
  }
  // An empty dim has no greatest element; that is fine only where none is asked for.
  std::vector<Predicate> fits = {Predicate::lessEqual(one, size)};
  for (auto [index, dim] : llvm::enumerate(*dims))
    if (static_cast<int64_t>(index) != axis && !relations.isKnownLessEqual(one, dim))
      fits.push_back(Predicate::equal(dim, zero));
  return relations.require(Predicate::disjunction(std::move(fits)), "an empty dim has no greatest or least element");
}

static LogicalResult relateElements(CumSumOp op, ShapeRelations &relations, int64_t axis) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getOperand());
  std::optional<Dims> operands =
      dims ? getSmallIntegers(relations, op.getOperand(), *dims, ReduceKind::Sum) : std::nullopt;
  if (!operands || !reducesWholeNumbers(ReduceKind::Sum, getElementTypeOrSelf(op.getResult()), *operands, relations))
    return success();
  Dims sums;
  forEachPosition(*dims, [&](ArrayRef<int64_t> position) {
    int64_t end = position[axis], first = op.getReverse() ? end : 0, last = op.getReverse() ? (*dims)[axis] - 1 : end;
    if (op.getExclusive())
      (op.getReverse() ? first : last) += op.getReverse() ? 1 : -1;
    SmallVector<int64_t> source(position);
    Expr sum = relations.getConstant(0);
    for (source[axis] = first; source[axis] <= last; ++source[axis])
      sum = sum + (*operands)[*getPlace(*dims, source)];
    sums.push_back(sum);
  });
  return setIntegers(op, sums, relations);
}

static LogicalResult relateCumSum(CumSumOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims) {
    std::optional<int64_t> rank = relations.getRank(op.getResult());
    return rank ? relations.setRank(op.getOperand(), *rank) : success();
  }
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), dims->size());
  if (failed(axis) || failed(relations.setDims(op.getResult(), *dims)))
    return failure();
  // The dims of both are the same, whichever of them is known.
  if (failed(relations.setDims(op.getOperand(), *relations.getDims(op.getResult()))))
    return failure();
  if (op.getProduct())
    return success();
  Bounds bounds = relations.getBounds(op.getOperand());
  Bounds sums = getSumBounds(relations, bounds, (*dims)[*axis], getElementTypeOrSelf(op.getResult()));
  // Equal numbers are counted: the sums rise from one of them to all.
  if (sums.upper && bounds.lower == bounds.upper && !op.getExclusive()) {
    sums.lower = bounds.lower;
    sums.lowerAt = op.getReverse() ? EndPlace::Last : EndPlace::First;
    sums.upperAt = op.getReverse() ? EndPlace::First : EndPlace::Last;
  }
  relations.setBounds(op.getResult(), sums);
  return relateElements(op, relations, *axis);
}

void relations::attachReductionRelations(MLIRContext *context) {
  attach<ReduceOp, relateReduce>(context);
  attach<ReduceToOp, relateReduceTo, 1>(context);
  attach<ArgReduceOp, relateArgReduce>(context);
  attach<CumSumOp, relateCumSum>(context);
}
