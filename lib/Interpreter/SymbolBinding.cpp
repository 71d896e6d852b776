//===- Symbols from concrete tensors ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SymbolBinding.h"
#include "Models.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;
using symbolic::SymbolDeclaration;
using Origin = SymbolDeclaration::Origin;

/// Does a list hold what sequences and optionals of this type hold?
static bool isOfType(const ReferenceTensor &value, Type type) {
  if (auto sequence = dyn_cast<SequenceType>(type))
    return value.isList() && llvm::all_of(value.getList(), [&](const ReferenceTensor &element) {
             return isOfType(element, sequence.getElement());
           });
  if (auto optional = dyn_cast<OptionalType>(type))
    return value.isList() && value.getList().size() <= 1 &&
           (value.getList().empty() || isOfType(value.getList().front(), optional.getElement()));
  return !value.isList() && value.getElementType() == cast<TensorType>(type).getElementType();
}

namespace {
/// A dim that is not what a type says.
struct WrongDim {
  unsigned index;
  int64_t expected;
};
} // namespace

/// The first one of a tensor of the type's rank. With `mayBind`, gives symbols values as checkType() does.
static std::optional<WrongDim> findWrongDim(ReferenceScope &scope, const ReferenceTensor &tensor, RankedTensorType type,
                                            bool mayBind) {
  auto encoding = dyn_cast_or_null<DimsAttr>(type.getEncoding());
  for (auto [index, actual, dim] : llvm::enumerate(tensor.getDims(), type.getShape())) {
    std::optional<int64_t> expected;
    if (ShapedType::isStatic(dim)) {
      expected = dim;
    } else if (encoding) {
      ExprAttr expr = encoding.getDims()[index];
      expected = scope.evaluate(expr);
      symbolic::SymbolicContext context;
      symbolic::Expr symbol = expected || !mayBind ? symbolic::Expr() : expr.getExpr(context);
      if (symbol && symbol.isSymbol())
        scope.bind(symbol.getSymbolName(), actual);
    }
    if (expected && *expected != actual)
      return WrongDim{static_cast<unsigned>(index), *expected};
  }
  return std::nullopt;
}

LogicalResult reference::checkType(ReferenceScope &scope, const ReferenceTensor &tensor, Type type, bool mayBind,
                                   llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (isa<SequenceType, OptionalType>(type)) {
    if (isOfType(tensor, type))
      return success();
    return emitError() << "does not hold what its type " << type << " says";
  }
  auto shaped = dyn_cast<TensorType>(type);
  if (!shaped)
    return emitError() << "has the type " << type << ", which is no tensor";
  if (tensor.getElementType() != shaped.getElementType())
    return emitError() << "is a tensor of " << tensor.getElementType() << " but its type is " << type;
  if (!shaped.hasRank())
    return success();
  if (tensor.getRank() != shaped.getRank())
    return emitError() << "has the dims " << print(tensor.getDims()) << " but its type is " << type;
  if (auto wrong = findWrongDim(scope, tensor, cast<RankedTensorType>(shaped), mayBind))
    return emitError() << "has the dims " << print(tensor.getDims()) << " but its type " << type << " says that dim "
                       << wrong->index << " is " << wrong->expected;
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs of functions
//===----------------------------------------------------------------------===//

/// About the inputs of a call. Who runs a model knows its inputs by their names, and nothing of the function that it
/// has become.
static InFlightDiagnostic emitCallError(FunctionOpInterface function) {
  if (function.getNumArguments() && function.getArgAttr(0, DynDialect::kNameAttrName))
    return emitError(UnknownLoc::get(function.getContext()));
  return function.emitOpError();
}

static std::string describeInput(FunctionOpInterface function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName);
  return name ? "input '" + name.str() + "'" : "input " + std::to_string(index);
}

/// The dim of an argument as its type or its attribute `dyn.dims` says it.
static ExprAttr getArgumentDim(FunctionOpInterface function, unsigned argument, unsigned index) {
  auto dims = function.getArgAttrOfType<DimsAttr>(argument, DynDialect::kDimsAttrName);
  if (!dims)
    dims = DimsAttr::of(cast<ShapedType>(function.getArgumentTypes()[argument]));
  return dims && index < dims.getDims().size() ? dims.getDims()[index] : ExprAttr();
}

/// " (dim 1 of input 'ids')", as compiled models say where the value of a symbol comes from; "" if no input gives it.
static std::string describeSource(FunctionOpInterface function, StringRef symbol) {
  SmallVector<SymbolDeclaration> declarations;
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    declarations = symbols.getDeclarations();
  for (const SymbolDeclaration &declaration : declarations) {
    if (declaration.name != symbol)
      continue;
    std::string place = std::to_string(declaration.index) + " of ";
    if (declaration.origin == Origin::ArgumentValue)
      return " (element " + place + describeInput(function, declaration.argument) + ")";
    if (declaration.origin != Origin::ArgumentDim)
      return "";
    place = " (dim " + place + describeInput(function, declaration.argument);
    ExprAttr dim = getArgumentDim(function, declaration.argument, declaration.index);
    bool isSymbol = !dim || dim.getText() == symbolic::printSymbolName(symbol);
    return place + (isSymbol ? ")" : ", which is " + dim.getText().str() + ")");
  }
  return "";
}

/// As compiled models say it.
static InFlightDiagnostic emitDimError(FunctionOpInterface function, unsigned input, int64_t actual,
                                       const WrongDim &wrong, const ReferenceScope &scope) {
  InFlightDiagnostic diagnostic = emitCallError(function) << describeInput(function, input) << " dim " << wrong.index
                                                          << " is " << actual << ", must be ";
  DimsAttr encoding = DimsAttr::of(cast<ShapedType>(function.getArgumentTypes()[input]));
  if (!encoding || encoding.getDims()[wrong.index].getText() == std::to_string(wrong.expected))
    return std::move(diagnostic << wrong.expected);
  ExprAttr dim = encoding.getDims()[wrong.index];
  diagnostic << dim.getText() << " = " << wrong.expected;
  symbolic::SymbolicContext context;
  symbolic::Expr expr = dim.getExpr(context);
  if (expr.isSymbol())
    return std::move(diagnostic << describeSource(function, expr.getSymbolName()));
  StringRef separator = "; got ";
  for (symbolic::Expr symbol : expr.getSymbols()) {
    diagnostic << separator << symbolic::printSymbolName(symbol.getSymbolName()) << " = "
               << scope.getValue(symbol.getSymbolName()).value_or(0)
               << describeSource(function, symbol.getSymbolName());
    separator = ", ";
  }
  return diagnostic;
}

/// Solves `dim == size` for `symbol`, which occurs linearly in it. Nothing where another symbol has no value yet or no
/// integer solves it.
static std::optional<int64_t> solve(ExprAttr dim, StringRef symbol, int64_t size, const ReferenceScope &scope) {
  if (dim.getText() == symbolic::printSymbolName(symbol))
    return size;
  symbolic::SymbolicContext context;
  symbolic::Expr expr = dim.getExpr(context);
  auto valueAt = [&](int64_t value) {
    return symbolic::evaluate(expr, [&](StringRef name) { return name == symbol ? value : scope.getValue(name); });
  };
  std::optional<int64_t> atZero = valueAt(0), atOne = valueAt(1);
  int64_t slope, distance;
  if (!atZero || !atOne || llvm::SubOverflow(*atOne, *atZero, slope) || slope == 0 ||
      llvm::SubOverflow(size, *atZero, distance) || distance % slope != 0)
    return std::nullopt;
  int64_t value = distance / slope;
  return valueAt(value) == size ? std::optional(value) : std::nullopt;
}

/// The value that the declaration and the symbols bound so far determine.
static std::optional<int64_t> getDeclaredValue(FunctionOpInterface function, const SymbolDeclaration &declaration,
                                               ArrayRef<ReferenceTensor> inputs, const ReferenceScope &scope) {
  switch (declaration.origin) {
  case Origin::None:
  case Origin::Bound:
    return std::nullopt;
  case Origin::Defined: {
    symbolic::SymbolicContext context;
    symbolic::ParseError error;
    symbolic::Expr definition = symbolic::parseExpr(declaration.definition, context, error);
    return symbolic::evaluate(definition, [&](StringRef name) { return scope.getValue(name); });
  }
  case Origin::ArgumentValue: {
    SmallVector<int64_t> values = inputs[declaration.argument].getIntegers();
    return declaration.index < values.size() ? std::optional(values[declaration.index]) : std::nullopt;
  }
  case Origin::ArgumentDim: {
    const ReferenceTensor &input = inputs[declaration.argument];
    if (declaration.index >= input.getRank())
      return std::nullopt;
    int64_t size = input.getDim(declaration.index);
    ExprAttr dim = getArgumentDim(function, declaration.argument, declaration.index);
    return dim ? solve(dim, declaration.name, size, scope) : std::optional(size);
  }
  }
  llvm_unreachable("all origins are covered");
}

static LogicalResult checkFacts(FunctionOpInterface function, const SymbolDeclaration &declaration, int64_t value) {
  const symbolic::SymbolFacts &facts = declaration.facts;
  auto fail = [&]() -> InFlightDiagnostic {
    InFlightDiagnostic diagnostic = emitCallError(function);
    if (declaration.origin == Origin::ArgumentValue)
      diagnostic << "element " << declaration.index << " of " << describeInput(function, declaration.argument);
    else
      diagnostic << "symbol '" << declaration.name << "'" << describeSource(function, declaration.name);
    diagnostic << " is " << value << ", must be ";
    return diagnostic;
  };
  if (facts.range.lower && facts.range.lower == facts.range.upper && value != *facts.range.lower)
    return fail() << *facts.range.lower;
  if (facts.range.lower && value < *facts.range.lower)
    return fail() << ">= " << *facts.range.lower;
  if (facts.range.upper && value > *facts.range.upper)
    return fail() << "<= " << *facts.range.upper;
  // The remainder of a negative value counts from below, as everywhere in the engine.
  if (facts.modulus > 1 && ((value % facts.modulus) + facts.modulus) % facts.modulus != facts.remainder)
    return fail() << facts.remainder << " modulo " << facts.modulus;
  if (llvm::is_contained(facts.notEqual, value))
    return fail() << "another value";
  return success();
}

/// Binds what is declared, in any order of dependence, and checks its facts.
static LogicalResult bindDeclared(FunctionOpInterface function, ArrayRef<ReferenceTensor> inputs,
                                  ReferenceScope &scope) {
  auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  if (!symbols)
    return success();
  SmallVector<SymbolDeclaration> declarations = symbols.getDeclarations();
  for (bool progress = true; progress;) {
    progress = false;
    for (const SymbolDeclaration &declaration : declarations) {
      if (scope.getValue(declaration.name))
        continue;
      if (std::optional<int64_t> value = getDeclaredValue(function, declaration, inputs, scope)) {
        scope.bind(declaration.name, *value);
        progress = true;
      }
    }
  }
  for (const SymbolDeclaration &declaration : declarations) {
    std::optional<int64_t> value = scope.getValue(declaration.name);
    if (value && failed(checkFacts(function, declaration, *value)))
      return failure();
    if (!value && declaration.origin == Origin::ArgumentDim)
      return emitCallError(function) << "no value of symbol '" << declaration.name << "' gives "
                                     << describeInput(function, declaration.argument) << " the dims "
                                     << print(inputs[declaration.argument].getDims());
  }
  return success();
}

LogicalResult reference::bindArguments(FunctionOpInterface function, ArrayRef<ReferenceTensor> inputs,
                                       ReferenceScope &scope) {
  if (inputs.size() != function.getNumArguments())
    return emitCallError(function) << "takes " << function.getNumArguments() << " inputs, not " << inputs.size();
  auto emitInputError = [&](unsigned index) -> InFlightDiagnostic {
    return emitCallError(function) << describeInput(function, index) << ' ';
  };
  // Ranks and element types first: what binds symbols relies on them.
  for (auto [index, tensor, type] : llvm::enumerate(inputs, function.getArgumentTypes())) {
    auto shaped = dyn_cast<TensorType>(type);
    if (!shaped && isa<SequenceType, OptionalType>(type))
      continue; // checkType() does all.
    if (!shaped || tensor.isList() || shaped.getElementType() != tensor.getElementType() ||
        (shaped.hasRank() && shaped.getRank() != tensor.getRank())) {
      std::string text;
      llvm::raw_string_ostream(text) << tensor;
      return emitInputError(index) << "is " << text << " but its type is " << type;
    }
  }
  if (failed(bindDeclared(function, inputs, scope)))
    return failure();
  for (auto [index, tensor, type] : llvm::enumerate(inputs, function.getArgumentTypes())) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (auto wrong = ranked ? findWrongDim(scope, tensor, ranked, /*mayBind=*/true) : std::nullopt)
      return emitDimError(function, index, tensor.getDim(wrong->index), *wrong, scope);
    if (failed(checkType(scope, tensor, type, /*mayBind=*/true, [&, index = index] { return emitInputError(index); })))
      return failure();
  }
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
    for (PredAttr predicate : constraints.getPredicates())
      if (scope.evaluate(predicate) == false)
        return emitCallError(function) << "constraint '" << predicate.getText() << "' does not hold "
                                       << scope.describeSymbols(predicate);
  return success();
}
