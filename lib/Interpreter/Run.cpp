//===- A run of a function, block by block -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "NarrowElements.h"
#include "SymbolBinding.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ArrayRef<Value> Run::getCaptures(Operation *op) {
  if (op->getNumRegions() == 0)
    return {};
  auto [entry, isNew] = captures.try_emplace(op);
  if (isNew) {
    llvm::SetVector<Value> values;
    getUsedValuesDefinedAbove(op->getRegions(), values);
    entry->second.assign(values.begin(), values.end());
  }
  return entry->second;
}

/// How often ops of the block of a value use it: each of their operands, and their regions once.
static unsigned countUses(Value value, Block &block) {
  unsigned uses = 0;
  llvm::SmallPtrSet<Operation *, 2> around;
  for (OpOperand &use : value.getUses()) {
    Operation *user = block.findAncestorOpInBlock(*use.getOwner());
    uses += user == use.getOwner() || around.insert(user).second;
  }
  return uses;
}

void Run::define(Value value, ReferenceTensor tensor, Frame &frame) {
  if (unsigned uses = countUses(value, frame.block))
    frame.values[value] = {std::move(tensor), uses};
}

SmallVector<ReferenceTensor> Run::readOperands(Operation *op, Frame &frame) {
  return llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    for (Frame *place = &frame; place; place = place->parent)
      if (auto entry = place->values.find(operand); entry != place->values.end())
        return entry->second.tensor;
    llvm_unreachable("the verifier checks dominance");
  });
}

void Run::release(Operation *op, Frame &frame) {
  auto drop = [&](Value value) {
    auto entry = frame.values.find(value);
    if (entry != frame.values.end() && --entry->second.remainingUses == 0)
      frame.values.erase(entry);
  };
  llvm::for_each(op->getOperands(), drop);
  llvm::for_each(getCaptures(op), drop);
}

LogicalResult Run::define(Operation *op, SmallVector<ReferenceTensor> results, Frame &frame) {
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results)) {
    unsigned index = value.getResultNumber();
    if (failed(checkType(frame.scope, tensor, value.getType(), /*mayBind=*/true,
                         [&]() -> InFlightDiagnostic { return emitError(op) << "result " << index << ' '; })))
      return failure();
    define(value, std::move(tensor), frame);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Runs the body of a called function in a scope of its own.
Results Run::call(Operation *op, SymbolRefAttr callee, Operands operands, Frame &frame) {
  auto target = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
  if (!target || target.isExternal())
    return emitError(op) << "there is no body of " << callee;
  ReferenceScope inner(frame.scope.getWeights());
  if (auto symbolic = dyn_cast<CallOp>(op)) {
    for (auto [name, expr] : llvm::zip_equal(symbolic.getSymbols().getAsValueRange<StringAttr>(),
                                             symbolic.getSymbolArguments().getDims())) {
      std::optional<int64_t> value = frame.scope.evaluate(expr);
      if (!value)
        return emitError(op) << "the symbol argument '" << name << " = " << expr.getText() << "' has no value";
      inner.bind(name, *value);
    }
  }
  return Run(target, watch).run(operands, std::move(inner));
}

Results reference::evaluateModel(ReferenceOpInterface op, Operands operands, const ReferenceScope &scope) {
  if (failed(verifyElements(op)))
    return failure();
  return op.evaluate(operands, scope);
}

Results Run::evaluate(Operation *op, Operands operands, Frame &frame) {
  if (auto reference = dyn_cast<ReferenceOpInterface>(op))
    return evaluateModel(reference, operands, frame.scope);
  if (auto branch = dyn_cast<IfOp>(op))
    return evaluateIf(branch, operands, frame);
  if (auto loop = dyn_cast<LoopOp>(op))
    return evaluateLoop(loop, operands, frame);
  if (auto called = dyn_cast<CallOp>(op))
    return call(op, called.getCalleeAttr(), operands, frame);
  if (auto called = dyn_cast<func::CallOp>(op))
    return call(op, called.getCalleeAttr(), operands, frame);
  return emitError(op) << "has no reference evaluation";
}

Results Run::runBlock(Frame &frame, ArrayRef<ReferenceTensor> arguments) {
  for (auto [argument, tensor] : llvm::zip_equal(frame.block.getArguments(), arguments))
    define(argument, tensor, frame);
  for (Operation &op : frame.block) {
    SmallVector<ReferenceTensor> operands = readOperands(&op, frame);
    if (op.hasTrait<mlir::OpTrait::IsTerminator>())
      return operands;
    if (watch.isInterrupted && watch.isInterrupted())
      return emitError(&op) << "the run was interrupted";
    Results results = evaluate(&op, operands, frame);
    release(&op, frame);
    if (failed(results) || failed(define(&op, std::move(*results), frame)))
      return failure();
  }
  return function.emitOpError() << "does not return";
}

Results Run::run(ArrayRef<ReferenceTensor> inputs, ReferenceScope scope) {
  if (failed(bindArguments(function, inputs, scope)))
    return failure();
  Frame frame(function.getFunctionBody().front(), std::move(scope));
  return runBlock(frame, inputs);
}
