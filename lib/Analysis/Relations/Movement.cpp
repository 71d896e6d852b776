//===- Relations of order, parts and wholes, and repetition ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "MovedValues.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Order, parts and wholes
//===----------------------------------------------------------------------===//

static LogicalResult relateTranspose(TransposeOp op, ShapeRelations &relations) {
  Value operand = op.getOperand(), result = op.getResult();
  if (failed(relateRanks(relations, operand, result)))
    return failure();
  std::optional<Dims> from = relations.getDims(operand), to = relations.getDims(result);
  if (!from)
    return success();
  int64_t rank = from->size();
  SmallVector<int64_t> perm =
      op.getPerm() ? SmallVector<int64_t>(*op.getPerm()) : llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (static_cast<int64_t>(perm.size()) != rank)
    return op.emitOpError() << "'perm' has " << perm.size() << " entries for rank " << rank;
  Dims forwards(rank), backwards(rank);
  for (int64_t i = 0; i < rank; ++i) {
    forwards[i] = (*from)[perm[i]];
    backwards[perm[i]] = (*to)[i];
  }
  if (failed(relations.setDims(result, forwards)) || failed(relations.setDims(operand, backwards)))
    return failure();
  passBounds(relations, operand, result);
  moveElements(relations, operand, result, [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(rank);
    for (int64_t i = 0; i < rank; ++i)
      source[perm[i]] = position[i];
    return source;
  });
  return success();
}

/// Values that agree in all dims but `axis`.
static LogicalResult requireEqualBut(ShapeRelations &relations, ArrayRef<Value> values, int64_t rank, int64_t axis,
                                     const Twine &because) {
  Dims common(rank);
  auto findRanked = [&](Value value) {
    const Dims *dims = relations.findDims(value);
    return dims && static_cast<int64_t>(dims->size()) == rank ? dims : nullptr;
  };
  for (Value value : values)
    if (const Dims *dims = findRanked(value))
      for (int64_t i = 0; i < rank; ++i) {
        if (i == axis)
          continue;
        if (!common[i])
          common[i] = (*dims)[i];
        else if (failed(relations.requireEqual((*dims)[i], common[i], because)))
          return failure();
      }
  // Known ones are equal now; this fills in others, and states the rank.
  for (Value value : values) {
    const Dims *dims = findRanked(value);
    Dims missing = common;
    for (int64_t i = 0; dims && i < rank; ++i)
      if ((*dims)[i])
        missing[i] = Expr();
    bool isComplete = dims && llvm::none_of(missing, [](Expr dim) { return bool(dim); });
    if (!isComplete && failed(relations.setDims(value, missing)))
      return failure();
  }
  return success();
}

/// The rank of the first value that has a known one.
static std::optional<int64_t> getCommonRank(ShapeRelations &relations, ArrayRef<Value> values) {
  for (Value value : values)
    if (std::optional<int64_t> rank = relations.getRank(value))
      return rank;
  return std::nullopt;
}

/// Joins what bounds the operands that may have elements.
static void setConcatBounds(ConcatOp op, ShapeRelations &relations, int64_t axis) {
  std::optional<Bounds> bounds;
  SmallVector<Bounds> whole; ///< of operands that have elements wherever the result does
  for (Value operand : op.getOperands()) {
    const Dims *dims = relations.findDims(operand);
    Expr size = dims && static_cast<size_t>(axis) < dims->size() ? (*dims)[axis] : Expr();
    if (size && size.isConstant(0))
      continue;
    Bounds own = relations.getBounds(operand);
    bounds = bounds ? join(relations, *bounds, own) : own.getOfPart();
    if (size && relations.isKnownLessEqual(relations.getConstant(1), size))
      whole.push_back(own);
  }
  if (!bounds)
    return;
  for (const Bounds &own : whole) {
    if (own.lower == bounds->lower && own.lowerAt != EndPlace::Unknown)
      bounds->lowerAt = EndPlace::Somewhere;
    if (own.upper == bounds->upper && own.upperAt != EndPlace::Unknown)
      bounds->upperAt = EndPlace::Somewhere;
  }
  relations.setBounds(op.getResult(), *bounds);
}

static void setConcatElements(ConcatOp op, ShapeRelations &relations, int64_t axis) {
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(op.getResult());
  if (!dims)
    return;
  ElementValues elements(llvm::product_of(*dims));
  int64_t offset = 0, first = 0;
  for (Value operand : op.getOperands()) {
    std::optional<SmallVector<int64_t>> part = relations.getSmallDims(operand);
    if (!part)
      return;
    const ElementValues *known = relations.findElements(operand);
    int64_t count = llvm::product_of(*part);
    bool isKnown = known && count == static_cast<int64_t>(known->size());
    if (isKnown && axis == 0 && first + count <= static_cast<int64_t>(elements.size())) {
      llvm::copy(*known, elements.begin() + first); // One behind the other.
    } else if (isKnown) {
      size_t next = 0;
      forEachPosition(*part, [&](ArrayRef<int64_t> position) {
        SmallVector<int64_t> target(position);
        target[axis] += offset;
        if (std::optional<int64_t> place = getPlace(*dims, target))
          elements[*place] = (*known)[next];
        ++next;
      });
    }
    offset += (*part)[axis];
    first += count;
  }
  relations.setElements(op.getResult(), std::move(elements));
}

static LogicalResult relateConcat(ConcatOp op, ShapeRelations &relations) {
  SmallVector<Value> values = llvm::to_vector(op.getOperands());
  values.push_back(op.getResult());
  std::optional<int64_t> rank = getCommonRank(relations, values);
  if (!rank)
    return success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), *rank);
  if (failed(axis) || failed(requireEqualBut(relations, values, *rank, *axis, "dims")))
    return failure();
  Expr sum = relations.getConstant(0);
  for (Value operand : op.getOperands()) {
    // Where ops learn from their operands only, one may still have no dims, or others than the rest.
    const Dims *part = relations.findDims(operand);
    bool isKnown = sum && part && static_cast<int64_t>(part->size()) == *rank;
    sum = isKnown ? sum + (*part)[*axis] : Expr();
  }
  Dims dims(*rank);
  dims[*axis] = sum;
  if (failed(relations.setDims(op.getResult(), dims)))
    return failure();
  setConcatBounds(op, relations, *axis);
  setConcatElements(op, relations, *axis);
  return success();
}

/// The sizes of the parts; null where they are not known.
static FailureOr<Dims> getPartSizes(SplitOp op, ShapeRelations &relations, Expr size) {
  int64_t count = op.getParts().size();
  if (op.getSizes()) {
    if (failed(relations.setDims(op.getSizes(), {relations.getConstant(count)})))
      return failure();
    Dims sizes = getListOf(relations, op.getSizes(), count).value_or(Dims(count));
    Expr sum = relations.getConstant(0);
    for (Expr part : sizes) {
      if (failed(requireSize(relations, part, "a size from data")))
        return failure();
      sum = sum + part;
    }
    if (failed(relations.requireEqual(sum, size, "sizes")))
      return failure();
    return sizes;
  }
  Dims sizes(count);
  if (!size)
    return sizes;
  Expr part = ceilDiv(size, count), zero = relations.getConstant(0);
  for (auto [index, own] : llvm::enumerate(sizes)) {
    // The last parts may be smaller, or empty.
    Expr left = size - part * static_cast<int64_t>(index);
    own = relations.isKnownLessEqual(part, left) ? part : max({min({part, left}), zero});
    if (own)
      own = relations.getSolver().simplify(own);
  }
  return sizes;
}

static LogicalResult relateSplit(SplitOp op, ShapeRelations &relations) {
  SmallVector<Value> values{op.getOperand()};
  llvm::append_range(values, op.getParts());
  std::optional<int64_t> rank = getCommonRank(relations, values);
  if (!rank)
    return success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), *rank);
  if (failed(axis) || failed(requireEqualBut(relations, values, *rank, *axis, "dims")))
    return failure();
  const Dims *whole = relations.findDims(op.getOperand());
  bool isKnown = whole && static_cast<int64_t>(whole->size()) == *rank;
  FailureOr<Dims> sizes = getPartSizes(op, relations, isKnown ? (*whole)[*axis] : Expr());
  if (failed(sizes))
    return failure();
  std::optional<int64_t> offset = 0;
  for (auto [part, size] : llvm::zip_equal(op.getParts(), *sizes)) {
    Dims dims(*rank);
    dims[*axis] = size;
    if (failed(relations.setDims(part, dims)))
      return failure();
    passBoundsOfPart(relations, op.getOperand(), part);
    if (offset)
      moveElements(relations, op.getOperand(), part, [&](ArrayRef<int64_t> position) {
        SmallVector<int64_t> source(position);
        source[*axis] += *offset;
        return source;
      });
    std::optional<int64_t> constant = size ? size.getConstant() : std::nullopt;
    offset = offset && constant ? std::optional<int64_t>(*offset + *constant) : std::nullopt;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

/// Every element of the result is the operand's at its position modulo the operand's dims, aligned at the last.
static void repeatValues(ShapeRelations &relations, Value operand, Value result) {
  passBounds(relations, operand, result);
  std::optional<SmallVector<int64_t>> dims = relations.getSmallDims(operand);
  std::optional<int64_t> rank = relations.getRank(result);
  if (!dims || !rank || static_cast<int64_t>(dims->size()) > *rank || llvm::is_contained(*dims, 0))
    return;
  moveElements(relations, operand, result, [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position.take_back(dims->size()));
    for (auto [index, size] : llvm::zip_equal(source, *dims))
      index %= size;
    return source;
  });
}

static LogicalResult relateTile(TileOp op, ShapeRelations &relations) {
  if (failed(relateRanks(relations, op.getOperand(), op.getResult())))
    return failure();
  repeatValues(relations, op.getOperand(), op.getResult());
  return success();
}

static LogicalResult relateTileTo(TileToOp op, ShapeRelations &relations) {
  if (failed(relateRanks(relations, op.getOperand(), op.getResult())) ||
      failed(relateLength(relations, op.getRepeats(), op.getOperand())))
    return failure();
  std::optional<Dims> dims = relations.getDims(op.getOperand());
  if (!dims)
    return success();
  if (std::optional<Dims> repeats = getListOf(relations, op.getRepeats(), dims->size())) {
    for (auto [dim, count] : llvm::zip_equal(*dims, *repeats)) {
      if (failed(requireSize(relations, count, "a number of repetitions from data")))
        return failure();
      dim = dim * count;
    }
    if (failed(relations.setDims(op.getResult(), *dims)))
      return failure();
  }
  repeatValues(relations, op.getOperand(), op.getResult());
  return success();
}

/// States that each dim of an operand is 1 or that of the target; nothing where a rank is not known.
static LogicalResult requireBroadcastable(Operation *op, std::optional<Dims> from, std::optional<Dims> to,
                                          ShapeRelations &relations) {
  if (!from || !to)
    return success();
  if (from->size() > to->size())
    return op->emitOpError() << "operand has rank " << from->size() << ", the result " << to->size();
  for (auto [dim, target] : llvm::zip_equal(*from, ArrayRef<Expr>(*to).take_back(from->size()))) {
    if (!dim || !target || dim == target || dim.isConstant(1))
      continue;
    Predicate fits = Predicate::equal(target, dim);
    if (!dim.getConstant())
      fits = Predicate::disjunction({fits, Predicate::equal(dim, relations.getConstant(1))});
    if (failed(relations.require(fits, "")))
      return failure();
  }
  return success();
}

static LogicalResult relateBroadcast(BroadcastOp op, ShapeRelations &relations) {
  std::optional<Dims> from = relations.getDims(op.getOperand()), to = relations.getDims(op.getResult());
  if (failed(requireBroadcastable(op, from, to, relations)))
    return failure();
  if (from && to)
    repeatValues(relations, op.getOperand(), op.getResult());
  return success();
}

static LogicalResult relateExpandLike(ExpandLikeOp op, ShapeRelations &relations) {
  std::optional<Dims> from = relations.getDims(op.getOperand()), to = relations.getDims(op.getLike());
  if (failed(requireBroadcastable(op, from, to, relations)))
    return failure();
  if (!from || !to)
    return success();
  if (failed(relations.setDims(op.getResult(), *to)))
    return failure();
  repeatValues(relations, op.getOperand(), op.getResult());
  return success();
}

static LogicalResult relateExpandTo(ExpandToOp op, ShapeRelations &relations) {
  std::optional<Dims> from = relations.getDims(op.getOperand());
  std::optional<int64_t> length = getLength(relations, op.getShape());
  if (!from || !length)
    return success();
  if (*length > kMostDims)
    return op.emitOpError() << "can't make a tensor of " << *length << " dims";
  Dims sizes = getListOf(relations, op.getShape(), *length).value_or(Dims(*length));
  for (Expr size : sizes)
    if (failed(requireSize(relations, size, "a size from data")))
      return failure();
  FailureOr<Dims> dims = relations.broadcast(*from, sizes, "");
  if (failed(dims) || failed(relations.setDims(op.getResult(), *dims)))
    return failure();
  repeatValues(relations, op.getOperand(), op.getResult());
  return success();
}

static LogicalResult relateAssumeShape(AssumeShapeOp op, ShapeRelations &relations) {
  Value operand = op.getOperand(), result = op.getResult();
  StringRef because = op.getBecause().value_or("assumed shape");
  std::optional<Dims> from = relations.getDims(operand), to = relations.getDims(result);
  if (from && to && from->size() == to->size())
    for (auto [dim, assumed] : llvm::zip_equal(*from, *to))
      if (failed(relations.requireEqual(dim, assumed, because, ReasonPlace::Alone)))
        return failure();
  if ((from && failed(relations.setDims(result, *from))) || (to && failed(relations.setDims(operand, *to))))
    return failure();
  passValues(relations, operand, result);
  return success();
}

void relations::attachMovementRelations(MLIRContext *context) {
  attach<AssumeShapeOp, relateAssumeShape>(context);
  attach<BroadcastOp, relateBroadcast>(context);
  attach<ConcatOp, relateConcat>(context);
  attach<ExpandToOp, relateExpandTo, 1>(context);
  attach<ExpandLikeOp, relateExpandLike>(context);
  attach<SplitOp, relateSplit, 1>(context);
  attach<TileOp, relateTile>(context);
  attach<TileToOp, relateTileTo, 1>(context);
  attach<TransposeOp, relateTranspose>(context);
}
