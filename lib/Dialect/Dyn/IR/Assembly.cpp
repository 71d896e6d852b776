//===- Pieces of op assembly ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "dyn/Dialect/Dyn/IR/SymbolicText.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dyn;
using symbolic::Expr;
using symbolic::SymbolicContext;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ParseResult dyn::parseArrow(OpAsmParser &parser, Type &from, Type &to) {
  bool hasBrackets = succeeded(parser.parseOptionalLParen());
  if (parser.parseType(from) || (hasBrackets && parser.parseRParen()) || parser.parseArrow())
    return failure();
  return parser.parseType(to);
}

void dyn::printArrow(OpAsmPrinter &printer, Operation *, Type from, Type to) { printer << from << " -> " << to; }

/// `{...} : tensor<?xf32> -> tensor<?xf32>`, behind the operand and what is special about the op.
static ParseResult parseRest(OpAsmParser &parser, const OpAsmParser::UnresolvedOperand &operand,
                             OperationState &result) {
  Type from, to;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseArrow(parser, from, to) ||
      parser.resolveOperand(operand, from, result.operands))
    return failure();
  result.addTypes(to);
  return success();
}

static void printRest(OpAsmPrinter &printer, Operation *op, ArrayRef<StringRef> printed) {
  printer.printOptionalAttrDict(op->getAttrs(), printed);
  printer << " : ";
  printArrow(printer, op, op->getOperand(0).getType(), op->getResult(0).getType());
}

/// A dim of a type; null where the type does not say it.
static Expr getSize(Type type, size_t dim, SymbolicContext &context) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || dim >= static_cast<size_t>(ranked.getRank()))
    return {};
  if (auto dims = dyn_cast_if_present<DimsAttr>(ranked.getEncoding()))
    return dims.getDims()[dim].getExpr(context);
  return ranked.isDynamicDim(dim) ? Expr() : context.getConstant(ranked.getDimSize(dim));
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

namespace {

/// One `offset:end:step`, of which the end may be left out: the type of the result gives it.
struct Span {
  FailureOr<ExprAttr> offset = failure(), end = failure();
  SMLoc endLoc;
  int64_t step = 1;
};

} // namespace

static ParseResult parseSpan(OpAsmParser &parser, Span &span) {
  auto isEnd = [](const char *place) { return *place == ':' || *place == ','; };
  auto parseBound = [&](FailureOr<ExprAttr> &bound) -> ParseResult {
    FailureOr<StringRef> text = parseSymbolicText(parser, isEnd);
    if (failed(text) || failed(bound = readExpr(parser, *text)))
      return failure();
    return success();
  };
  if (parseBound(span.offset) || parser.parseColon())
    return failure();
  span.endLoc = parser.getCurrentLocation();
  char next = *span.endLoc.getPointer();
  if (next != ':' && next != ',' && next != ']' && parseBound(span.end))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseInteger(span.step);
  return success();
}

ParseResult SliceOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  SmallVector<Span> spans;
  auto parseOne = [&] { return parseSpan(parser, spans.emplace_back()); };
  if (parser.parseOperand(operand) || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parseRest(parser, operand, result))
    return failure();
  SmallVector<ExprAttr> offsets;
  SmallVector<int64_t> steps;
  SymbolicContext context;
  for (auto [dim, span] : llvm::enumerate(spans)) {
    offsets.push_back(*span.offset);
    steps.push_back(span.step);
    Expr size = getSize(result.types.front(), dim, context);
    if (failed(span.end) || !size)
      continue;
    Expr end = span.offset->getExpr(context) + size * span.step;
    if (end != span.end->getExpr(context))
      return parser.emitError(span.endLoc) << "dim " << dim << " ends at '" << span.end->getText()
                                           << "', but the result has the size '" << size.str() << "'";
  }
  auto &properties = result.getOrAddProperties<Properties>();
  properties.offsets = DimsAttr::get(parser.getContext(), offsets);
  properties.steps = parser.getBuilder().getDenseI64ArrayAttr(steps);
  return success();
}

void SliceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand() << '[';
  SymbolicContext context;
  auto printSpan = [&](auto entry) {
    auto [dim, offset, step] = entry;
    printer << offset.getText() << ':';
    if (Expr size = getSize(getType(), dim, context))
      if (Expr end = offset.getExpr(context) + size * step)
        printer << end.str();
    if (step != 1)
      printer << ':' << step;
  };
  llvm::interleaveComma(llvm::enumerate(getOffsets().getDims(), getSteps()), printer, printSpan);
  printer << ']';
  printRest(printer, *this, {getOffsetsAttrName(), getStepsAttrName()});
}

//===----------------------------------------------------------------------===//
// NonZeroOp
//===----------------------------------------------------------------------===//

/// As many elements as there are; null where the type does not say it.
static Expr getNumElements(Type type, SymbolicContext &context) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return {};
  Expr product = context.getConstant(1);
  for (int64_t dim = 0; dim < ranked.getRank() && product; ++dim) {
    Expr size = getSize(type, static_cast<size_t>(dim), context);
    product = size ? product * size : Expr();
  }
  return product;
}

ParseResult NonZeroOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  std::string name;
  FailureOr<ExprAttr> upper = failure();
  SMLoc loc;
  if (parser.parseOperand(operand))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("binds"))) {
    bool hasRange = succeeded(parser.parseOptionalLSquare());
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (hasRange) {
      SMLoc lowerLoc;
      int64_t lower = 0;
      if (parser.parseColon() || parser.getCurrentLocation(&lowerLoc) || parser.parseInteger(lower) ||
          parser.parseEllipsis() || parser.getCurrentLocation(&loc))
        return failure();
      if (lower != 0)
        return parser.emitError(lowerLoc) << "'" << name << "' may be 0, so that its range begins there";
      FailureOr<StringRef> text = parseSymbolicText(parser, [](const char *) { return false; });
      if (failed(text) || failed(upper = readExpr(parser, *text)) || parser.parseRSquare())
        return failure();
    }
  }
  if (parseRest(parser, operand, result))
    return failure();
  SymbolicContext context;
  if (succeeded(upper))
    if (Expr count = getNumElements(result.operands.front().getType(), context);
        count && count != upper->getExpr(context))
      return parser.emitError(loc) << "'" << name << "' is at most the number of elements, '" << count.str()
                                   << "', not '" << upper->getText() << "'";
  if (!name.empty())
    result.getOrAddProperties<Properties>().count = parser.getBuilder().getStringAttr(name);
  return success();
}

void NonZeroOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand();
  if (std::optional<StringRef> name = getCount()) {
    SymbolicContext context;
    Expr count = getNumElements(getOperand().getType(), context);
    printer << " binds " << (count ? "[" : "") << symbolic::printSymbolName(*name);
    if (count)
      printer << ": 0 ... " << count.str() << ']';
  }
  printRest(printer, *this, {getCountAttrName()});
}
