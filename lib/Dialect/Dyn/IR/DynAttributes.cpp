//===- Attributes of the dyn dialect ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Attributes hold canonical text: what the engine prints for the normal form. A
// text that comes from a user is read once, here, and printed back before it is
// stored, so that equal expressions are one attribute.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Dialect/Dyn/IR/SymbolicText.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Dyn/IR/DynAttributes.cpp.inc"

void DynDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dyn/Dialect/Dyn/IR/DynAttributes.cpp.inc"
      >();
}

/// Reads `<text>` and gives the text.
static FailureOr<StringRef> parseBody(AsmParser &parser) {
  if (parser.parseLess())
    return failure();
  FailureOr<StringRef> text = parseSymbolicText(parser, [](const char *place) { return *place == '>'; });
  if (failed(text) || parser.parseGreater())
    return failure();
  return text;
}

//===----------------------------------------------------------------------===//
// ExprAttr
//===----------------------------------------------------------------------===//

ExprAttr ExprAttr::get(MLIRContext *context, symbolic::Expr expr) {
  assert(expr && "an attribute holds an expression");
  return get(context, StringRef(expr.str()));
}

ExprAttr ExprAttr::get(MLIRContext *context, int64_t value) { return get(context, StringRef(std::to_string(value))); }

symbolic::Expr ExprAttr::getExpr(symbolic::SymbolicContext &context) const {
  if (std::optional<int64_t> value = getConstant())
    return context.getConstant(*value);
  symbolic::ParseError error;
  symbolic::Expr expr = symbolic::parseExpr(getText(), context, error);
  assert(expr && "canonical text parses");
  return expr;
}

std::optional<int64_t> ExprAttr::getConstant() const {
  int64_t value;
  if (getText().getAsInteger(10, value))
    return std::nullopt;
  return value;
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  FailureOr<StringRef> text = parseBody(parser);
  if (failed(text))
    return {};
  FailureOr<ExprAttr> expr = readExpr(parser, *text);
  return succeeded(expr) ? *expr : Attribute();
}

void ExprAttr::print(AsmPrinter &printer) const { printer << '<' << getText() << '>'; }

//===----------------------------------------------------------------------===//
// DimsAttr
//===----------------------------------------------------------------------===//

DimsAttr DimsAttr::get(MLIRContext *context, ArrayRef<symbolic::Expr> dims) {
  return get(context, llvm::map_to_vector(dims, [&](symbolic::Expr dim) { return ExprAttr::get(context, dim); }));
}

DimsAttr DimsAttr::of(ShapedType type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
      return dims;
  if (!type.hasStaticShape())
    return {};
  MLIRContext *context = type.getContext();
  return get(context, llvm::map_to_vector(type.getShape(), [&](int64_t dim) { return ExprAttr::get(context, dim); }));
}

SmallVector<symbolic::Expr> DimsAttr::getExprs(symbolic::SymbolicContext &context) const {
  return llvm::map_to_vector(getDims(), [&](ExprAttr dim) { return dim.getExpr(context); });
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  DimsAttr dims;
  if (parser.parseLess() || parseDimList(parser, dims) || parser.parseGreater())
    return {};
  return dims;
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDimList(printer, /*op=*/nullptr, *this);
  printer << '>';
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (getDims().size() != shape.size())
    return emitError() << "'#dyn.dims' has " << getDims().size() << " dims for a tensor of rank " << shape.size();
  for (auto [index, dim, size] : llvm::enumerate(getDims(), shape)) {
    std::optional<int64_t> constant = dim.getConstant();
    if (ShapedType::isStatic(size) && constant != size)
      return emitError() << "dim " << index << " is " << size << " but '#dyn.dims' holds '" << dim.getText() << "'";
    if (ShapedType::isDynamic(size) && constant)
      return emitError() << "dim " << index << " is dynamic but '#dyn.dims' holds the constant " << *constant;
  }
  return success();
}

RankedTensorType dyn::getTensorType(ArrayRef<symbolic::Expr> dims, Type elementType) {
  bool allKnown = llvm::all_of(dims, [](symbolic::Expr dim) { return bool(dim); });
  auto shape = llvm::map_to_vector(dims, [](symbolic::Expr dim) {
    return dim ? dim.getConstant().value_or(ShapedType::kDynamic) : ShapedType::kDynamic;
  });
  DimsAttr encoding;
  if (allKnown && ShapedType::isDynamicShape(shape))
    encoding = DimsAttr::get(elementType.getContext(), dims);
  return RankedTensorType::get(shape, elementType, encoding);
}

SmallVector<symbolic::Expr> dyn::getDims(ShapedType type, symbolic::SymbolicContext &context) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
      return dims.getExprs(context);
  return llvm::map_to_vector(type.getShape(), [&](int64_t dim) {
    return ShapedType::isDynamic(dim) ? symbolic::Expr() : context.getConstant(dim);
  });
}

//===----------------------------------------------------------------------===//
// SymbolsAttr
//===----------------------------------------------------------------------===//

SymbolsAttr SymbolsAttr::get(MLIRContext *context, ArrayRef<symbolic::SymbolDeclaration> declarations) {
  return get(context, StringRef(symbolic::printSymbolDeclarations(declarations)));
}

SmallVector<symbolic::SymbolDeclaration> SymbolsAttr::getDeclarations() const {
  if (getText().empty())
    return {};
  symbolic::ParseError error;
  auto declarations = symbolic::parseSymbolDeclarations(getText(), error);
  assert(declarations && "canonical text parses");
  return std::move(*declarations);
}

Attribute SymbolsAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalGreater()))
    return get(parser.getContext(), ArrayRef<symbolic::SymbolDeclaration>());
  FailureOr<StringRef> text = parseSymbolicText(parser, [](const char *place) { return *place == '>'; });
  if (failed(text) || parser.parseGreater())
    return {};
  symbolic::ParseError error;
  auto declarations = symbolic::parseSymbolDeclarations(*text, error);
  if (!declarations) {
    (void)emitSymbolicError(parser, *text, error);
    return {};
  }
  return get(parser.getContext(), ArrayRef<symbolic::SymbolDeclaration>(*declarations));
}

void SymbolsAttr::print(AsmPrinter &printer) const { printer << '<' << getText() << '>'; }

//===----------------------------------------------------------------------===//
// PredAttr, ConstraintsAttr
//===----------------------------------------------------------------------===//

PredAttr PredAttr::get(MLIRContext *context, const symbolic::Predicate &predicate) {
  return get(context, StringRef(predicate.str()));
}

symbolic::Predicate PredAttr::getPredicate(symbolic::SymbolicContext &context) const {
  symbolic::ParseError error;
  std::optional<symbolic::Predicate> predicate = symbolic::parsePredicate(getText(), context, error);
  assert(predicate && "canonical text parses");
  return std::move(*predicate);
}

Attribute PredAttr::parse(AsmParser &parser, Type) {
  FailureOr<PredAttr> predicate = failure();
  if (parser.parseLess() || failed(predicate = parseQuotedPredicate(parser)) || parser.parseGreater())
    return {};
  return *predicate;
}

void PredAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printQuotedPredicate(printer, *this);
  printer << '>';
}

Attribute ConstraintsAttr::parse(AsmParser &parser, Type) {
  SmallVector<PredAttr> predicates;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<PredAttr> predicate = parseQuotedPredicate(parser);
    if (failed(predicate))
      return failure();
    predicates.push_back(*predicate);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne, " in a list of predicates"))
    return {};
  return get(parser.getContext(), predicates);
}

void ConstraintsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getPredicates(), printer,
                        [&](PredAttr predicate) { printQuotedPredicate(printer, predicate); });
  printer << '>';
}
