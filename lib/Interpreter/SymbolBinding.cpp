//===- Symbols from concrete tensors ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SymbolBinding.h"
#include "FaultTexts.h"
#include "Models.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include "dyn/Dialect/Dyn/IR/NodeName.h"
#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/Symbolic/LinearForms.h"
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
      if (!expected && mayBind) {
        symbolic::SymbolicContext context;
        if (symbolic::Expr symbol = expr.getExpr(context); symbol && symbol.isSymbol())
          scope.bind(symbol.getSymbolName(), actual);
      }
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

/// Calls `visit` with each dim of an input that only one value of the symbol can give, as long as it returns false: it
/// is linear in it, with a factor that is not 0, and all else in it has a value.
static bool anyDimThatTells(FunctionOpInterface function, StringRef symbol, ArrayRef<ReferenceTensor> inputs,
                            const ReferenceScope &scope,
                            llvm::function_ref<bool(unsigned input, ExprAttr dim, int64_t size)> visit) {
  symbolic::SymbolicContext context;
  symbolic::Expr wanted = context.getSymbol(symbol);
  auto getValue = [&](StringRef name) { return scope.getValue(name); };
  for (auto [input, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    DimsAttr dims = ranked ? DimsAttr::of(ranked) : DimsAttr();
    if (!dims)
      continue;
    for (auto [index, dim] : llvm::enumerate(dims.getDims())) {
      std::optional<symbolic::LinearForm> form = symbolic::getLinearForm(dim.getExpr(context), wanted);
      bool isTold = form && symbolic::evaluate(form->factor, getValue).value_or(0) != 0 &&
                    symbolic::evaluate(form->rest, getValue);
      if (isTold && visit(static_cast<unsigned>(input), dim, inputs[input].getDim(index)))
        return true;
    }
  }
  return false;
}

/// Does the symbol stand in the dims of inputs, but with a factor of 0 wherever that and the rest are known?
static bool isLeftOpen(FunctionOpInterface function, StringRef symbol, const ReferenceScope &scope) {
  symbolic::SymbolicContext context;
  auto getValue = [&](StringRef name) { return scope.getValue(name); };
  bool isFound = false;
  for (Type type : function.getArgumentTypes())
    if (auto ranked = dyn_cast<RankedTensorType>(type))
      if (DimsAttr dims = DimsAttr::of(ranked))
        for (ExprAttr dim : dims.getDims()) {
          auto form = symbolic::getLinearForm(dim.getExpr(context), context.getSymbol(symbol));
          std::optional<int64_t> factor = form ? symbolic::evaluate(form->factor, getValue) : std::nullopt;
          if (factor.value_or(0) != 0)
            return false;
          isFound |= factor && symbolic::evaluate(form->rest, getValue);
        }
  return isFound;
}

/// The value that the declaration and the symbols bound so far determine.
static std::optional<int64_t> getDeclaredValue(FunctionOpInterface function, const SymbolDeclaration &declaration,
                                               ArrayRef<ReferenceTensor> inputs, const ReferenceScope &scope) {
  switch (declaration.origin) {
  case Origin::Bound:
    return std::nullopt;
  case Origin::None: {
    // Only expressions tell it.
    std::optional<int64_t> value;
    anyDimThatTells(function, declaration.name, inputs, scope, [&](unsigned, ExprAttr dim, int64_t size) {
      value = solve(dim, declaration.name, size, scope);
      return value.has_value();
    });
    return value;
  }
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

/// In the words of the guards that compiled models have of a symbol's facts.
static LogicalResult checkFacts(FunctionOpInterface function, const SymbolDeclaration &declaration, int64_t value,
                                const ReferenceScope &scope) {
  const symbolic::SymbolFacts &facts = declaration.facts;
  std::string name = symbolic::printSymbolName(declaration.name);
  auto fail = [&](const Twine &predicate) -> LogicalResult {
    return emitCallError(function) << describeGuard((name + predicate).str(), "", "",
                                                    getSymbolTexts(function, {declaration.name}, scope));
  };
  auto [lower, upper] = facts.range;
  bool isBelow = lower && value < *lower, isAbove = upper && value > *upper;
  if ((isBelow || isAbove) && lower && upper)
    return *lower == *upper ? fail(" == " + Twine(*lower)) : fail(" in " + Twine(*lower) + ".." + Twine(*upper));
  if (isBelow)
    return fail(" >= " + Twine(*lower));
  if (isAbove)
    return fail(" <= " + Twine(*upper));
  if (llvm::is_contained(facts.notEqual, value))
    return fail(" != " + Twine(value));
  if (!symbolic::allows(facts, value))
    return fail(" mod " + Twine(facts.modulus) + " == " + Twine(facts.remainder));
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
    // Any value will do, with which the dims are compared all the same.
    auto open = progress ? declarations.end() : llvm::find_if(declarations, [&](const SymbolDeclaration &declaration) {
      return declaration.origin == Origin::None && !scope.getValue(declaration.name) &&
             isLeftOpen(function, declaration.name, scope);
    });
    if (open != declarations.end()) {
      scope.bind(open->name, symbolic::getAnyValue(open->facts));
      progress = true;
    }
  }
  for (const SymbolDeclaration &declaration : declarations) {
    std::optional<int64_t> value = scope.getValue(declaration.name);
    if (value && failed(checkFacts(function, declaration, *value, scope)))
      return failure();
    std::optional<unsigned> argument;
    if (!value && declaration.origin == Origin::ArgumentDim)
      argument = declaration.argument;
    if (!value && declaration.origin == Origin::None)
      anyDimThatTells(function, declaration.name, inputs, scope, [&](unsigned input, ExprAttr, int64_t) {
        argument = input;
        return true;
      });
    if (argument)
      return emitCallError(function) << "no value of symbol '" << declaration.name << "' gives "
                                     << describeInput(function, *argument) << " the dims "
                                     << print(inputs[*argument].getDims());
  }
  return success();
}

/// Of a sequence, an optional, or an optional sequence.
static LogicalResult checkElements(FunctionOpInterface function, unsigned input, const ReferenceTensor &list,
                                   const ReferenceScope &scope) {
  for (auto [number, element] : llvm::enumerate(list.getList()))
    if (failed(element.isList() ? checkElements(function, input, element, scope)
                                : checkElementDims(function, input, number, element, scope)))
      return failure();
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
    if (!shaped && isa<SequenceType, OptionalType>(type)) {
      if (!isOfType(tensor, type))
        return emitInputError(index) << "must be " << describeInputType(type);
      continue;
    }
    if (auto ranked = dyn_cast<RankedTensorType>(type);
        ranked && !tensor.isList() && ranked.getRank() != tensor.getRank())
      return emitRankError(function, index, tensor.getDims());
    if (!shaped || tensor.isList())
      return emitInputError(index) << "is no tensor, must be " << describeInputType(type);
    if (shaped.getElementType() != tensor.getElementType())
      return emitInputError(index) << "has element type " << getElementTypeName(tensor.getElementType()) << ", must be "
                                   << getElementTypeName(shaped.getElementType());
  }
  if (failed(bindDeclared(function, inputs, scope)))
    return failure();
  for (auto [index, tensor, type] : llvm::enumerate(inputs, function.getArgumentTypes())) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (auto wrong = ranked ? findWrongDim(scope, tensor, ranked, /*mayBind=*/true) : std::nullopt)
      return emitDimError(function, index, wrong->index, tensor.getDim(wrong->index), wrong->expected, scope);
    if (failed(checkType(scope, tensor, type, /*mayBind=*/true, [&, index = index] { return emitInputError(index); })))
      return failure();
  }
  for (auto [index, list] : llvm::enumerate(inputs))
    if (list.isList() && failed(checkElements(function, index, list, scope)))
      return failure();
  if (auto constraints = function->getAttrOfType<ConstraintsAttr>(DynDialect::kConstraintsAttrName))
    for (PredAttr predicate : constraints.getPredicates())
      if (scope.evaluate(predicate) == false)
        return emitGuardError(function, predicate, "", "", scope);
  // Guards of what inputs determine come before all work. Where sizes do not fit, others that are computed of them have
  // no value: a guard that is false says more than one that has none.
  auto isFalse = [&](RequireOp guard) {
    return hasValues(guard.getPredicate(), scope) && scope.evaluate(guard.getPredicate()) == false;
  };
  auto isInvalid = [&](RequireOp guard) {
    return hasValues(guard.getPredicate(), scope) ? !scope.evaluate(guard.getPredicate())
                                                  : !findInvalidSize(function, guard.getPredicate(), scope).empty();
  };
  auto guards = function.getFunctionBody().front().getOps<RequireOp>();
  auto found = llvm::find_if(guards, isFalse);
  if (found == guards.end())
    found = llvm::find_if(guards, isInvalid);
  if (found == guards.end())
    return success();
  RequireOp guard = *found;
  return emitGuardError(function, guard.getPredicate(), guard.getBecause(), getNodeName(guard.getLoc()), scope);
}
