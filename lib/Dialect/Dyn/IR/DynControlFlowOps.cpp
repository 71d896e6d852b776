//===- Branches and loops -------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;

/// Can a value of one type be one of the other? Tensors: of the same elements, ranks and static dims.
static bool areCompatible(Type lhs, Type rhs) {
  if (!isa<TensorType>(lhs) || !isa<TensorType>(rhs))
    return lhs == rhs;
  return getElementTypeOrSelf(lhs) == getElementTypeOrSelf(rhs) && succeeded(verifyCompatibleShape(lhs, rhs));
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  if (failed(Constraint(*this, 1).hasOneElement("condition", getCondition())))
    return failure();
  Constraint yields(*this, 2);
  for (auto [name, region] : {std::pair("then", &getThenRegion()), std::pair("else", &getElseRegion())}) {
    auto yield = dyn_cast<YieldOp>(region->front().getTerminator());
    if (!yield)
      return yields.emitError() << "the '" << name << "' region does not end with 'dyn.yield'";
    if (yield.getNumOperands() != getNumResults())
      return yields.emitError() << "the '" << name << "' region yields " << yield.getNumOperands() << " values for "
                                << getNumResults() << " results";
    for (auto [index, type, result] : llvm::enumerate(yield.getOperandTypes(), getResultTypes()))
      if (!areCompatible(type, result))
        return yields.emitError() << "the '" << name << "' region yields " << type << " for result " << index << ", "
                                  << result;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LoopOp
//===----------------------------------------------------------------------===//

YieldOp LoopOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

Value LoopOp::getNextCondition() { return getYield().getOperand(0); }

OperandRange LoopOp::getNext() { return getYield().getOperands().slice(1, getInitial().size()); }

OperandRange LoopOp::getStacked() { return getYield().getOperands().drop_front(1 + getInitial().size()); }

bool LoopOp::isCounted() {
  Value trips = getTripCount();
  DenseElementsAttr goesOn;
  return !getCondition() &&
         (trips ? isa_and_present<ConstantOp, DimValuesOp>(trips.getDefiningOp()) : !getSliced().empty()) &&
         matchPattern(getNextCondition(), m_Constant(&goesOn)) && goesOn.getSplatValue<bool>();
}

/// Do the types of a carried value agree where they must?
static LogicalResult verifyCarried(LoopOp op, unsigned index) {
  Constraint constraint(op, 4);
  Type argument = op.getCarried()[index].getType(), result = op.getFinal()[index].getType();
  // Of a loop that is known to run, the result may have other dims than the operand.
  if (getElementTypeOrSelf(argument) != getElementTypeOrSelf(result))
    return constraint.emitError() << "the argument of carried value " << index << " is " << argument << ", its result "
                                  << result;
  for (auto [name, type] :
       {std::pair("operand", op.getInitial()[index].getType()), std::pair("yield", op.getNext()[index].getType())}) {
    if (!areCompatible(type, argument))
      return constraint.emitError() << "the " << name << " of carried value " << index << " is " << type
                                    << ", its argument " << argument;
  }
  return success();
}

/// Is `part` what one place in the first dim of `whole` holds?
static LogicalResult verifyPart(LoopOp op, const Twine &name, Value whole, Value part) {
  Constraint constraint(op, 5);
  if (!isa<TensorType>(whole.getType()) || !isa<TensorType>(part.getType()))
    return constraint.emitError() << name << " is no tensor";
  if (getElementTypeOrSelf(whole) != getElementTypeOrSelf(part))
    return constraint.emitError() << "the elements of " << name << " are " << getElementTypeOrSelf(whole)
                                  << ", those of its parts " << getElementTypeOrSelf(part);
  std::optional<int64_t> rank = getKnownRank(part);
  return constraint.isRank(name.str(), whole, rank ? std::optional(*rank + 1) : std::nullopt);
}

static LogicalResult verifySlices(LoopOp op) {
  std::optional<int64_t> length;
  for (auto [index, sliced, slice] : llvm::enumerate(op.getSliced(), op.getSlices())) {
    if (failed(verifyPart(op, "sliced tensor " + Twine(index), sliced, slice)))
      return failure();
    std::optional<int64_t> dim = getKnownDim(sliced, 0);
    if (dim && length && *dim != *length)
      return Constraint(op, 6).emitError() << "the first dims of sliced tensors are " << *length << " and " << *dim;
    length = dim ? dim : length;
  }
  return success();
}

LogicalResult LoopOp::verify() {
  Constraint one(*this, 1), arguments(*this, 2), yields(*this, 3);
  if ((getTripCount() && failed(one.hasOneElement("trips", getTripCount()))) ||
      (getCondition() && failed(one.hasOneElement("while", getCondition()))))
    return failure();
  unsigned numCarried = getInitial().size(), numArguments = 2 + numCarried + getSliced().size();
  if (getBody().getNumArguments() != numArguments)
    return arguments.emitError() << "the region has " << getBody().getNumArguments() << " arguments, expected "
                                 << numArguments;
  Builder builder(getContext());
  for (auto [value, elementType] :
       {std::pair(getIteration(), builder.getI64Type()), std::pair(getStillRunning(), builder.getI1Type())})
    if (value.getType() != RankedTensorType::get({}, elementType))
      return arguments.emitError() << "an argument of the region is " << value.getType() << ", expected "
                                   << RankedTensorType::get({}, elementType);
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return yields.emitError() << "the region does not end with 'dyn.yield'";
  if (getNumResults() < numCarried || yield.getNumOperands() != getNumResults() + 1)
    return yields.emitError() << "the region yields " << yield.getNumOperands() << " values; " << numCarried
                              << " are carried, and there are " << getNumResults() << " results";
  if (!getElementTypeOrSelf(getNextCondition()).isInteger(1))
    return yields.emitError() << "the condition that the region yields is " << getNextCondition().getType();
  if (failed(yields.hasOneElement("condition", getNextCondition())))
    return failure();
  for (unsigned index = 0; index < numCarried; ++index)
    if (failed(verifyCarried(*this, index)))
      return failure();
  for (auto [index, stack, part] : llvm::enumerate(getStacks(), getStacked()))
    if (failed(verifyPart(*this, "stack " + Twine(index), stack, part)))
      return failure();
  return verifySlices(*this);
}
