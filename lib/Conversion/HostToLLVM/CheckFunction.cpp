//===- The entry point that checks and computes sizes -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "Plans.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Runtime/ArtefactABI.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

namespace {

constexpr size_t kMaxValues = std::extent_v<decltype(DynErrorRecord::values)>;

class CheckEmitter {
public:
  CheckEmitter(Program &program, HostCode &code) : program(program), code(code), emitter(code, /*checked=*/true) {
    emitter.loc = code.getLoc();
  }

  LogicalResult run() {
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

private:
  struct InputDim {
    const Port *port;
    unsigned dim;
    Expr expr;
    Number actual;
    bool known = false; ///< needs no test: it has been tested, or is where a symbol was read
  };

  Number getSymbol(llvm::StringRef name) {
    auto found = symbols.find(name);
    assert(found != symbols.end() && "symbols are resolved before they are used");
    return found->second;
  }
  Number emit(Expr expr) {
    return emitter.emit(expr, [&](llvm::StringRef name) { return getSymbol(name); });
  }
  bool isResolved(Expr expr) {
    return llvm::all_of(expr.getSymbols(), [&](Expr symbol) { return symbols.count(symbol.getSymbolName()); });
  }

  /// Ends with an error unless `condition` holds.
  void require(Value condition, Guard guard, llvm::ArrayRef<Value> values) {
    int64_t index = program.addGuard(std::move(guard));
    values = values.take_front(kMaxValues);
    code.emitUnless(condition, [&] {
      code.store(code.integer(index), error, offsetof(DynErrorRecord, guard));
      code.store(code.integer(values.size()), error, offsetof(DynErrorRecord, numValues));
      for (auto [position, value] : llvm::enumerate(values))
        code.store(value, error, offsetof(DynErrorRecord, values) + sizeof(int64_t) * position);
      func::ReturnOp::create(code, code.integer(1, 32));
    });
  }

  /// Ends with an error where `number`, the value of `expr`, is invalid.
  void requireValid(Number number, std::string text, llvm::ArrayRef<std::string> names, llvm::ArrayRef<Value> values,
                    Location loc) {
    if (!number.invalid)
      return;
    Value valid = arith::XOrIOp::create(code, number.invalid, code.integer(1, 1));
    require(valid, {"size", std::move(text), "", getNodeName(loc).str(), llvm::to_vector(names), "", -1}, values);
  }

  void loadInputDims() {
    int64_t offset = 0;
    for (const Port &port : program.inputs)
      for (auto [index, expr] : llvm::enumerate(port.dims)) {
        Value value = code.load(code.getI64Type(), inputDims, offset);
        dims.push_back({&port, unsigned(index), expr, Number{value, {}, Value()}});
        dims.back().actual.range = {std::nullopt, std::nullopt};
        offset += sizeof(int64_t);
      }
  }

  LogicalResult resolveSymbols();
  bool solveForSymbol(const SymbolDeclaration &symbol, InputDim &dim);
  void defineSymbol(const SymbolDeclaration &symbol, Number number, SymbolSource source);
  LogicalResult readElement(const SymbolDeclaration &symbol);
  LogicalResult verifyDims(bool all);
  LogicalResult refuseUnresolved(const llvm::Twine &text) {
    return program.function.emitOpError("'") << text << "' has symbols that the function does not declare";
  }

  void storeSymbols() {
    for (auto [index, symbol] : llvm::enumerate(program.symbols))
      code.store(getSymbol(symbol.name).value, symbolStore, index * sizeof(int64_t));
  }

  LogicalResult checkConstraints() {
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

  LogicalResult emitMain();
  FailureOr<Number> getNumber(Value value);
  FailureOr<SmallVector<Number>> getNumbers(ValueRange values);
  FailureOr<llvm::StringMap<Number>> getBindings(ArrayAttr names, ValueRange operands);
  LogicalResult emitOutputDims();

  Program &program;
  HostCode &code;
  ExprEmitter emitter;
  Value inputDims, inputData, symbolStore, outputDims, arenaBytes, error;
  SmallVector<InputDim> dims;
  llvm::StringMap<Number> symbols;
  DenseMap<Value, Number> numbers; ///< of main's values
};

} // namespace

/// Input dims give what symbols they can, those that are a symbol first; then elements of inputs; then definitions.
LogicalResult CheckEmitter::resolveSymbols() {
  auto isOpen = [&](const SymbolDeclaration &symbol) {
    return !symbols.count(symbol.name) && symbol.origin != Origin::ArgumentValue && symbol.origin != Origin::Defined &&
           symbol.origin != Origin::Bound;
  };
  for (const SymbolDeclaration &symbol : program.symbols)
    for (InputDim &dim : dims)
      if (isOpen(symbol) && dim.expr.getSymbolName() == symbol.name) {
        dim.known = true;
        defineSymbol(symbol, dim.actual, {dim.port->name, dim.dim});
      }
  for (bool changed = true; changed;) {
    changed = false;
    for (const SymbolDeclaration &symbol : program.symbols)
      for (InputDim &dim : dims)
        changed |= isOpen(symbol) && solveForSymbol(symbol, dim);
  }
  for (const SymbolDeclaration &symbol : program.symbols) {
    if (symbol.origin == Origin::Bound)
      return program.function.emitOpError("symbol '")
             << symbol.name << "' is a size that data determine; such programs are not compiled yet";
    if (isOpen(symbol))
      return program.refuseUndetermined(symbol.name);
  }
  if (failed(verifyDims(/*all=*/false)))
    return failure();
  for (const SymbolDeclaration &symbol : program.symbols)
    if (symbol.origin == Origin::ArgumentValue && failed(readElement(symbol)))
      return failure();
  for (const SymbolDeclaration &symbol : program.symbols) {
    if (symbol.origin != Origin::Defined)
      continue;
    ParseError error;
    Expr definition = parseExpr(symbol.definition, program.context, error);
    if (!definition || !isResolved(definition))
      return program.function.emitOpError("symbol '")
             << symbol.name << "' is defined as '" << symbol.definition
             << "', which has symbols that stand neither before it nor in inputs";
    Number number = emit(definition);
    SmallVector<std::string> names;
    SmallVector<Value> values;
    for (Expr part : definition.getSymbols()) {
      names.push_back(part.getSymbolName().str());
      values.push_back(getSymbol(part.getSymbolName()).value);
    }
    requireValid(number, symbol.definition, names, values, program.function.getLoc());
    number.invalid = Value();
    symbols[symbol.name] = number;
  }
  return verifyDims(/*all=*/true);
}

/// `dim == a * symbol + rest` with `a` and `rest` known gives `symbol == (dim - rest) floordiv a`; whether that is
/// exact shows when the dim is verified.
bool CheckEmitter::solveForSymbol(const SymbolDeclaration &symbol, InputDim &dim) {
  std::optional<LinearForm> form = getLinearForm(dim.expr, program.context.getSymbol(symbol.name));
  if (!form || !isResolved(form->factor) || !isResolved(form->rest))
    return false;
  Number number = emitter.floorDivide(emitter.subtract(dim.actual, emit(form->rest)), emit(form->factor));
  // An overflow, or a factor of 0, leaves some value, with which the dim is not what it must be; or, if it is, any
  // value will do.
  number.invalid = Value();
  number.range = {std::nullopt, std::nullopt};
  defineSymbol(symbol, number, {dim.port->name, dim.dim});
  return true;
}

void CheckEmitter::defineSymbol(const SymbolDeclaration &symbol, Number number, SymbolSource source) {
  const SymbolFacts &facts = symbol.facts;
  std::string name = printSymbolName(symbol.name);
  auto test = [&](Value condition, std::string predicate) {
    require(condition, {"range", std::move(predicate), "", "", {symbol.name}, source.input, source.dim}, number.value);
  };
  auto compare = [&](arith::CmpIPredicate condition, int64_t value) -> Value {
    return arith::CmpIOp::create(code, condition, number.value, code.integer(value));
  };
  auto [lower, upper] = facts.range;
  if (lower && upper && *lower == *upper)
    test(compare(arith::CmpIPredicate::eq, *lower), name + " == " + std::to_string(*lower));
  else if (lower && upper)
    test(arith::AndIOp::create(code, compare(arith::CmpIPredicate::sge, *lower),
                               compare(arith::CmpIPredicate::sle, *upper)),
         name + " in " + std::to_string(*lower) + ".." + std::to_string(*upper));
  else if (lower)
    test(compare(arith::CmpIPredicate::sge, *lower), name + " >= " + std::to_string(*lower));
  else if (upper)
    test(compare(arith::CmpIPredicate::sle, *upper), name + " <= " + std::to_string(*upper));
  number.range = facts.range;
  if (facts.modulus > 1) {
    Expr variable = program.context.getSymbol(symbol.name);
    Predicate predicate = Predicate::equal(mod(variable, program.context.getConstant(facts.modulus)),
                                           program.context.getConstant(facts.remainder));
    test(emitter.emit(predicate, [&](llvm::StringRef) { return number; }),
         name + " mod " + std::to_string(facts.modulus) + " == " + std::to_string(facts.remainder));
  }
  for (int64_t value : facts.notEqual)
    test(compare(arith::CmpIPredicate::ne, value), name + " != " + std::to_string(value));
  symbols[symbol.name] = number;
  program.sources[symbol.name] = std::move(source);
}

LogicalResult CheckEmitter::readElement(const SymbolDeclaration &symbol) {
  if (symbol.argument >= program.inputs.size())
    return program.function.emitOpError("symbol '") << symbol.name << "' comes from an input that does not exist";
  const Port &port = program.inputs[symbol.argument];
  auto type = dyn_cast<IntegerType>(port.elementType);
  if (!type)
    return program.function.emitOpError("symbol '")
           << symbol.name << "' comes from input '" << port.name << "', whose elements are no integers";
  // The data are read only where the input has so many elements.
  Expr elements = program.context.getConstant(1), needed = program.context.getConstant(int64_t(symbol.index) + 1);
  for (Expr dim : port.dims)
    elements = elements * dim;
  if (!elements || !isResolved(elements))
    return program.function.emitOpError("symbol '")
           << symbol.name << "' comes from input '" << port.name << "', the number of whose elements hangs on it";
  if (elements.getConstant().value_or(0) <= int64_t(symbol.index)) {
    Predicate enough = Predicate::lessEqual(needed, elements);
    Guard guard{"guard", enough.str(), "elements of input '" + port.name + "' are sizes", "", {}, port.name, -1};
    SmallVector<Value> values;
    for (Expr part : elements.getSymbols()) {
      guard.symbols.push_back(part.getSymbolName().str());
      values.push_back(getSymbol(part.getSymbolName()).value);
    }
    require(emitter.emit(enough, [&](llvm::StringRef name) { return getSymbol(name); }), std::move(guard), values);
  }

  auto requireData = [&](Value pointer) {
    Value isThere = arith::XOrIOp::create(code, code.isNull(pointer), code.integer(1, 1));
    require(isThere, {"input_data", "", "", "", {symbol.name}, port.name, -1}, {});
  };
  requireData(inputData);
  Value data = code.load(code.getPointerType(), inputData, symbol.argument * sizeof(void *));
  requireData(data);
  unsigned bytes = getBytesOfElement(type);
  Value element = code.load(code.getIntegerType(bytes * 8), data, int64_t(symbol.index) * bytes);
  if (bytes < 8)
    element = type.isUnsigned() || type.getWidth() == 1
                  ? arith::ExtUIOp::create(code, code.getI64Type(), element).getResult()
                  : arith::ExtSIOp::create(code, code.getI64Type(), element).getResult();
  defineSymbol(symbol, Number{element, symbolic::Range{std::nullopt, std::nullopt}, Value()},
               {port.name, -1, symbol.index});
  return success();
}

/// Tests every input dim whose symbols are known, and that has not been tested; with `all`, there may be no other.
LogicalResult CheckEmitter::verifyDims(bool all) {
  for (InputDim &dim : dims) {
    if (dim.known)
      continue;
    if (!isResolved(dim.expr)) {
      if (all)
        return refuseUnresolved(dim.expr.str());
      continue;
    }
    dim.known = true;
    Number expected = emit(dim.expr);
    Value equal = arith::CmpIOp::create(code, arith::CmpIPredicate::eq, dim.actual.value, expected.value);
    if (expected.invalid)
      equal = arith::SelectOp::create(code, expected.invalid, code.integer(0, 1), equal);
    Guard guard{"input_dim", dim.expr.str(), "", "", {}, dim.port->name, dim.dim};
    SmallVector<Value> values{dim.actual.value, expected.value};
    for (Expr symbol : dim.expr.getSymbols()) {
      guard.symbols.push_back(symbol.getSymbolName().str());
      values.push_back(getSymbol(symbol.getSymbolName()).value);
    }
    require(equal, std::move(guard), values);
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
    number = emitter.multiply(emitPlanChoice(plan, program, code, emitter, lookup).lines, emitter.constant(64));
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
    requireValid(number, text, names, values, operand.getLoc());
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
    Value holds = emitter.emit(predicate, [&](llvm::StringRef name) { return byName.lookup(name); });
    require(holds, std::move(guard), values);
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
    Expr total = program.context.getConstant(getBytesOfElement(port.elementType));
    for (Expr dim : port.dims) {
      if (!isResolved(dim))
        return refuseUnresolved(dim.str());
      Number number = emit(dim);
      values.push_back(number.value);
      bytes = emitter.multiply(bytes, number);
      if (total)
        total = total * dim;
    }
    SmallVector<std::string> names;
    SmallVector<Value> symbolValues;
    for (const SymbolDeclaration &symbol : program.symbols)
      if (llvm::any_of(port.dims, [&](Expr dim) {
            return llvm::is_contained(dim.getSymbols(), program.context.getSymbol(symbol.name));
          })) {
        names.push_back(symbol.name);
        symbolValues.push_back(getSymbol(symbol.name).value);
      }
    requireValid(bytes, total ? total.str() : "bytes of output '" + port.name + "'", names, symbolValues,
                 program.function.getLoc());
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
