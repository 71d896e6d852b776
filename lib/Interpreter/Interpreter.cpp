//===- Reference interpreter of the dyn dialect ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Interpreter.h"
#include "Run.h"
#include "SymbolBinding.h"
#include "dyn/Dialect/Dyn/IR/ThreadDiagnostics.h"
#include "dyn/Symbolic/Parser.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

//===----------------------------------------------------------------------===//
// ReferenceScope
//===----------------------------------------------------------------------===//

void ReferenceScope::bind(StringRef symbol, int64_t value) { symbols[symbol] = value; }

std::optional<int64_t> ReferenceScope::getValue(StringRef symbol) const {
  auto it = symbols.find(symbol);
  return it == symbols.end() ? std::nullopt : std::optional(it->second);
}

std::optional<int64_t> ReferenceScope::evaluate(ExprAttr expr) const {
  if (std::optional<int64_t> constant = expr.getConstant())
    return constant;
  // Most dims are one symbol, whose text is its name.
  if (std::optional<int64_t> value = getValue(expr.getText()))
    return value;
  symbolic::SymbolicContext context;
  return symbolic::evaluate(expr.getExpr(context), [&](StringRef symbol) { return getValue(symbol); });
}

std::optional<bool> ReferenceScope::evaluate(PredAttr predicate) const {
  symbolic::SymbolicContext context;
  return symbolic::evaluate(predicate.getPredicate(context), [&](StringRef symbol) { return getValue(symbol); });
}

std::optional<SmallVector<int64_t>> ReferenceScope::getDims(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  auto encoding = dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
  SmallVector<int64_t> dims;
  for (auto [index, dim] : llvm::enumerate(tensor.getShape())) {
    std::optional<int64_t> value;
    if (ShapedType::isStatic(dim))
      value = dim;
    else if (encoding)
      value = evaluate(encoding.getDims()[index]);
    if (!value)
      return std::nullopt;
    dims.push_back(*value);
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult dyn::checkInputs(FunctionOpInterface function, ArrayRef<ReferenceTensor> inputs) {
  ReferenceScope scope;
  return bindArguments(function, inputs, scope);
}

Results dyn::interpretFunction(FunctionOpInterface function, ArrayRef<ReferenceTensor> inputs, WeightFiles &weights,
                               RunWatch *watch) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getFunctionBody()))
    return function.emitOpError() << "has no body of one block to interpret";
  RunWatch unwatched;
  return Run(function, watch ? *watch : unwatched).run(inputs, ReferenceScope(&weights));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Results dyn::tryEvaluate(Operation *op, Operands operands, const ReferenceScope &scope) {
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  if (!reference)
    return failure();
  // What has no value is no constant; whoever runs the op says so.
  ThreadDiagnostics silence(op->getContext());
  return evaluateModel(reference, operands, scope);
}

FailureOr<SmallVector<DenseElementsAttr>> dyn::foldConstants(Operation *op, ArrayRef<ElementsAttr> operands,
                                                             const ReferenceScope &scope) {
  if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
    return failure();
  SmallVector<ReferenceTensor> tensors;
  for (ElementsAttr operand : operands) {
    std::optional<ReferenceTensor> tensor = operand ? ReferenceTensor::fromAttribute(operand) : std::nullopt;
    if (!tensor)
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  Results results = tryEvaluate(op, tensors, scope);
  if (failed(results))
    return failure();
  return llvm::map_to_vector(*results, [](const ReferenceTensor &tensor) { return tensor.toAttribute(); });
}
