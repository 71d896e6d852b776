//===- Reference evaluation of ops that only change dims ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// The operand under dims that must hold as many elements.
static Result reshape(Operation *op, const ReferenceTensor &operand, ArrayRef<int64_t> dims) {
  if (dyn::getNumElements(dims) == operand.getNumElements())
    return operand.withDims(dims);
  InFlightDiagnostic error = emitError(op) << "cannot give the dims " << print(dims) << " to " << describeOperand(op, 0)
                                           << " of dims " << print(operand.getDims());
  if (std::optional<GuardReason> because = GuardReason::get(op); because && because->str() != because->operatorName)
    error << " (" << because->str() << ")";
  return error;
}

static Result evaluateReshape(ReshapeOp op, Operands operands, const ReferenceScope &scope) {
  FailureOr<Dims> dims = getResultDims(op, scope);
  return failed(dims) ? Result(failure()) : reshape(op, operands[0], *dims);
}

/// Does an element of a shape, or any where `place` is nothing, come from an input of the model? Where such a 0 copies
/// a dim of size 0, ONNX leaves nothing for a -1; one that the model has itself is meant so, and compiled programs know
/// it.
static bool isGiven(Value shape, std::optional<int64_t> place, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(shape)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && function.getArgAttr(argument.getArgNumber(), DynDialect::kNameAttrName);
  }
  Operation *op = shape.getDefiningOp();
  if (isa<ShapeOfOp>(op))
    return false;
  if (isa<CastOp>(op))
    return isGiven(op->getOperand(0), place, seen);
  if (isa<ConcatOp>(op) && place)
    for (Value part : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(part.getType());
      if (!type || !type.hasStaticShape())
        break;
      if (*place < type.getNumElements())
        return isGiven(part, place, seen);
      *place -= type.getNumElements();
    }
  return seen.insert(op).second &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return isGiven(operand, std::nullopt, seen); });
}

/// The dims that were inferred, where they are of what the shape asks for and of no elements: which of them a -1 stands
/// for, and which 0 is a size, the shape alone does not tell then.
static std::optional<Dims> findInferredDims(ReshapeToOp op, ArrayRef<int64_t> shape, const ReferenceScope &scope) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  DimsAttr encoding = type ? DimsAttr::of(type) : DimsAttr();
  if (!type || type.getRank() != static_cast<int64_t>(shape.size()))
    return std::nullopt;
  Dims dims;
  for (auto [index, asked] : llvm::enumerate(shape)) {
    std::optional<int64_t> dim = !type.isDynamicDim(index) ? type.getDimSize(index)
                                 : encoding                ? scope.evaluate(encoding.getDims()[index])
                                                           : std::nullopt;
    if (!dim || *dim < 0 || (asked > 0 && asked != *dim))
      return std::nullopt;
    dims.push_back(*dim);
  }
  return llvm::is_contained(dims, 0) ? std::optional(std::move(dims)) : std::nullopt;
}

static Result evaluateReshapeTo(ReshapeToOp op, Operands operands, const ReferenceScope &scope) {
  ArrayRef<int64_t> from = operands[0].getDims();
  SmallVector<int64_t> shape = operands[1].getIntegers();
  Dims dims = shape;
  if (operands[0].getNumElements() == 0)
    if (std::optional<Dims> inferred = findInferredDims(op, shape, scope))
      return operands[0].withDims(*inferred);
  // Sizes that were computed, one of which is 0 by chance: as many elements as the operand has, where dims that are
  // copied would be too many.
  auto isCopy = [&](size_t index) { return index < from.size() && shape[index] == 0; };
  auto isSize = [](int64_t dim) { return dim >= 0; };
  if (!op.getAllowZero() && operands[0].getNumElements() == 0 && llvm::is_contained(shape, 0) &&
      llvm::all_of(shape, isSize)) {
    for (auto [index, dim] : llvm::enumerate(dims))
      dim = isCopy(index) ? from[index] : dim;
    bool isTaken = shape.size() <= from.size() || !llvm::is_contained(ArrayRef(shape).drop_front(from.size()), 0);
    return operands[0].withDims(isTaken && dyn::getNumElements(dims) == 0 ? dims : Dims(shape));
  }
  int64_t wildcard = -1;
  // Copied dims cancel out of what the wildcard stands for, so that they may be 0.
  int64_t rest = 1, given = 1;
  bool overflown = false;
  SmallVector<bool> copied(from.size(), false);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim == 0 && !op.getAllowZero()) {
      if (index >= from.size())
        return emitError(op) << "dim " << index << " of the shape " << print(shape)
                             << " copies one that the operand of dims " << print(from) << " does not have";
      dim = from[index];
      copied[index] = true;
    } else if (dim == 0 && index < from.size() && from[index] == 0) {
      // `allow_zero` says that the 0 is a size; exporters write it for one that keeps its place, beside a -1.
      copied[index] = true;
    } else if (dim == -1) {
      if (wildcard >= 0)
        return emitError(op) << "the shape " << print(shape) << " has two -1";
      wildcard = index;
    } else if (dim < 0) {
      return emitError(op) << "the shape " << print(shape) << " has a negative dim";
    } else {
      overflown |= llvm::MulOverflow(given, dim, given);
    }
  }
  if (wildcard >= 0) {
    // Of what has no elements, the other dims may be as large as they like.
    auto isZero = [&](size_t index) { return from[index] == 0 && !copied[index]; };
    if (llvm::any_of(llvm::seq(from.size()), isZero))
      rest = 0;
    for (auto [index, dim] : llvm::enumerate(from))
      if (!copied[index] && rest != 0)
        overflown |= llvm::MulOverflow(rest, dim, rest);
    auto isRefused = [&](size_t index) {
      llvm::SmallPtrSet<Operation *, 8> seen;
      return from[index] == 0 && copied[index] && isGiven(op.getShape(), index, seen);
    };
    if (overflown || given == 0 || rest % given != 0 || llvm::any_of(llvm::seq(from.size()), isRefused))
      return emitError(op) << "no dim can stand for the -1 of the shape " << print(shape) << " with "
                           << describeOperand(op, 0) << " of dims " << print(from);
    dims[wildcard] = rest / given;
  }
  return reshape(op, operands[0], dims);
}

static Result evaluateSqueeze(SqueezeOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> from = operands[0].getDims();
  SmallVector<bool> removed = llvm::map_to_vector(from, [](int64_t dim) { return dim == 1; });
  if (op.getAxes()) {
    FailureOr<SmallVector<bool>> named = getAxes(op, *op.getAxes(), from.size());
    if (failed(named))
      return failure();
    removed = *named;
  }
  Dims dims;
  for (auto [index, dim] : llvm::enumerate(from)) {
    if (!removed[index])
      dims.push_back(dim);
    else if (dim != 1)
      return emitError(op) << "removes dim " << index << " of an operand of dims " << print(from) << ", which is not 1";
  }
  return operands[0].withDims(dims);
}

static Result evaluateUnsqueeze(UnsqueezeOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> from = operands[0].getDims();
  FailureOr<SmallVector<bool>> inserted = getAxes(op, op.getAxes(), from.size() + op.getAxes().size());
  if (failed(inserted))
    return failure();
  Dims dims;
  for (bool isNew : *inserted) {
    dims.push_back(isNew ? 1 : from.front());
    from = from.drop_front(!isNew);
  }
  return operands[0].withDims(dims);
}

static Result evaluateFlatten(FlattenOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> from = operands[0].getDims();
  int64_t rank = from.size(), axis = op.getAxis();
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis > rank)
    return emitError(op) << "axis " << int64_t(op.getAxis()) << " is out of range for rank " << rank;
  std::optional<int64_t> before = dyn::getNumElements(from.take_front(axis)),
                         behind = dyn::getNumElements(from.drop_front(axis));
  if (!before || !behind)
    return emitError(op) << "an operand of dims " << print(from) << " has too many elements";
  return operands[0].withDims({*before, *behind});
}

static Result evaluateShapeOf(ShapeOfOp op, Operands operands, const ReferenceScope &) {
  return makeIntegers(op, operands[0].getDims(), {operands[0].getRank()}, getResultElementType(op));
}

void reference::attachReshapeModels(MLIRContext *context) {
  attach<ReshapeOp, evaluateReshape>(context);
  attach<ReshapeToOp, evaluateReshapeTo>(context);
  attach<SqueezeOp, evaluateSqueeze>(context);
  attach<UnsqueezeOp, evaluateUnsqueeze>(context);
  attach<FlattenOp, evaluateFlatten>(context);
  attach<ShapeOfOp, evaluateShapeOf>(context);
}
