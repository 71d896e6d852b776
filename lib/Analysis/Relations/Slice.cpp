//===- Relations of slices -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"
#include "dyn/Analysis/SliceBounds.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// States what is known of the elements at offsets[d] + i * steps[d].
static void moveSlice(ShapeRelations &relations, Value operand, Value result, ArrayRef<Expr> offsets,
                      ArrayRef<int64_t> steps) {
  passBoundsOfPart(relations, operand, result);
  std::optional<SmallVector<int64_t>> first = getConstants(offsets);
  if (!first)
    return;
  moveElements(relations, operand, result, [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position);
    for (auto [index, from, step] : llvm::zip_equal(source, *first, steps))
      index = from + index * step;
    return source;
  });
}

static LogicalResult relateSlice(SliceOp op, ShapeRelations &relations) {
  if (failed(relations.setRank(op.getOperand(), op.getSteps().size())))
    return failure();
  moveSlice(relations, op.getOperand(), op.getResult(), op.getOffsets().getExprs(relations.getContext()),
            op.getSteps());
  return success();
}

namespace {

/// The bounds of a slice_to by axis.
struct SliceList {
  Dims starts, ends;
  SmallVector<int64_t> axes, steps;
};

} // namespace

/// How many dims are sliced; nothing while it is not known.
static std::optional<int64_t> getNumBounds(SliceToOp op, ShapeRelations &relations) {
  for (Value list : {op.getStarts(), op.getEnds(), op.getAxes(), op.getSteps()})
    if (std::optional<int64_t> length = list ? getLength(relations, list) : std::nullopt)
      return length;
  return std::nullopt;
}

/// Nothing while they are not known constants.
static std::optional<SmallVector<int64_t>> getSlicedAxes(SliceToOp op, ShapeRelations &relations) {
  if (op.getAxes())
    return relations.getConstants(op.getAxes());
  std::optional<int64_t> count = getNumBounds(op, relations);
  return count ? std::optional(llvm::to_vector(llvm::seq<int64_t>(0, *count))) : std::nullopt;
}

/// Nothing while axes or steps are not known constants.
static std::optional<SliceList> getBounds(SliceToOp op, ShapeRelations &relations) {
  std::optional<int64_t> count = getNumBounds(op, relations);
  if (!count)
    return std::nullopt;
  SliceList list;
  std::optional<Dims> starts = getListOf(relations, op.getStarts(), *count),
                      ends = getListOf(relations, op.getEnds(), *count);
  std::optional<SmallVector<int64_t>> axes = getSlicedAxes(op, relations), steps = SmallVector<int64_t>(*count, 1);
  if (op.getSteps())
    steps = relations.getConstants(op.getSteps());
  if (!starts || !ends || !axes || !steps || static_cast<int64_t>(axes->size()) != *count ||
      static_cast<int64_t>(steps->size()) != *count)
    return std::nullopt;
  return SliceList{std::move(*starts), std::move(*ends), std::move(*axes), std::move(*steps)};
}

/// May a bound be one that stands for an end? Chosen by sizes, `c == 0 ? INT_MAX : -c`, it may: tf2onnx crops so what
/// it has padded. Integers of 32 bits reach these values, too, and mean them.
static bool mayBeEnd(Expr bound, Solver &solver) {
  if (!bound || bound.getConstant())
    return isEndOf32Bits(bound);
  auto reachesEnd = [&](Expr expr) {
    Range range = solver.getRange(expr);
    return range.upper == INT32_MAX || range.lower == INT32_MIN;
  };
  return reachesEnd(bound) && llvm::none_of(bound.getSymbols(), reachesEnd);
}

/// What PaddlePaddle's exporter writes for the end of an axis. A run with a longer one is refused rather than cut.
static constexpr int64_t kEndOfPaddle = 999999;

/// A dim that may be longer is required to end before the bounds that stand for its ends, unless a symbol of it is
/// declared to have an upper bound beyond 32 bits.
static LogicalResult requireEnds(ShapeRelations &relations, Expr dim, Expr start, Expr stop, int64_t step) {
  if (!dim || dim.getConstant() || !relations.areKnownAtEntry(dim))
    return success();
  Solver &solver = relations.getSolver();
  auto getUpper = [&](Expr expr) { return solver.getRange(expr).upper.value_or(INT64_MAX); };
  if (step > 0 && stop && stop.isConstant(kEndOfPaddle))
    return getUpper(dim) <= kEndOfPaddle
               ? success()
               : relations.require(Predicate::lessEqual(dim, relations.getConstant(kEndOfPaddle)),
                                   "a bound of 999999 that stands for the end");
  if (!mayBeEnd(start, solver) && !mayBeEnd(stop, solver))
    return success();
  auto isDeclaredBeyond = [&](Expr symbol) { return getUpper(symbol) > INT32_MAX && getUpper(symbol) != INT64_MAX; };
  if (getUpper(dim) <= INT32_MAX || llvm::any_of(dim.getSymbols(), isDeclaredBeyond))
    return success();
  return relations.require(Predicate::lessEqual(dim, relations.getConstant(INT32_MAX)),
                           "a bound of 32 bits that stands for the end");
}

static LogicalResult relateSliceTo(SliceToOp op, ShapeRelations &relations) {
  Value operand = op.getOperand(), result = op.getResult();
  if (!relations.getDims(operand)) {
    std::optional<int64_t> rank = relations.getRank(result);
    return rank ? relations.setRank(operand, *rank) : success();
  }
  Dims dims = *relations.getDims(operand);
  int64_t rank = dims.size();
  passBoundsOfPart(relations, operand, result);
  std::optional<SliceList> list = getBounds(op, relations);
  std::optional<SmallVector<int64_t>> axes = getSlicedAxes(op, relations);
  if (!axes)
    return relations.setRank(result, rank);
  FailureOr<SmallVector<bool>> sliced = getAxes(op, *axes, rank);
  if (failed(sliced))
    return failure();
  if (!list) {
    // Other dims stay, whatever the bounds and the steps are.
    for (auto [dim, isSliced] : llvm::zip_equal(dims, *sliced))
      dim = isSliced ? Expr() : dim;
    return relations.setDims(result, dims);
  }

  Dims offsets(rank, relations.getConstant(0));
  SmallVector<int64_t> steps(rank, 1);
  for (auto [start, end, axis, step] : llvm::zip_equal(list->starts, list->ends, list->axes, list->steps)) {
    if (step == 0)
      return op.emitOpError() << "has the step 0 along axis " << axis;
    int64_t dim = axis < 0 ? axis + rank : axis;
    if (failed(requireEnds(relations, dims[dim], start, end, step)))
      return failure();
    std::optional<SliceBounds> bounds = getSliceBounds(dims[dim], start, end, step, relations.getSolver());
    steps[dim] = step;
    offsets[dim] = bounds ? bounds->offset : Expr();
    if (Expr wanted = step == 1 && bounds ? end - start : Expr(); wanted && wanted != bounds->size)
      relations.noteLimit(bounds->size, wanted, describeDim(operand, dim));
    dims[dim] = bounds ? bounds->size : Expr();
  }
  if (failed(relations.setDims(result, dims)))
    return failure();
  moveSlice(relations, operand, result, offsets, steps);
  return success();
}

void relations::attachSliceRelations(MLIRContext *context) {
  attach<SliceOp, relateSlice>(context);
  attach<SliceToOp, relateSliceTo, 1, 2, 3, 4>(context);
}
