//===- Sequences and optionals --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "Constraints.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/Dyn/IR/DynSequenceTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.cpp.inc"

void DynDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dyn/Dialect/Dyn/IR/DynSequenceTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult SequenceType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type element) {
  if (isa<UnrankedTensorType>(element))
    return success();
  return emitError() << "a sequence is of unranked tensors, not of " << element;
}

LogicalResult OptionalType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type element) {
  if (isa<UnrankedTensorType, SequenceType>(element))
    return success();
  return emitError() << "an optional is of an unranked tensor or of a sequence, not of " << element;
}

Type dyn::unwrapOptional(Type type) {
  auto optional = dyn_cast<OptionalType>(type);
  return optional ? optional.getElement() : type;
}

Type dyn::getTensorElementType(Type type) {
  type = unwrapOptional(type);
  if (auto sequence = dyn_cast<SequenceType>(type))
    return getTensorElementType(sequence.getElement());
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? tensor.getElementType() : Type();
}

Type dyn::getOptionalElement(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? UnrankedTensorType::get(tensor.getElementType()) : type;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static LogicalResult verifyElements(Operation *op, SequenceType sequence, TypeRange others) {
  Type expected = getTensorElementType(sequence);
  for (Type other : others)
    if (getTensorElementType(other) != expected)
      return Constraint(op, 1).emitError() << other << " has not the element type of " << sequence;
  return success();
}

static LogicalResult verifyElement(Operation *op, OptionalType optional, Type element) {
  if (getOptionalElement(element) == optional.getElement())
    return success();
  return Constraint(op, 1).emitError() << element << " is not what is in " << optional;
}

LogicalResult SequenceMakeOp::verify() { return verifyElements(*this, getType(), getElements().getTypes()); }

LogicalResult SequenceInsertOp::verify() {
  return verifyElements(*this, getType(), {getSequence().getType(), getTensor().getType()});
}

LogicalResult SequenceEraseOp::verify() { return verifyElements(*this, getType(), {getSequence().getType()}); }

LogicalResult SequenceAtOp::verify() { return verifyElements(*this, getSequence().getType(), {getType()}); }

LogicalResult SequenceLengthOp::verify() { return Constraint(*this, 1).isRank("result", getResult(), 0); }

LogicalResult SequenceJoinOp::verify() { return verifyElements(*this, getSequence().getType(), {getType()}); }

LogicalResult SequenceSplitOp::verify() {
  Constraint ofSizes(*this, 3);
  if (failed(verifyElements(*this, getType(), {getTensor().getType()})) ||
      failed(Constraint(*this, 2).isAxis(getAxis(), getKnownRank(getTensor()))))
    return failure();
  if (getSizes() && getSqueeze())
    return ofSizes.emitError() << "'squeeze' is for parts of size 1";
  std::optional<int64_t> rank = getSizes() ? getKnownRank(getSizes()) : std::nullopt;
  if (rank.value_or(0) > 1)
    return ofSizes.emitError() << "'sizes' has rank " << *rank << ", expected 0 or 1";
  return success();
}

LogicalResult OptionalSomeOp::verify() { return verifyElement(*this, getType(), getValue().getType()); }

LogicalResult OptionalHasOp::verify() { return Constraint(*this, 1).isRank("result", getResult(), 0); }

LogicalResult OptionalGetOp::verify() { return verifyElement(*this, getOptional().getType(), getResult().getType()); }
