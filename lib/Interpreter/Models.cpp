//===- How evaluations of ops are written -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "FaultTexts.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"

using namespace mlir;
using namespace dyn;

#include "dyn/Interpreter/ReferenceOpInterface.cpp.inc"

InFlightDiagnostic reference::emitError(Operation *op) {
  // Who runs a model knows its nodes, and nothing of the ops that they have become.
  StringRef name = getNodeName(op->getLoc());
  if (name.empty())
    return op->emitOpError();
  return mlir::emitError(op->getLoc()) << "node '" << name << "': ";
}

std::string reference::describeOperand(Operation *op, unsigned index) {
  std::string text = "operand " + std::to_string(index);
  Value operand = op->getOperand(index);
  if (auto argument = dyn_cast<BlockArgument>(operand)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && hasNames(function) ? text + " (" + describeInput(function, argument.getArgNumber()) + ")" : text;
  }
  // Ops that one node has become say nothing of each other.
  StringRef name = getNodeName(operand.getLoc());
  return name.empty() || name == getNodeName(op->getLoc()) ? text : text + " (of node '" + name.str() + "')";
}

LogicalResult reference::requireOneElement(Operation *op, size_t index, const ReferenceTensor &tensor) {
  if (tensor.getNumElements() == 1)
    return success();
  return emitError(op) << "operand " << index << " has the dims " << print(tensor.getDims())
                       << ", expected one element";
}

std::string reference::print(ArrayRef<int64_t> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(dims, os);
  os << ']';
  return text;
}

reference::Result reference::allocate(Operation *op, Type elementType, ArrayRef<int64_t> dims) {
  if (!dyn::getElementBytes(elementType))
    return emitError(op) << "element type " << elementType << " is not supported by the interpreter";
  if (std::optional<ReferenceTensor> tensor = ReferenceTensor::allocate(elementType, dims))
    return *tensor;
  return emitError(op) << "there is no memory for a tensor of dims " << print(dims);
}

reference::Result reference::makeIntegers(Operation *op, ArrayRef<int64_t> values, ArrayRef<int64_t> dims,
                                          Type elementType) {
  Result result = allocate(op, elementType, dims);
  if (succeeded(result))
    result->setIntegers(values);
  return result;
}

/// An error about a dim that has no value though its symbols have.
static LogicalResult checkDims(Operation *op, Type type, const ReferenceScope &scope) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  DimsAttr encoding = ranked ? DimsAttr::of(ranked) : DimsAttr();
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!encoding || !function)
    return success();
  for (ExprAttr dim : encoding.getDims()) {
    symbolic::SymbolicContext context;
    SmallVector<std::string> names = reference::getNames(dim.getExpr(context).getSymbols());
    if (!scope.evaluate(dim) && llvm::all_of(names, [&](StringRef name) { return scope.getValue(name).has_value(); }))
      return reference::emitCallError(function)
             << describeInvalidSize(dim.getText().str(), getNodeName(op->getLoc()).str(),
                                    reference::getSymbolTexts(function, names, scope));
  }
  return success();
}

FailureOr<reference::Dims> reference::getResultDims(Operation *op, const ReferenceScope &scope, unsigned index) {
  Type type = op->getResult(index).getType();
  std::optional<Dims> dims = scope.getDims(type);
  if (!dims && failed(checkDims(op, type, scope)))
    return failure();
  if (!dims)
    return emitError(op) << "the dims of result " << index << " are not known from its type " << type;
  if (llvm::any_of(*dims, [](int64_t dim) { return dim < 0; }))
    return emitError(op) << "result " << index << " of type " << type << " has the dims " << print(*dims);
  return *dims;
}

Type reference::getResultElementType(Operation *op, unsigned index) {
  return cast<TensorType>(op->getResult(index).getType()).getElementType();
}

FailureOr<int64_t> reference::getAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return emitError(op) << "axis " << axis << " is out of range for rank " << rank;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<bool>> reference::getAxes(Operation *op, ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<bool> named(rank, false);
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = getAxis(op, axis, rank);
    if (failed(dim))
      return failure();
    if (named[*dim])
      return emitError(op) << "axis " << axis << " stands twice";
    named[*dim] = true;
  }
  return named;
}

void dyn::registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DynDialect *) {
    reference::attachContractionModels(context);
    reference::attachDataMovementModels(context);
    reference::attachPaddingModels(context);
    reference::attachElementwiseModels(context);
    reference::attachFactModels(context);
    reference::attachGeneratorModels(context);
    reference::attachIndexingModels(context);
    reference::attachProcedureModels(context);
    reference::attachRecurrenceModels(context);
    reference::attachReductionModels(context);
    reference::attachReshapeModels(context);
    reference::attachSequenceModels(context);
    reference::attachStringModels(context);
    reference::attachUnaryModels(context);
    reference::attachWindowModels(context);
  });
}
