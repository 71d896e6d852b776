//===- Sizes that do not fit, in the words of compiled models ---------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "FaultTexts.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/ElementDims.h"
#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

bool reference::hasNames(FunctionOpInterface function) {
  return function.getNumArguments() && function.getArgAttr(0, DynDialect::kNameAttrName);
}

InFlightDiagnostic reference::emitCallError(FunctionOpInterface function) {
  return hasNames(function) ? emitError(UnknownLoc::get(function.getContext())) : function.emitOpError();
}

static std::string getName(FunctionOpInterface function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, DynDialect::kNameAttrName);
  return name ? name.str() : "";
}

std::string reference::describeInput(FunctionOpInterface function, unsigned index) {
  std::string name = getName(function, index);
  return name.empty() ? "input " + std::to_string(index) : dyn::describeInput(name);
}

std::string reference::getElementTypeName(Type type) {
  if (type.isInteger(1))
    return "bool";
  if (isa<StringType>(type))
    return "string";
  if (auto integer = dyn_cast<IntegerType>(type))
    return (integer.isUnsigned() ? "uint" : "int") + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  StringRef rest = text;
  if (isa<FloatType>(type) && rest.consume_front("f"))
    return "float" + rest.lower();
  return type.isBF16() ? "bfloat16" : text;
}

/// In the plural, or with an article in front.
static std::string describeInputType(Type type, bool isPlural) {
  std::string article = isPlural ? "" : "a ", ending = isPlural ? "s" : "";
  if (auto sequence = dyn_cast<SequenceType>(type))
    return article + "sequence" + ending + " of " + describeInputType(sequence.getElement(), /*isPlural=*/true);
  if (auto optional = dyn_cast<OptionalType>(type))
    return "optional " + describeInputType(optional.getElement(), /*isPlural=*/true);
  return article + "tensor" + ending + " of " + getElementTypeName(getElementTypeOrSelf(type));
}

std::string reference::describeInputType(Type type) { return ::describeInputType(type, /*isPlural=*/false); }

/// "dim 1 of input 'ids'"; empty if no input gives the symbol.
static std::string describeSourceOf(FunctionOpInterface function, const symbolic::SymbolDeclaration &declaration) {
  using Origin = symbolic::SymbolDeclaration::Origin;
  if (declaration.origin != Origin::ArgumentDim && declaration.origin != Origin::ArgumentValue)
    return "";
  // As compiled functions call them.
  std::string input = getName(function, declaration.argument);
  if (input.empty())
    input = "arg" + std::to_string(declaration.argument);
  if (declaration.origin == Origin::ArgumentValue)
    return describeSource({input, -1, declaration.index}, declaration.name, "");
  ExprAttr dim = getArgumentDim(function, declaration.argument, declaration.index);
  return describeSource({input, declaration.index, -1}, declaration.name, dim ? dim.getText().str() : "");
}

std::vector<SymbolText> reference::getSymbolTexts(FunctionOpInterface function, ArrayRef<std::string> names,
                                                  const ReferenceScope &scope) {
  std::vector<SymbolText> texts;
  auto add = [&](const std::string &name, std::string source) {
    std::optional<int64_t> value = scope.getValue(name);
    texts.push_back({name, value ? std::to_string(*value) : "?", std::move(source)});
  };
  llvm::StringSet<> declared;
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    for (const symbolic::SymbolDeclaration &declaration : symbols.getDeclarations())
      if (llvm::is_contained(names, declaration.name) && declared.insert(declaration.name).second)
        add(declaration.name, describeSourceOf(function, declaration));
  for (const std::string &name : names)
    if (declared.insert(name).second)
      add(name, "");
  return texts;
}

SmallVector<std::string> reference::getNames(ArrayRef<symbolic::Expr> symbols) {
  return llvm::map_to_vector(symbols, [](symbolic::Expr symbol) { return symbol.getSymbolName().str(); });
}

bool reference::hasValues(PredAttr predicate, const ReferenceScope &scope) {
  symbolic::SymbolicContext context;
  return llvm::all_of(predicate.getPredicate(context).getSymbols(),
                      [&](symbolic::Expr symbol) { return scope.getValue(symbol.getSymbolName()).has_value(); });
}

SmallVector<std::string> reference::findInvalidSize(FunctionOpInterface function, PredAttr predicate,
                                                    const ReferenceScope &scope) {
  auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName);
  symbolic::SymbolicContext context;
  SmallVector<std::string> names = getNames(predicate.getPredicate(context).getSymbols());
  for (bool isNext = symbols != nullptr; isNext;) {
    auto open = llvm::find_if(names, [&](const std::string &name) { return !scope.getValue(name); });
    if (open == names.end())
      return names;
    isNext = false;
    for (const symbolic::SymbolDeclaration &declaration : symbols.getDeclarations())
      if (declaration.name == *open && declaration.origin == symbolic::SymbolDeclaration::Origin::Defined) {
        symbolic::ParseError error;
        if (symbolic::Expr definition = symbolic::parseExpr(declaration.definition, context, error)) {
          names = getNames(definition.getSymbols());
          isNext = true;
        }
        break;
      }
  }
  return {};
}

InFlightDiagnostic reference::emitGuardError(FunctionOpInterface function, PredAttr predicate, StringRef because,
                                             StringRef node, const ReferenceScope &scope) {
  symbolic::SymbolicContext context;
  SmallVector<std::string> names = getNames(predicate.getPredicate(context).getSymbols());
  bool isOpen = !hasValues(predicate, scope);
  if (SmallVector<std::string> parts =
          isOpen ? findInvalidSize(function, predicate, scope) : SmallVector<std::string>();
      !parts.empty())
    return emitCallError(function) << describeUndecided(predicate.getText().str(), because.str(), node.str(),
                                                        getSymbolTexts(function, parts, scope));
  bool hasValue = isOpen || scope.evaluate(predicate);
  auto describe = hasValue ? describeGuard : describeUndecided;
  return emitCallError(function) << describe(predicate.getText().str(), because.str(), node.str(),
                                             getSymbolTexts(function, names, scope));
}

InFlightDiagnostic reference::emitDimError(FunctionOpInterface function, unsigned input, unsigned dim, int64_t actual,
                                           int64_t expected, const ReferenceScope &scope) {
  DimsAttr encoding = DimsAttr::of(cast<ShapedType>(function.getArgumentTypes()[input]));
  std::string text = std::to_string(expected);
  std::vector<SymbolText> symbols;
  if (encoding) {
    ExprAttr expr = encoding.getDims()[dim];
    text = expr.getText().str();
    symbolic::SymbolicContext context;
    symbols = getSymbolTexts(function, getNames(expr.getExpr(context).getSymbols()), scope);
  }
  return emitCallError(function) << describeWrongDim(describeInput(function, input), dim, std::to_string(actual), text,
                                                     std::to_string(expected), symbols);
}

InFlightDiagnostic reference::emitRankError(FunctionOpInterface function, unsigned input, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[input]);
  std::vector<std::string> actual, expected;
  for (int64_t dim : dims)
    actual.push_back(std::to_string(dim));
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    ExprAttr dim = getArgumentDim(function, input, index);
    expected.push_back(dim ? dim.getText().str() : ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  }
  return emitCallError(function) << describeWrongRank(describeInput(function, input), actual, expected);
}

/// The value of a declared dim of which only the text is known; nothing where a symbol in it has none.
static std::optional<int64_t> evaluateText(StringRef text, const ReferenceScope &scope,
                                           std::vector<SymbolText> &symbols, FunctionOpInterface function) {
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  symbolic::Expr expr = scope.getValue(text) ? context.getSymbol(text) : symbolic::parseExpr(text, context, error);
  if (!expr)
    return std::nullopt;
  symbols = getSymbolTexts(function, getNames(expr.getSymbols()), scope);
  return symbolic::evaluate(expr, [&](StringRef name) { return scope.getValue(name); });
}

LogicalResult reference::checkElementDims(FunctionOpInterface function, unsigned input, unsigned number,
                                          const ReferenceTensor &tensor, const ReferenceScope &scope) {
  auto declared = function.getArgAttrOfType<ArrayAttr>(input, kElementDimsAttrName);
  if (!declared)
    return success();
  std::string name = "tensor " + std::to_string(number) + " of " + describeInput(function, input);
  if (declared.size() != static_cast<size_t>(tensor.getRank())) {
    std::vector<std::string> actual, expected;
    for (int64_t dim : tensor.getDims())
      actual.push_back(std::to_string(dim));
    for (Attribute dim : declared) {
      auto size = dyn_cast<IntegerAttr>(dim);
      auto text = dyn_cast<StringAttr>(dim);
      expected.push_back(size ? std::to_string(size.getInt()) : text ? text.str() : "?");
    }
    return emitCallError(function) << describeWrongRank(name, actual, expected);
  }
  for (auto [index, dim] : llvm::enumerate(declared)) {
    std::vector<SymbolText> symbols;
    std::optional<int64_t> expected;
    std::string text;
    if (auto size = dyn_cast<IntegerAttr>(dim)) {
      expected = size.getInt();
      text = std::to_string(size.getInt());
    } else if (auto expression = dyn_cast<StringAttr>(dim)) {
      expected = evaluateText(expression, scope, symbols, function);
      text = expression.str();
    }
    if (expected && *expected != tensor.getDim(index))
      return emitCallError(function) << describeWrongDim(name, static_cast<int64_t>(index),
                                                         std::to_string(tensor.getDim(index)), text,
                                                         std::to_string(*expected), symbols);
  }
  return success();
}
