//===- Shapes of sequences -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The dims of a sequence are its length, then those that all of its tensors have.
// What is put into one without tensors says them all. The dims of an optional are
// those of what is in it.
//
//===----------------------------------------------------------------------===//

#include "Relations.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;

/// Dims that two tensors both have, null where they may differ; nothing where their ranks do.
static std::optional<Dims> joinDims(ShapeRelations &relations, ArrayRef<Expr> lhs, ArrayRef<Expr> rhs) {
  if (lhs.size() != rhs.size())
    return std::nullopt;
  return llvm::map_to_vector(llvm::zip_equal(lhs, rhs), [&](auto dims) {
    auto [left, right] = dims;
    return left && right && relations.isKnownEqual(left, right) ? left : Expr();
  });
}

static LogicalResult setSequence(ShapeRelations &relations, Value sequence, Expr length, ArrayRef<Expr> elements) {
  Dims dims = {length};
  llvm::append_range(dims, elements);
  return relations.setDims(sequence, dims);
}

static LogicalResult relateMake(SequenceMakeOp op, ShapeRelations &relations) {
  std::optional<Dims> joined;
  for (Value element : op.getElements()) {
    std::optional<Dims> dims = relations.getDims(element);
    joined = joined && dims ? joinDims(relations, *joined, *dims) : dims;
    if (!joined)
      return success();
  }
  return setSequence(relations, op.getResult(), relations.getConstant(static_cast<int64_t>(op.getElements().size())),
                     joined.value_or(Dims()));
}

static LogicalResult relateInsert(SequenceInsertOp op, ShapeRelations &relations) {
  std::optional<Dims> list = relations.getDims(op.getSequence()), tensor = relations.getDims(op.getTensor());
  if (!list || !tensor)
    return success();
  Expr length = list->front();
  bool isFirst = length && length.isConstant(0);
  std::optional<Dims> joined = isFirst ? tensor : joinDims(relations, ArrayRef(*list).drop_front(), *tensor);
  return joined ? setSequence(relations, op.getResult(), length + 1, *joined) : success();
}

static LogicalResult relateErase(SequenceEraseOp op, ShapeRelations &relations) {
  std::optional<Dims> list = relations.getDims(op.getSequence());
  // Of none, none can be taken: the run says so.
  if (!list || (list->front() && list->front().isConstant(0)))
    return success();
  return setSequence(relations, op.getResult(), list->front() - 1, ArrayRef(*list).drop_front());
}

/// How long the part at `position` is of `size` that was cut into parts of `length`, the last of which may be shorter;
/// null where it is not known from which end the position counts. That there is such a part becomes a guard.
static FailureOr<Expr> getPart(Expr position, Expr size, Expr length, ShapeRelations &relations) {
  std::optional<int64_t> constant = position.getConstant();
  bool isFromEnd = constant && *constant < 0;
  // The elements between it and that end.
  Expr behind = (isFromEnd ? -position - 1 : position) * length;
  if (!behind || (!isFromEnd && !relations.isKnownLessEqual(relations.getConstant(0), position)))
    return Expr();
  if (failed(relations.require(Predicate::lessEqual(relations.getConstant(1), length), "length of the parts")) ||
      failed(relations.require(Predicate::less(behind, size), "position in the parts")))
    return failure();
  if (!isFromEnd)
    return symbolic::min({length, size - behind});
  return *constant == -1 ? mod(size - 1, length) + 1 : length;
}

/// What is known of the only dim in which parts of one tensor differ, by their position.
static LogicalResult setDifferingDim(SequenceAtOp op, Dims &dims, ShapeRelations &relations) {
  auto split = op.getSequence().getDefiningOp<SequenceSplitOp>();
  Expr position = split && !split.getSqueeze() ? relations.getScalar(op.getPosition()) : Expr();
  std::optional<Dims> whole = position ? relations.getDims(split.getTensor()) : std::nullopt;
  if (!whole || whole->size() != dims.size() || !split.getSizes())
    return success();
  FailureOr<int64_t> axis = getAxis(op, split.getAxis(), static_cast<int64_t>(dims.size()));
  if (failed(axis) || dims[*axis])
    return success();
  // Where sizes are given one by one, the import takes the sequence apart.
  Expr length = relations.getRank(split.getSizes()) == 0 ? relations.getScalar(split.getSizes()) : Expr();
  if (!length || !(*whole)[*axis] || length.getConstant().value_or(1) < 1)
    return success();
  FailureOr<Expr> part = getPart(position, (*whole)[*axis], length, relations);
  if (failed(part))
    return failure();
  dims[*axis] = *part;
  return success();
}

static LogicalResult relateAt(SequenceAtOp op, ShapeRelations &relations) {
  std::optional<Dims> list = relations.getDims(op.getSequence());
  if (!list || (list->front() && list->front().isConstant(0)))
    return success();
  Dims dims(ArrayRef(*list).drop_front());
  if (failed(setDifferingDim(op, dims, relations)))
    return failure();
  return relations.setDims(op.getResult(), dims);
}

static LogicalResult relateLength(SequenceLengthOp op, ShapeRelations &relations) {
  std::optional<Dims> list = relations.getDims(op.getSequence());
  if (list && list->front())
    relations.setElements(op.getResult(), {ElementValue::getInteger(list->front())});
  return relations.setDims(op.getResult(), {});
}

/// The dims of the tensor whose parts `op` joins again where they were cut; nothing where it does something else.
static std::optional<Dims> findDimsBeforeSplit(SequenceJoinOp op, ShapeRelations &relations) {
  auto split = op.getSequence().getDefiningOp<SequenceSplitOp>();
  std::optional<Dims> dims = split ? relations.getDims(split.getTensor()) : std::nullopt;
  if (!dims || split.getSqueeze() != op.getNewAxis())
    return std::nullopt;
  auto rank = static_cast<int64_t>(dims->size());
  auto normalize = [&](int64_t axis) { return axis < 0 ? axis + rank : axis; };
  return normalize(split.getAxis()) == normalize(op.getAxis()) ? dims : std::nullopt;
}

static LogicalResult relateJoin(SequenceJoinOp op, ShapeRelations &relations) {
  if (std::optional<Dims> dims = findDimsBeforeSplit(op, relations))
    return relations.setDims(op.getResult(), *dims);
  std::optional<Dims> list = relations.getDims(op.getSequence());
  if (!list || (list->front() && list->front().isConstant(0)))
    return success();
  Dims dims(ArrayRef(*list).drop_front());
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), static_cast<int64_t>(dims.size()) + op.getNewAxis());
  if (failed(axis))
    return failure();
  if (op.getNewAxis())
    dims.insert(dims.begin() + *axis, list->front());
  else
    dims[*axis] = dims[*axis] * list->front();
  return relations.setDims(op.getResult(), dims);
}

/// The number of parts and the size of all of them; null where they are not known, or differ.
static std::pair<Expr, Expr> getParts(SequenceSplitOp op, ShapeRelations &relations, Expr size) {
  Value sizes = op.getSizes();
  if (!sizes)
    return {size, relations.getConstant(1)};
  std::optional<Dims> dims = relations.getDims(sizes);
  if (!dims || dims->size() > 1)
    return {};
  if (dims->empty()) {
    Expr part = relations.getScalar(sizes);
    std::optional<int64_t> constant = part ? part.getConstant() : std::nullopt;
    if (!constant || *constant < 1 || !size)
      return {};
    bool isEven = relations.isKnownEqual(mod(size, part), relations.getConstant(0));
    return {ceilDiv(size, *constant), isEven ? part : Expr()};
  }
  std::optional<SmallVector<Expr>> parts = relations.getIntegers(sizes);
  bool isEven = parts && !parts->empty() &&
                llvm::all_of(*parts, [&](Expr part) { return relations.isKnownEqual(part, parts->front()); });
  return {dims->front(), isEven ? parts->front() : Expr()};
}

static LogicalResult relateSplit(SequenceSplitOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getTensor());
  if (!dims)
    return success();
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), static_cast<int64_t>(dims->size()));
  if (failed(axis))
    return failure();
  auto [length, part] = getParts(op, relations, (*dims)[*axis]);
  if (op.getSqueeze())
    dims->erase(dims->begin() + *axis);
  else
    (*dims)[*axis] = part;
  return setSequence(relations, op.getResult(), length, *dims);
}

static LogicalResult relateSome(OptionalSomeOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getValue());
  return dims ? relations.setDims(op.getResult(), *dims) : success();
}

static LogicalResult relateGet(OptionalGetOp op, ShapeRelations &relations) {
  std::optional<Dims> dims = relations.getDims(op.getOptional());
  return dims ? relations.setDims(op.getResult(), *dims) : success();
}

void relations::attachSequenceRelations(MLIRContext *context) {
  attach<OptionalGetOp, relateGet>(context);
  attach<OptionalSomeOp, relateSome>(context);
  attach<SequenceAtOp, relateAt>(context);
  attach<SequenceEraseOp, relateErase>(context);
  attach<SequenceInsertOp, relateInsert>(context);
  attach<SequenceJoinOp, relateJoin>(context);
  attach<SequenceLengthOp, relateLength>(context);
  attach<SequenceMakeOp, relateMake>(context);
  attach<SequenceSplitOp, relateSplit, 1>(context);
}
