//===- What inputs say of symbols, and whether it fits ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CheckEmitter.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Symbolic/LinearForms.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::host;
using namespace dyn::symbolic;
using Origin = SymbolDeclaration::Origin;

void CheckEmitter::loadInputDims() {
  int64_t offset = 0;
  for (const Port &port : program.inputs)
    for (auto [index, expr] : llvm::enumerate(port.dims)) {
      Value value = code.load(code.getI64Type(), inputDims, offset);
      dims.push_back({&port, unsigned(index), expr, Number{value, {}, Value()}});
      dims.back().actual.range = {std::nullopt, std::nullopt};
      offset += sizeof(int64_t);
    }
}

/// The first guard that needs each symbol, by itself or in the definition of another: it says what for.
static llvm::StringMap<shape::CheckOp> findGuards(Program &program) {
  llvm::StringMap<shape::CheckOp> guards;
  for (auto check : program.function.front().getOps<shape::CheckOp>())
    for (auto name : check.getNames().getAsRange<StringAttr>())
      guards.try_emplace(name.getValue(), check);
  // Definitions are of symbols before them.
  for (const SymbolDeclaration &symbol : llvm::reverse(program.symbols)) {
    shape::CheckOp check = symbol.origin == Origin::Defined ? guards.lookup(symbol.name) : shape::CheckOp();
    ParseError error;
    if (Expr definition = check ? parseExpr(symbol.definition, program.context, error) : Expr())
      for (Expr part : definition.getSymbols())
        guards.try_emplace(part.getSymbolName(), check);
  }
  return guards;
}

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
      changed |= isOpen(symbol) && solveByNumber(symbol);
  }
  SmallVector<const SymbolDeclaration *> open;
  for (const SymbolDeclaration &symbol : program.symbols)
    if (isOpen(symbol))
      open.push_back(&symbol);
  solveBySizes(open);
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
  llvm::StringMap<shape::CheckOp> guards = findGuards(program);
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
    Guard guard{"size", symbol.definition, "", "", std::move(names), "", -1};
    if (shape::CheckOp check = guards.lookup(symbol.name)) {
      guard.predicate = check.getPredicate().getText().str();
      guard.because = check.getBecause().str();
      guard.node = getNodeName(check.getLoc()).str();
    }
    requireValid(number, std::move(guard), values);
    number.invalid = Value();
    symbols[symbol.name] = number;
  }
  return verifyDims(/*all=*/true);
}

std::optional<LinearForm> CheckEmitter::getKnownForm(const SymbolDeclaration &symbol, const InputDim &dim) {
  std::optional<LinearForm> form = getLinearForm(dim.expr, program.context.getSymbol(symbol.name));
  return form && isResolved(form->factor) && isResolved(form->rest) ? form : std::nullopt;
}

/// `dim == a * symbol + rest` with `a` and `rest` known gives `symbol == (dim - rest) floordiv a`; whether that is
/// exact shows when the dim is verified. So does an overflow.
Number CheckEmitter::solve(const LinearForm &form, const InputDim &dim) {
  Number number = emitter.floorDivide(emitter.subtract(dim.actual, emit(form.rest)), emit(form.factor));
  number.invalid = Value();
  number.range = {std::nullopt, std::nullopt};
  return number;
}

/// Gives the symbol the value that a dim with a number as the factor tells, if there is one.
bool CheckEmitter::solveByNumber(const SymbolDeclaration &symbol) {
  for (InputDim &dim : dims)
    if (std::optional<LinearForm> form = getKnownForm(symbol, dim); form && form->factor.getConstant()) {
      defineSymbol(symbol, solve(*form, dim), {dim.port->name, dim.dim});
      return true;
    }
  return false;
}

/// Gives values to symbols whose factors are sizes. A dim whose factor is 0 tells nothing: each symbol takes what the
/// first dim says that tells, in as many rounds as there are symbols, since one may tell the next. Where none tells,
/// any value does, with which all dims are compared; but for two symbols that are told by their product alone.
void CheckEmitter::solveBySizes(ArrayRef<const SymbolDeclaration *> open) {
  struct Unknown {
    const SymbolDeclaration *symbol;
    SmallVector<std::pair<LinearForm, const InputDim *>> forms;
    Value isTold;
  };
  std::vector<Unknown> unknowns;
  for (bool changed = true; changed;) {
    changed = false;
    for (const SymbolDeclaration *symbol : open)
      if (!symbols.count(symbol->name) &&
          llvm::any_of(dims, [&](InputDim &dim) { return getKnownForm(*symbol, dim); })) {
        symbols[symbol->name] = Number{code.integer(getAnyValue(symbol->facts)), {std::nullopt, std::nullopt}, Value()};
        unknowns.push_back({symbol, {}, code.integer(0, 1)});
        changed = true;
      }
  }
  for (Unknown &unknown : unknowns)
    for (const InputDim &dim : dims)
      if (std::optional<LinearForm> form = getKnownForm(*unknown.symbol, dim))
        unknown.forms.emplace_back(*form, &dim);
  auto both = [&](Value lhs, Value rhs) -> Value { return arith::AndIOp::create(code, lhs, rhs); };
  auto isEachTold = [&](const LinearForm &form) {
    Value told = code.integer(1, 1);
    for (const Unknown &other : unknowns)
      for (Expr part : {form.factor, form.rest})
        if (llvm::is_contained(part.getSymbols(), program.context.getSymbol(other.symbol->name)))
          told = both(told, other.isTold);
    return told;
  };
  for (size_t round = 0; round < unknowns.size(); ++round)
    for (Unknown &unknown : unknowns)
      for (const auto &[form, dim] : unknown.forms) {
        Value isFactor =
                  arith::CmpIOp::create(code, arith::CmpIPredicate::ne, emit(form.factor).value, code.integer(0)),
              tells = both(isEachTold(form), isFactor);
        Number &number = symbols[unknown.symbol->name];
        Value told = arith::SelectOp::create(code, tells, solve(form, *dim).value, number.value);
        number.value = arith::SelectOp::create(code, unknown.isTold, number.value, told);
        unknown.isTold = arith::OrIOp::create(code, unknown.isTold, tells);
      }
  // Of several dims only a run knows which has told it.
  for (const Unknown &unknown : unknowns) {
    const InputDim *dim = unknown.forms.size() == 1 ? unknown.forms.front().second : nullptr;
    defineSymbol(*unknown.symbol, symbols[unknown.symbol->name],
                 dim ? SymbolSource{dim->port->name, dim->dim} : SymbolSource());
  }
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
    Guard guard{"input_dim", dim.expr.str(), "", "", {}, dim.port->name, dim.dim};
    SmallVector<Value> values{dim.actual.value, expected.value};
    for (Expr symbol : dim.expr.getSymbols()) {
      guard.symbols.push_back(symbol.getSymbolName().str());
      values.push_back(getSymbol(symbol.getSymbolName()).value);
    }
    if (expected.invalid) {
      Guard isSize = guard;
      isSize.kind = "size";
      Value valid = arith::XOrIOp::create(code, expected.invalid, code.integer(1, 1));
      require(valid, std::move(isSize), ArrayRef(values).drop_front(2));
    }
    Value equal = arith::CmpIOp::create(code, arith::CmpIPredicate::eq, dim.actual.value, expected.value);
    require(equal, std::move(guard), values);
  }
  return success();
}

void CheckEmitter::storeSymbols() {
  for (auto [index, symbol] : llvm::enumerate(program.symbols))
    code.store(getSymbol(symbol.name).value, symbolStore, index * sizeof(int64_t));
}
