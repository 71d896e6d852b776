//===- Attributes that the dyn dialect hangs on functions -----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/Aliases.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/ElementDims.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;

/// Attributes are looked at before it is known whether the function has what it must have.
static bool hasType(FunctionOpInterface function) {
  auto type = function->getAttrOfType<TypeAttr>("function_type");
  return type && isa<FunctionType>(type.getValue());
}

/// Checks that the argument which a declaration names exists and has what it says. Arguments lose their shape when the
/// function is lowered; nothing is checked then.
static LogicalResult verifyOrigin(FunctionOpInterface function, const symbolic::SymbolDeclaration &declaration) {
  using Origin = symbolic::SymbolDeclaration::Origin;
  bool isFromArgument = declaration.origin == Origin::ArgumentDim || declaration.origin == Origin::ArgumentValue;
  if (!isFromArgument || !hasType(function))
    return success();
  if (declaration.argument >= function.getNumArguments())
    return function.emitOpError() << "declares symbol '" << declaration.name << "' from argument "
                                  << declaration.argument << " but has " << function.getNumArguments() << " arguments";
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[declaration.argument]);
  if (!type)
    return success();
  if (declaration.origin == Origin::ArgumentDim && type.hasRank() &&
      declaration.index >= static_cast<uint64_t>(type.getRank()))
    return function.emitOpError() << "declares symbol '" << declaration.name << "' from dim " << declaration.index
                                  << " of argument " << declaration.argument << ", whose rank is " << type.getRank();
  if (declaration.origin == Origin::ArgumentValue && !type.getElementType().isInteger())
    return function.emitOpError() << "declares symbol '" << declaration.name << "' from the value of argument "
                                  << declaration.argument << ", whose element type is " << type.getElementType();
  return success();
}

static LogicalResult verifySymbols(FunctionOpInterface function, SymbolsAttr symbols) {
  return success(llvm::all_of(symbols.getDeclarations(), [&](const symbolic::SymbolDeclaration &declaration) {
    return succeeded(verifyOrigin(function, declaration));
  }));
}

static LogicalResult verifyConstraints(FunctionOpInterface function, ConstraintsAttr constraints) {
  llvm::StringSet<> names;
  if (auto symbols = function->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName))
    for (const symbolic::SymbolDeclaration &declaration : symbols.getDeclarations())
      names.insert(declaration.name);
  symbolic::SymbolicContext context;
  for (PredAttr predicate : constraints.getPredicates())
    for (symbolic::Expr symbol : predicate.getPredicate(context).getSymbols())
      if (!names.contains(symbol.getSymbolName()))
        return function.emitOpError() << "has the constraint '" << predicate.getText() << "' on symbol '"
                                      << symbol.getSymbolName() << "', which it does not declare";
  return success();
}

/// Gives the attribute as `Kind`, or emits that it is something else.
template <typename Kind>
static FailureOr<Kind> expectKind(Operation *op, NamedAttribute attribute, StringRef kind) {
  if (auto value = dyn_cast<Kind>(attribute.getValue()))
    return value;
  return op->emitOpError() << "attribute '" << attribute.getName().getValue() << "' is not " << kind;
}

LogicalResult DynDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kDeclaredDimsAttrName) {
    if (op->getNumResults() != 1)
      return op->emitOpError() << "attribute '" << name << "' belongs on an op with one result";
    return expectKind<DimsAttr>(op, attribute, "'#dyn.dims'");
  }
  if (name == kBecauseAttrName && !GuardReason::isValid(attribute.getValue()))
    return op->emitOpError() << "attribute '" << name << "' is neither a string nor strings that name an operator";
  auto isOneOf = [&](auto... names) { return ((name == names) || ...); };
  if (isOneOf(kOperationsAttrName, kBytesAttrName))
    return expectKind<ExprAttr>(op, attribute, "'#dyn.expr'");
  if (!isOneOf(kSymbolsAttrName, kConstraintsAttrName, kKernelAttrName, kRowsAttrName, kIndexGuardsAttrName,
               kDeclaredAttrName, kAliasesAttrName, kAliasSourcesAttrName))
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "attribute '" << name << "' belongs on a function";
  if (name == kSymbolsAttrName) {
    FailureOr<SymbolsAttr> symbols = expectKind<SymbolsAttr>(op, attribute, "'#dyn.symbols'");
    return failed(symbols) ? failure() : verifySymbols(function, *symbols);
  }
  if (name == kConstraintsAttrName) {
    FailureOr<ConstraintsAttr> constraints = expectKind<ConstraintsAttr>(op, attribute, "'#dyn.constraints'");
    return failed(constraints) ? failure() : verifyConstraints(function, *constraints);
  }
  if (name == kAliasesAttrName)
    return expectKind<ConstraintsAttr>(op, attribute, "'#dyn.constraints'");
  if (name == kAliasSourcesAttrName)
    return verifyAliasSources(op, attribute.getValue());
  if (name == kDeclaredAttrName) {
    auto mode = dyn_cast<StringAttr>(attribute.getValue());
    if (!mode || !llvm::is_contained({"refine", "strict", "override", "trust"}, mode.getValue()))
      return op->emitOpError() << "attribute '" << name << "' is none of refine, strict, override, trust";
    return success();
  }
  if (name == kRowsAttrName)
    return expectKind<IntegerAttr>(op, attribute, "an integer");
  if (name == kIndexGuardsAttrName) {
    // A divisor is an index below 1 that is 1 where it is 0: `{divisor_of = "node"}`. Indices that are an input are
    // `{index_of = "node", input = "ids"}`; those that don't count from the end say what they are: `noun = "length"`.
    auto isGuard = [](Attribute element) {
      auto guard = dyn_cast<DictionaryAttr>(element);
      auto hasText = [&](StringRef key) { return isa_and_present<StringAttr>(guard.get(key)); };
      return isa<StringAttr>(element) || (guard && guard.size() == 1 && hasText("divisor_of")) ||
             (guard && hasText("index_of") && guard.size() > 1 &&
              guard.size() == 1u + hasText("input") + hasText("noun"));
    };
    FailureOr<ArrayAttr> names = expectKind<ArrayAttr>(op, attribute, "a list of node names");
    if (succeeded(names) && !llvm::all_of(*names, isGuard))
      return op->emitOpError() << "attribute '" << name << "' is not a list of node names";
    return names;
  }
  return success();
}

/// Checks an attribute of an argument or a result.
static LogicalResult verifyValueAttribute(Operation *op, const Twine &what, Type type, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == DynDialect::kNameAttrName && !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << "attribute 'dyn.name' of " << what << " is not a string";
  if (name == kElementDimsAttrName) {
    auto dims = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!dims || !llvm::all_of(dims, llvm::IsaPred<IntegerAttr, StringAttr, UnitAttr>))
      return op->emitOpError() << "attribute '" << name << "' of " << what
                               << " is not an array of integers, strings and units";
  }
  if (name == DynDialect::kElementTypeAttrName && !isa<TypeAttr>(attribute.getValue()))
    return op->emitOpError() << "attribute 'dyn.element_type' of " << what << " is not a type";
  if (name == DynDialect::kLayoutAttrName) {
    auto layout = dyn_cast<AffineMapAttr>(attribute.getValue());
    auto shaped = dyn_cast_or_null<ShapedType>(type);
    if (!layout || !shaped || !shaped.hasRank() || layout.getValue().getNumDims() != shaped.getRank())
      return op->emitOpError() << "attribute 'dyn.layout' of " << what << " is not an affine map of the dims of "
                               << type;
  }
  if (name != DynDialect::kDimsAttrName && name != DynDialect::kDeclaredDimsAttrName)
    return success();
  auto dims = dyn_cast<DimsAttr>(attribute.getValue());
  if (!dims)
    return op->emitOpError() << "attribute '" << name << "' of " << what << " is not '#dyn.dims'";
  // What is declared may contradict the type; that is for inference to say, with reasons.
  if (name == DynDialect::kDeclaredDimsAttrName)
    return success();
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return success();
  return dims.verifyEncoding(shaped.getShape(), shaped.getElementType(),
                             [&] { return op->emitOpError() << what << ": "; });
}

LogicalResult DynDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                   NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function && argument < function.getNumArguments() ? function.getArgumentTypes()[argument] : Type();
  return verifyValueAttribute(op, "argument " + Twine(argument), type, attribute);
}

LogicalResult DynDialect::verifyRegionResultAttribute(Operation *op, unsigned region, unsigned result,
                                                      NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function && result < function.getNumResults() ? function.getResultTypes()[result] : Type();
  return verifyValueAttribute(op, "result " + Twine(result), type, attribute);
}
