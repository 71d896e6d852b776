//===- Relations of ops that insert, remove or join whole dims --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// Of dims that may be 1, those without which the others are as declared; nothing unless there is one such choice.
static std::optional<SmallVector<bool>> findMeant(ArrayRef<Expr> dims, ArrayRef<bool> areOne, ArrayRef<bool> mayBeOne,
                                                  ArrayRef<Expr> declared, ShapeRelations &relations) {
  // A name that no dim here has is one for whatever size there is.
  auto agrees = [&](Expr dim, Expr name) {
    auto hasName = [&](Expr other) { return llvm::is_contained(other.getSymbols(), name); };
    return !name || relations.isKnownEqual(dim, name) || (name.isSymbol() && llvm::none_of(dims, hasName));
  };
  auto mayKeep = [&](size_t dim, size_t place) {
    return !areOne[dim] && place < declared.size() && agrees(dims[dim], declared[place]);
  };
  // How many choices there are for the dims from `dim` on to become those declared from `place` on; 2 for more.
  size_t width = declared.size() + 2;
  SmallVector<unsigned> choices((dims.size() + 1) * width, 0);
  auto getChoices = [&](size_t dim, size_t place) -> unsigned & { return choices[dim * width + place]; };
  getChoices(dims.size(), declared.size()) = 1;
  for (size_t dim = dims.size(); dim-- > 0;)
    for (size_t place = 0; place <= declared.size(); ++place)
      getChoices(dim, place) = std::min(2u, (mayBeOne[dim] ? getChoices(dim + 1, place) : 0) +
                                                (mayKeep(dim, place) ? getChoices(dim + 1, place + 1) : 0));
  if (getChoices(0, 0) != 1)
    return std::nullopt;
  SmallVector<bool> removed;
  size_t place = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    removed.push_back(mayBeOne[dim] && getChoices(dim + 1, place) == 1);
    place += !removed.back();
  }
  return removed;
}

/// The dims of the operand that a squeeze removes; nothing while that is open.
static FailureOr<std::optional<SmallVector<bool>>> getSqueezed(SqueezeOp op, ShapeRelations &relations,
                                                               ArrayRef<Expr> dims) {
  using Result = FailureOr<std::optional<SmallVector<bool>>>;
  if (op.getAxes()) {
    FailureOr<SmallVector<bool>> removed = getAxes(op, *op.getAxes(), dims.size());
    return failed(removed) ? Result(failure()) : Result(std::move(*removed));
  }
  Expr one = relations.getConstant(1);
  Solver &solver = relations.getSolver();
  size_t ones = 0, candidates = 0;
  SmallVector<bool> areOne, mayBeOne;
  for (Expr dim : dims) {
    Verdict isOne = dim ? solver.isEqual(dim, one) : Verdict::Unknown;
    ones += isOne == Verdict::Yes;
    candidates += isOne != Verdict::No;
    areOne.push_back(isOne == Verdict::Yes);
    mayBeOne.push_back(isOne != Verdict::No);
  }
  if (ones == candidates)
    return Result(std::move(areOne));
  // A known rank of the result may settle it.
  std::optional<int64_t> rank = relations.getRank(op.getResult());
  size_t removed = rank ? dims.size() - *rank : dims.size() + 1;
  if (removed == ones)
    return Result(std::move(areOne));
  if (removed == candidates)
    return Result(std::move(mayBeOne));
  if (!(rank || relations.maySettle()) || !llvm::all_of(dims, [](Expr dim) { return bool(dim); }))
    return Result(std::nullopt);
  // A dim that has a name is meant to vary, unless the result is declared without it; at size 1 the rank would be
  // another.
  std::optional<Dims> declared = relations.getDeclaredDims(op.getResult());
  std::optional<SmallVector<bool>> meant =
      declared ? findMeant(dims, areOne, mayBeOne, *declared, relations) : std::nullopt;
  SmallVector<bool> squeezed = meant.value_or(areOne);
  if (rank && llvm::count(squeezed, false) != *rank)
    return Result(std::nullopt);
  for (auto [dim, isRemoved] : llvm::zip_equal(dims, squeezed))
    if (!isRemoved && failed(relations.require(Predicate::notEqual(dim, one), "a dim of 1 would change the rank")))
      return Result(failure());
  return Result(std::move(squeezed));
}

static LogicalResult relateSqueeze(SqueezeOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims) {
    std::optional<int64_t> rank = relations.getRank(op.getResult());
    return rank && op.getAxes() ? relations.setRank(op.getOperand(), *rank + op.getAxes()->size()) : success();
  }
  FailureOr<std::optional<SmallVector<bool>>> squeezed = getSqueezed(op, relations, *dims);
  if (failed(squeezed))
    return failure();
  if (!*squeezed)
    return success();
  Dims result;
  for (auto [dim, isRemoved] : llvm::zip_equal(*dims, **squeezed)) {
    if (!isRemoved)
      result.push_back(dim);
    else if (failed(relations.requireEqual(dim, relations.getConstant(1), "")))
      return failure();
  }
  if (failed(relations.setDims(op.getResult(), result)))
    return failure();
  passValues(relations, op.getOperand(), op.getResult());
  return success();
}

static LogicalResult relateUnsqueeze(UnsqueezeOp op, ShapeRelations &relations) {
  int64_t count = op.getAxes().size();
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims) {
    std::optional<int64_t> rank = relations.getRank(op.getResult());
    if (!rank)
      return success();
    if (*rank < count)
      return op.emitOpError() << "inserts " << count << " dims into a result of rank " << *rank;
    return relations.setRank(op.getOperand(), *rank - count);
  }
  FailureOr<SmallVector<bool>> inserted = getAxes(op, op.getAxes(), dims->size() + count);
  if (failed(inserted))
    return failure();
  Dims result;
  const Expr *next = dims->begin();
  for (bool isNew : *inserted)
    result.push_back(isNew ? relations.getConstant(1) : *next++);
  if (failed(relations.setDims(op.getResult(), result)))
    return failure();
  passValues(relations, op.getOperand(), op.getResult());
  return success();
}

static LogicalResult relateFlatten(FlattenOp op, ShapeRelations &relations) {
  if (failed(relations.setRank(op.getResult(), 2)))
    return failure();
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  int64_t rank = dims->size(), axis = op.getAxis();
  // Unlike an axis that names a dim, it may be the rank.
  if (axis < -rank || axis > rank)
    return op.emitOpError() << "axis " << axis << " is out of range for rank " << rank;
  axis += axis < 0 ? rank : 0;
  ArrayRef<Expr> all(*dims);
  if (failed(relations.setDims(op.getResult(), {relations.getNumElements(all.take_front(axis)),
                                                relations.getNumElements(all.drop_front(axis))})))
    return failure();
  passValues(relations, op.getOperand(), op.getResult());
  return success();
}

void relations::attachUnitDimRelations(MLIRContext *context) {
  attach<FlattenOp, relateFlatten>(context);
  attach<SqueezeOp, relateSqueeze>(context);
  attach<UnsqueezeOp, relateUnsqueeze>(context);
}
