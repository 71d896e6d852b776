//===- Guards and calls --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Constraints.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "dyn/Dialect/Dyn/IR/SymbolicText.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// RequireOp
//===----------------------------------------------------------------------===//

ParseResult RequireOp::parse(OpAsmParser &parser, OperationState &result) {
  FailureOr<StringRef> text =
      parseSymbolicText(parser, [](const char *place) { return startsWithKeyword(place, "because"); });
  if (failed(text))
    return failure();
  FailureOr<PredAttr> predicate = readPredicate(parser, *text);
  StringAttr because;
  if (failed(predicate) || parser.parseKeyword("because") || parser.parseAttribute(because) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.setPredicate(*predicate);
  properties.setBecause(because);
  return success();
}

void RequireOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printBarePredicate(printer, getPredicateAttr());
  printer << " because " << getBecauseAttr();
  printer.printOptionalAttrDict((*this)->getAttrs(), {getPredicateAttrName(), getBecauseAttrName()});
}

//===----------------------------------------------------------------------===//
// AssumeShapeOp
//===----------------------------------------------------------------------===//

LogicalResult AssumeShapeOp::verify() {
  if (succeeded(verifyCompatibleShape(getOperand().getType(), getType())))
    return success();
  return Constraint(*this, 1).emitError() << getOperand().getType() << " cannot be " << getType();
}

OpFoldResult AssumeShapeOp::fold(FoldAdaptor) { return getOperand().getType() == getType() ? getOperand() : Value(); }

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

/// Reads `<[n = S + P, m = 4]>`.
static ParseResult parseSymbolArguments(OpAsmParser &parser, ArrayAttr &symbols, DimsAttr &arguments) {
  SmallVector<Attribute> names;
  SmallVector<ExprAttr> values;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    FailureOr<StringRef> text = parseSymbolicText(parser, [](const char *place) { return *place == ','; });
    FailureOr<ExprAttr> value = failure();
    if (failed(text) || failed(value = readExpr(parser, *text)))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    values.push_back(*value);
    return success();
  };
  if (succeeded(parser.parseOptionalLess()))
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) || parser.parseGreater())
      return failure();
  symbols = parser.getBuilder().getArrayAttr(names);
  arguments = DimsAttr::get(parser.getContext(), values);
  return success();
}

ParseResult CallOp::parse(OpAsmParser &parser, OperationState &result) {
  FlatSymbolRefAttr callee;
  ArrayAttr symbols;
  DimsAttr arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  SMLoc loc;
  if (parser.parseAttribute(callee) || parseSymbolArguments(parser, symbols, arguments) ||
      parser.getCurrentLocation(&loc) || parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.setCallee(callee);
  properties.setSymbols(symbols);
  properties.setSymbolArguments(arguments);
  return success();
}

void CallOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCalleeAttr();
  if (!getSymbols().empty()) {
    printer << "<[";
    llvm::interleaveComma(llvm::zip_equal(getSymbols().getAsValueRange<StringAttr>(), getSymbolArguments().getDims()),
                          printer, [&](auto argument) {
                            printer << symbolic::printSymbolName(std::get<0>(argument)) << " = "
                                    << std::get<1>(argument).getText();
                          });
    printer << "]>";
  }
  printer << '(' << getOperands() << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getCalleeAttrName(), getSymbolsAttrName(), getSymbolArgumentsAttrName()});
  printer << " : ";
  printer.printFunctionalType(getOperandTypes(), getResultTypes());
}

/// `type` with the callee's symbols replaced; unchanged where an expression exceeds 64 bits, which equals no type of a
/// call.
static Type substituteSymbols(Type type, symbolic::SymbolicContext &context, const symbolic::Substitution &values) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto dims = tensor ? dyn_cast_or_null<DimsAttr>(tensor.getEncoding()) : DimsAttr();
  if (!dims)
    return type;
  SmallVector<symbolic::Expr> exprs;
  for (symbolic::Expr dim : dims.getExprs(context)) {
    symbolic::Expr value = symbolic::substitute(dim, values);
    if (!value)
      return type;
    exprs.push_back(value);
  }
  return getTensorType(exprs, tensor.getElementType());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &table) {
  auto callee = table.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "there is no function '" << getCallee() << "'";
  if (getSymbols().size() != getSymbolArguments().getDims().size())
    return emitOpError() << "gives " << getSymbolArguments().getDims().size() << " values to " << getSymbols().size()
                         << " symbols";

  symbolic::SymbolicContext context;
  symbolic::Substitution values;
  llvm::StringSet<> given;
  for (auto [name, value] :
       llvm::zip_equal(getSymbols().getAsValueRange<StringAttr>(), getSymbolArguments().getExprs(context))) {
    if (!given.insert(name).second)
      return emitOpError() << "gives symbol '" << name << "' two values";
    values[context.getSymbol(name).getNode()] = value;
  }
  bool bindsByData = false;
  if (auto symbols = callee->getAttrOfType<SymbolsAttr>(DynDialect::kSymbolsAttrName)) {
    for (const symbolic::SymbolDeclaration &declaration : symbols.getDeclarations()) {
      if (declaration.origin == symbolic::SymbolDeclaration::Origin::Bound)
        bindsByData = true;
      else if (declaration.origin != symbolic::SymbolDeclaration::Origin::Defined && !given.erase(declaration.name))
        return emitOpError() << "gives no value to symbol '" << declaration.name << "' of '" << getCallee() << "'";
    }
  }
  if (!given.empty())
    return emitOpError() << "gives a value to '" << given.begin()->getKey() << "', which '" << getCallee()
                         << "' does not declare";

  auto verifyTypes = [&](StringRef what, ArrayRef<Type> formals, TypeRange actuals) -> LogicalResult {
    if (formals.size() != actuals.size())
      return emitOpError() << "has " << actuals.size() << ' ' << what << "s but '" << getCallee() << "' has "
                           << formals.size();
    for (auto [index, formal, actual] : llvm::enumerate(formals, actuals)) {
      Type expected = substituteSymbols(formal, context, values);
      if (expected != actual)
        return emitOpError() << what << ' ' << index << " is " << actual << ", expected " << expected;
    }
    return success();
  };
  if (failed(verifyTypes("operand", callee.getArgumentTypes(), getOperandTypes())))
    return failure();
  // The caller names sizes that the callee binds by data as it likes.
  return bindsByData ? success() : verifyTypes("result", callee.getResultTypes(), getResultTypes());
}
