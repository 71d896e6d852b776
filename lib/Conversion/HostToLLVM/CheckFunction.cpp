//===- The entry point that checks and computes sizes -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckEmitter.h"
#include "Plans.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using namespace dyn::symbolic;

static constexpr size_t kMaxValues = std::extent_v<decltype(DynErrorRecord::values)>;

LogicalResult CheckEmitter::run() {
  Type pointer = code.getPointerType();
  OpBuilder::InsertionGuard guard(code);
  auto function = code.createFunction(kCheckFunctionName, SmallVector<Type>(6, pointer), code.getIntegerType(32));
  inputDims = function.getArgument(0), inputData = function.getArgument(1), symbolStore = function.getArgument(2);
  outputDims = function.getArgument(3), arenaBytes = function.getArgument(4), error = function.getArgument(5);
  loadInputDims();
  if (failed(resolveSymbols()))
    return failure();
  storeSymbols();
  if (failed(checkConstraints()) || failed(emitMain()) || failed(emitOutputDims()))
    return failure();
  func::ReturnOp::create(code, code.integer(0, 32));
  return success();
}

void CheckEmitter::require(Value condition, Guard guard, llvm::ArrayRef<Value> values) {
  require(ExprEmitter::Truth{condition, Value()}, std::move(guard), values);
}

void CheckEmitter::require(ExprEmitter::Truth truth, Guard guard, llvm::ArrayRef<Value> values) {
  int64_t index = program.addGuard(guard), unknown = index;
  if (!truth.isCertain) {
    guard.kind = "size";
    unknown = program.addGuard(std::move(guard));
  }
  values = values.take_front(kMaxValues);
  code.emitUnless(truth.yes, [&] {
    Value number = code.integer(index);
    if (!truth.isCertain)
      number = arith::SelectOp::create(code, truth.no, number, code.integer(unknown));
    code.store(number, error, offsetof(DynErrorRecord, guard));
    code.store(code.integer(values.size()), error, offsetof(DynErrorRecord, numValues));
    for (auto [position, value] : llvm::enumerate(values))
      code.store(value, error, offsetof(DynErrorRecord, values) + sizeof(int64_t) * position);
    func::ReturnOp::create(code, code.integer(1, 32));
  });
}

void CheckEmitter::requireValid(Number number, Guard guard, llvm::ArrayRef<Value> values) {
  if (!number.invalid)
    return;
  Value valid = arith::XOrIOp::create(code, number.invalid, code.integer(1, 1));
  guard.kind = "size";
  require(valid, std::move(guard), values);
}

LogicalResult CheckEmitter::refuseUnresolved(const llvm::Twine &text) {
  return program.function.emitOpError("'") << text << "' has symbols that the function does not declare";
}

LogicalResult CheckEmitter::checkConstraints() {
  auto constraints = program.function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName);
  if (!constraints)
    return success();
  for (PredAttr attribute : constraints.getPredicates()) {
    Predicate predicate = attribute.getPredicate(program.context);
    if (!llvm::all_of(predicate.getSymbols(), [&](Expr symbol) { return isResolved(symbol); }))
      return refuseUnresolved(predicate.str());
    Value holds = emitter.emit(predicate, [&](llvm::StringRef name) { return getSymbol(name); });
    Guard guard{"constraint", predicate.str(), "", "", {}, "", -1};
    SmallVector<Value> values;
    for (Expr symbol : predicate.getSymbols()) {
      guard.symbols.push_back(symbol.getSymbolName().str());
      values.push_back(getSymbol(symbol.getSymbolName()).value);
    }
    require(holds, std::move(guard), values);
  }
  return success();
}

FailureOr<SmallVector<Number>> CheckEmitter::getNumbers(ValueRange values) {
  SmallVector<Number> result;
  for (Value value : values) {
    FailureOr<Number> number = getNumber(value);
    if (failed(number))
      return failure();
    result.push_back(*number);
  }
  return result;
}

/// The operands by the names of the symbols that they are values of.
FailureOr<llvm::StringMap<Number>> CheckEmitter::getBindings(ArrayAttr names, ValueRange operands) {
  FailureOr<SmallVector<Number>> operandNumbers = getNumbers(operands);
  if (failed(operandNumbers))
    return failure();
  llvm::StringMap<Number> byName;
  for (auto [name, operand] : llvm::zip_equal(names.getAsRange<StringAttr>(), *operandNumbers))
    byName[name.getValue()] = operand;
  return byName;
}

/// What a value of main is here; emits what computes it on first use.
FailureOr<Number> CheckEmitter::getNumber(Value value) {
  auto found = numbers.find(value);
  if (found != numbers.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  Number number;
  if (auto symbol = dyn_cast_or_null<shape::SymOp>(op)) {
    if (!symbols.count(symbol.getName()))
      return symbol.emitOpError("names a symbol that the function does not declare: '") << symbol.getName() << "'";
    number = getSymbol(symbol.getName());
  } else if (auto apply = dyn_cast_or_null<shape::ApplyOp>(op)) {
    FailureOr<llvm::StringMap<Number>> byName = getBindings(apply.getNames(), apply.getOperands());
    if (failed(byName))
      return failure();
    number = emitter.emit(apply.getExpr().getExpr(program.context),
                          [&](llvm::StringRef name) { return byName->lookup(name); });
  } else if (auto plan = dyn_cast_or_null<shape::PlanOp>(op); plan && value == plan.getBytes()) {
    FailureOr<llvm::StringMap<Number>> byName = getBindings(plan.getNames(), plan.getOperands());
    if (failed(byName))
      return failure();
    auto lookup = [&](llvm::StringRef name) { return byName->lookup(name); };
    number = emitPlanBytes(plan, program, code, lookup);
  } else if (op && op->getNumRegions() == 0 && isPure(op) && op->getNumResults() == 1) {
    // Other integer code is taken over as it is.
    FailureOr<SmallVector<Number>> operands = getNumbers(op->getOperands());
    if (failed(operands))
      return failure();
    IRMapping mapping;
    for (auto [operand, operandNumber] : llvm::zip_equal(op->getOperands(), *operands)) {
      mapping.map(operand, operand.getType().isIndex() ? code.toIndex(operandNumber.value) : operandNumber.value);
      if (operandNumber.invalid)
        number.invalid = number.invalid ? arith::OrIOp::create(code, number.invalid, operandNumber.invalid).getResult()
                                        : operandNumber.invalid;
    }
    Value result = code.clone(*op, mapping)->getResult(0);
    number.value = value.getType().isIndex() ? code.toInteger(result) : result;
  } else {
    emitError(value.getLoc()) << "a check or the size of the arena depends on a value that is not known at entry";
    return failure();
  }
  return numbers[value] = number;
}

LogicalResult CheckEmitter::emitMain() {
  auto requireValidOperand = [&](Value operand, Number number) -> LogicalResult {
    std::string text = "a size";
    SmallVector<std::string> names;
    SmallVector<Value> values;
    ArrayAttr bound;
    if (auto apply = operand.getDefiningOp<shape::ApplyOp>()) {
      text = apply.getExpr().getExpr(program.context).str();
      bound = apply.getNames();
    } else if (auto plan = operand.getDefiningOp<shape::PlanOp>()) {
      Expr size = plan.getSizes().getExprs(program.context).front() * 64;
      text = size ? size.str() : "bytes of the arena";
      bound = plan.getNames();
    }
    if (bound) {
      FailureOr<SmallVector<Number>> parts = getNumbers(operand.getDefiningOp()->getOperands());
      if (failed(parts))
        return failure();
      for (auto [name, part] : llvm::zip_equal(bound.getAsRange<StringAttr>(), *parts)) {
        names.push_back(name.str());
        values.push_back(part.value);
      }
    }
    requireValid(number, {"size", text, "", getNodeName(operand.getLoc()).str(), names, "", -1}, values);
    numbers[operand].invalid = Value();
    return success();
  };
  for (auto check : program.function.front().getOps<shape::CheckOp>()) {
    Guard guard{"guard", "", check.getBecause().str(), getNodeName(check.getLoc()).str(), {}, "", -1};
    llvm::StringMap<Number> byName;
    SmallVector<Value> values;
    for (auto [name, operand] : llvm::zip_equal(check.getNames().getAsRange<StringAttr>(), check.getOperands())) {
      FailureOr<Number> number = getNumber(operand);
      if (failed(number) || failed(requireValidOperand(operand, *number)))
        return failure();
      number->invalid = Value();
      byName[name.getValue()] = *number;
      guard.symbols.push_back(name.str());
      values.push_back(number->value);
    }
    Predicate predicate = check.getPredicate().getPredicate(program.context);
    guard.predicate = predicate.str();
    require(emitter.emitTruth(predicate, [&](llvm::StringRef name) { return byName.lookup(name); }), std::move(guard),
            values);
  }
  // What `run` computes without tests.
  for (Operation &op : program.function.front()) {
    if (!isa<shape::ApplyOp, shape::PlanOp>(op))
      continue;
    FailureOr<Number> number = getNumber(op.getResult(0));
    if (failed(number) || failed(requireValidOperand(op.getResult(0), *number)))
      return failure();
  }
  Value bytes = code.integer(0);
  for (auto arena : program.function.front().getOps<shape::ArenaOp>()) {
    FailureOr<Number> number = getNumber(arena.getBytes());
    if (failed(number))
      return failure();
    bytes = number->value;
    describeArena(arena, program);
  }
  Value isWanted = arith::XOrIOp::create(code, code.isNull(arenaBytes), code.integer(1, 1));
  code.emitIf(isWanted, [&] { code.store(bytes, arenaBytes, 0); });
  return success();
}

LogicalResult CheckEmitter::emitOutputDims() {
  SmallVector<Value> values;
  for (const Port &port : program.outputs) {
    Number bytes = emitter.constant(getBytesOfElement(port.elementType));
    Value invalid, isEmpty;
    auto either = [&](Value lhs, Value rhs) {
      return lhs && rhs ? arith::OrIOp::create(code, lhs, rhs).getResult() : lhs ? lhs : rhs;
    };
    Expr total = program.context.getConstant(getBytesOfElement(port.elementType));
    for (Expr dim : port.dims) {
      if (!isResolved(dim))
        return refuseUnresolved(dim.str());
      Number number = emit(dim);
      values.push_back(number.value);
      invalid = either(invalid, std::exchange(number.invalid, Value()));
      bytes = emitter.multiply(bytes, number);
      isEmpty = either(
          isEmpty, arith::CmpIOp::create(code, arith::CmpIPredicate::eq, number.value, code.integer(0)).getResult());
      if (total)
        total = total * dim;
    }
    // A tensor without elements takes no bytes, however large its other dims are.
    if (bytes.invalid) {
      Value hasElements = arith::XOrIOp::create(code, isEmpty, code.integer(1, 1));
      bytes.invalid = arith::AndIOp::create(code, bytes.invalid, hasElements);
    }
    bytes.invalid = either(invalid, bytes.invalid);
    SmallVector<std::string> names;
    SmallVector<Value> symbolValues;
    for (const SymbolDeclaration &symbol : program.symbols)
      if (llvm::any_of(port.dims, [&](Expr dim) {
            return llvm::is_contained(dim.getSymbols(), program.context.getSymbol(symbol.name));
          })) {
        names.push_back(symbol.name);
        symbolValues.push_back(getSymbol(symbol.name).value);
      }
    std::string text = total ? total.str() : "bytes of output '" + port.name + "'";
    requireValid(bytes, {"size", text, "", getNodeName(program.function.getLoc()).str(), names, "", -1}, symbolValues);
  }
  Value isWanted = arith::XOrIOp::create(code, code.isNull(outputDims), code.integer(1, 1));
  code.emitIf(isWanted, [&] {
    for (auto [index, value] : llvm::enumerate(values))
      code.store(value, outputDims, index * sizeof(int64_t));
  });
  return success();
}

LogicalResult dyn::host::emitCheckFunction(Program &program, HostCode &code) {
  return CheckEmitter(program, code).run();
}
