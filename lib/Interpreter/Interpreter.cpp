//===- Reference interpreter of the dyn dialect ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Interpreter.h"
#include "Models.h"
#include "NarrowElements.h"
#include "SymbolBinding.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

static Results evaluateModel(ReferenceOpInterface op, Operands operands, const ReferenceScope &scope) {
  if (failed(verifyNarrowElements(op)))
    return failure();
  return op.evaluate(operands, scope);
}

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

std::string ReferenceScope::describeSymbols(PredAttr predicate) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  symbolic::SymbolicContext context;
  symbolic::Predicate read = predicate.getPredicate(context);
  os << '(';
  llvm::interleaveComma(read.getSymbols(), os, [&](symbolic::Expr symbol) {
    os << symbol << " = ";
    if (std::optional<int64_t> value = getValue(symbol.getSymbolName()))
      os << *value;
    else
      os << '?';
  });
  os << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// Runs one function: values live from their op to their last use.
class Run {
public:
  Run(FunctionOpInterface function, ReferenceScope scope) : function(function), scope(std::move(scope)) {}

  Results run(ArrayRef<ReferenceTensor> inputs);

private:
  Results evaluate(Operation *op, Operands operands);
  Results call(Operation *op, SymbolRefAttr callee, Operands operands);
  Operands take(Operation *op, SmallVectorImpl<ReferenceTensor> &operands);
  LogicalResult define(Operation *op, SmallVector<ReferenceTensor> results);

  FunctionOpInterface function;
  ReferenceScope scope;
  llvm::DenseMap<Value, ReferenceTensor> values;
  llvm::DenseMap<Value, unsigned> remainingUses;
};
} // namespace

/// The operands of an op; a tensor that is not used again leaves the table, so that its memory can go.
Operands Run::take(Operation *op, SmallVectorImpl<ReferenceTensor> &operands) {
  for (Value operand : op->getOperands()) {
    auto it = values.find(operand);
    assert(it != values.end() && "the verifier checks dominance");
    operands.push_back(it->second);
    if (--remainingUses[operand] == 0)
      values.erase(it);
  }
  return operands;
}

LogicalResult Run::define(Operation *op, SmallVector<ReferenceTensor> results) {
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results)) {
    unsigned index = value.getResultNumber();
    if (failed(checkType(scope, tensor, value.getType(), /*mayBind=*/true,
                         [&]() -> InFlightDiagnostic { return emitError(op) << "result " << index << ' '; })))
      return failure();
    unsigned uses = std::distance(value.use_begin(), value.use_end());
    if (uses == 0)
      continue;
    remainingUses[value] = uses;
    values[value] = std::move(tensor);
  }
  return success();
}

/// Runs the body of a called function in a scope of its own.
Results Run::call(Operation *op, SymbolRefAttr callee, Operands operands) {
  auto target = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
  if (!target || target.isExternal())
    return emitError(op) << "there is no body of " << callee;
  ReferenceScope inner(scope.getWeights());
  if (auto symbolic = dyn_cast<CallOp>(op)) {
    for (auto [name, expr] : llvm::zip_equal(symbolic.getSymbols().getAsValueRange<StringAttr>(),
                                             symbolic.getSymbolArguments().getDims())) {
      std::optional<int64_t> value = scope.evaluate(expr);
      if (!value)
        return emitError(op) << "the symbol argument '" << name << " = " << expr.getText() << "' has no value";
      inner.bind(name, *value);
    }
  }
  return Run(target, std::move(inner)).run(operands);
}

Results Run::evaluate(Operation *op, Operands operands) {
  if (auto reference = dyn_cast<ReferenceOpInterface>(op))
    return evaluateModel(reference, operands, scope);
  if (auto called = dyn_cast<CallOp>(op))
    return call(op, called.getCalleeAttr(), operands);
  if (auto called = dyn_cast<func::CallOp>(op))
    return call(op, called.getCalleeAttr(), operands);
  return emitError(op) << "has no reference evaluation";
}

Results Run::run(ArrayRef<ReferenceTensor> inputs) {
  if (failed(bindArguments(function, inputs, scope)))
    return failure();
  Block &body = function.getFunctionBody().front();
  for (auto [argument, tensor] : llvm::zip_equal(body.getArguments(), inputs)) {
    unsigned uses = std::distance(argument.use_begin(), argument.use_end());
    if (uses != 0) {
      remainingUses[argument] = uses;
      values[argument] = tensor;
    }
  }
  for (Operation &op : body) {
    SmallVector<ReferenceTensor> storage;
    Operands operands = take(&op, storage);
    if (op.hasTrait<mlir::OpTrait::ReturnLike>())
      return SmallVector<ReferenceTensor>(operands);
    Results results = evaluate(&op, operands);
    if (failed(results) || failed(define(&op, std::move(*results))))
      return failure();
  }
  return function.emitOpError() << "does not return";
}

Results dyn::interpretFunction(FunctionOpInterface function, ArrayRef<ReferenceTensor> inputs, WeightFiles &weights) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getFunctionBody()))
    return function.emitOpError() << "has no body of one block to interpret";
  return Run(function, ReferenceScope(&weights)).run(inputs);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Results dyn::tryEvaluate(Operation *op, Operands operands, const ReferenceScope &scope) {
  auto reference = dyn_cast<ReferenceOpInterface>(op);
  if (!reference)
    return failure();
  // What has no value is no constant; whoever runs the op says so. Other threads may have something to say meanwhile.
  ScopedDiagnosticHandler silence(op->getContext(), [thread = llvm::get_threadid()](Diagnostic &) {
    return success(llvm::get_threadid() == thread);
  });
  return evaluateModel(reference, operands, scope);
}

FailureOr<SmallVector<DenseElementsAttr>> dyn::foldConstants(Operation *op, ArrayRef<ElementsAttr> operands,
                                                             const ReferenceScope &scope) {
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
