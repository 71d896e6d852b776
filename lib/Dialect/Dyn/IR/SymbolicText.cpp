//===- Symbolic text in MLIR assembly ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dyn/IR/SymbolicText.h"
#include "dyn/Symbolic/Parser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Raw text
//===----------------------------------------------------------------------===//

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// The place behind the string literal at `place`, or the end of the buffer.
static const char *skipString(const char *place) {
  for (++place; *place && *place != '"'; ++place)
    if (*place == '\\' && place[1])
      ++place;
  return *place ? place + 1 : place;
}

static const char *skipWord(const char *place) {
  while (isWordPart(*place))
    ++place;
  return place;
}

static const char *skipSpace(const char *place) {
  while (llvm::isSpace(*place))
    ++place;
  return place;
}

static const char *findEnd(const char *place, SymbolicTextEnd isEnd) {
  for (unsigned depth = 0; *place;) {
    if (depth == 0 && isEnd(place))
      return place;
    switch (*place) {
    case '(':
    case '[':
    case '{':
      ++depth;
      break;
    case ')':
    case ']':
    case '}':
      if (depth-- == 0)
        return place;
      break;
    case '"':
      place = skipString(place);
      continue;
    default:
      if (isWordPart(*place)) {
        place = skipWord(place);
        continue;
      }
    }
    ++place;
  }
  return place;
}

/// Moves the parser over one token that may occur in symbolic text.
static ParseResult skipToken(AsmParser &parser) {
  // Keywords come before integers, which `parseOptionalInteger` sees in `true`; a minus comes before them too.
  StringRef keyword;
  std::string string;
  if (succeeded(parser.parseOptionalKeyword(&keyword)) || succeeded(parser.parseOptionalString(&string)) ||
      succeeded(parser.parseOptionalMinus()) || succeeded(parser.parseOptionalPlus()) ||
      succeeded(parser.parseOptionalStar()) || succeeded(parser.parseOptionalComma()) ||
      succeeded(parser.parseOptionalLParen()) || succeeded(parser.parseOptionalRParen()) ||
      succeeded(parser.parseOptionalLSquare()) || succeeded(parser.parseOptionalRSquare()) ||
      succeeded(parser.parseOptionalColon()) || succeeded(parser.parseOptionalEqual()) ||
      succeeded(parser.parseOptionalLess()) || succeeded(parser.parseOptionalGreater()) ||
      succeeded(parser.parseOptionalQuestion()) || succeeded(parser.parseOptionalLBrace()) ||
      succeeded(parser.parseOptionalRBrace()) || succeeded(parser.parseOptionalSlash()))
    return success();
  APInt integer;
  OptionalParseResult parsed = parser.parseOptionalInteger(integer);
  if (parsed.has_value())
    return *parsed;
  return parser.emitError(parser.getCurrentLocation(), "unexpected character in symbolic text");
}

FailureOr<StringRef> dyn::parseSymbolicText(AsmParser &parser, SymbolicTextEnd isEnd) {
  SMLoc loc = parser.getCurrentLocation();
  const char *begin = loc.getPointer();
  const char *end = findEnd(begin, isEnd);
  StringRef text = StringRef(begin, end - begin).rtrim();
  if (text.empty())
    return parser.emitError(loc, "expected an expression");
  while (parser.getCurrentLocation().getPointer() < text.end())
    if (failed(skipToken(parser)))
      return failure();
  return text;
}

bool dyn::startsWithKeyword(const char *place, StringRef keyword) {
  return StringRef(place, skipWord(place) - place) == keyword;
}

bool dyn::startsWithBindings(const char *place) {
  if (*place != '(')
    return false;
  place = skipSpace(place + 1);
  if (*place == ')')
    return true;
  if (*place != '"' && !isWordStart(*place))
    return false;
  place = skipSpace(*place == '"' ? skipString(place) : skipWord(place));
  return *place == '=' && *skipSpace(place + 1) == '%';
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

ParseResult dyn::emitSymbolicError(AsmParser &parser, StringRef text, const symbolic::ParseError &error) {
  size_t offset = std::min(error.column ? error.column - 1 : 0, text.size());
  return parser.emitError(SMLoc::getFromPointer(text.data() + offset), error.message);
}

FailureOr<ExprAttr> dyn::readExpr(AsmParser &parser, StringRef text) {
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  symbolic::Expr expr = symbolic::parseExpr(text, context, error);
  if (!expr)
    return emitSymbolicError(parser, text, error);
  return ExprAttr::get(parser.getContext(), expr);
}

FailureOr<DimsAttr> dyn::readDims(AsmParser &parser, StringRef text) {
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  SmallVector<symbolic::Expr> dims;
  if (!symbolic::parseExprList(text, context, dims, error))
    return emitSymbolicError(parser, text, error);
  return DimsAttr::get(parser.getContext(), dims);
}

FailureOr<PredAttr> dyn::readPredicate(AsmParser &parser, StringRef text) {
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  std::optional<symbolic::Predicate> predicate = symbolic::parsePredicate(text, context, error);
  if (!predicate)
    return emitSymbolicError(parser, text, error);
  return PredAttr::get(parser.getContext(), *predicate);
}

FailureOr<PredAttr> dyn::parseQuotedPredicate(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  if (parser.parseString(&text))
    return failure();
  symbolic::SymbolicContext context;
  symbolic::ParseError error;
  std::optional<symbolic::Predicate> predicate = symbolic::parsePredicate(text, context, error);
  if (!predicate) {
    // The column counts from the opening quote; escapes before it shift it, which only moves the caret.
    return parser.emitError(SMLoc::getFromPointer(loc.getPointer() + std::min(error.column, text.size())),
                            error.message);
  }
  return PredAttr::get(parser.getContext(), *predicate);
}

void dyn::printQuotedPredicate(AsmPrinter &printer, PredAttr predicate) { printer.printString(predicate.getText()); }

//===----------------------------------------------------------------------===//
// Pieces of op assembly
//===----------------------------------------------------------------------===//

void dyn::printBarePredicate(AsmPrinter &printer, PredAttr predicate) {
  StringRef text = predicate.getText();
  for (const char *place = text.begin(); place < text.end();) {
    if (*place == '"') {
      const char *next = skipString(place);
      printer << StringRef(place, next - place);
      place = next;
    } else if (StringRef(place, text.end() - place).starts_with("!=")) {
      printer << "ne";
      place += 2;
    } else {
      printer << *place++;
    }
  }
}

ParseResult dyn::parseDimList(AsmParser &parser, DimsAttr &dims) {
  // Also read as a whole attribute, for those who write it so.
  if (*parser.getCurrentLocation().getPointer() == '#')
    return parser.parseAttribute(dims);
  SMLoc loc = parser.getCurrentLocation();
  if (*loc.getPointer() != '[')
    return parser.emitError(loc, "expected '[' before a list of dims");
  const char *begin = loc.getPointer();
  FailureOr<StringRef> text =
      parseSymbolicText(parser, [&](const char *place) { return place != begin && place[-1] == ']'; });
  if (failed(text))
    return failure();
  FailureOr<DimsAttr> read = readDims(parser, *text);
  if (failed(read))
    return failure();
  dims = *read;
  return success();
}

void dyn::printDimList(AsmPrinter &printer, Operation *, DimsAttr dims) {
  printer << '[';
  llvm::interleaveComma(dims.getDims(), printer, [&](ExprAttr dim) { printer << dim.getText(); });
  printer << ']';
}

ParseResult dyn::parseBindings(OpAsmParser &parser, ArrayAttr &names,
                               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  SmallVector<StringRef> list;
  std::vector<std::string> storage;
  auto parseOne = [&]() -> ParseResult {
    return failure(parser.parseKeywordOrString(&storage.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne, " in bindings of symbols"))
    return failure();
  for (const std::string &name : storage)
    list.push_back(name);
  names = parser.getBuilder().getStrArrayAttr(list);
  return success();
}

void dyn::printBindings(OpAsmPrinter &printer, Operation *, ArrayAttr names, OperandRange operands) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(names.getAsValueRange<StringAttr>(), operands), printer, [&](auto binding) {
    printer << symbolic::printSymbolName(std::get<0>(binding)) << " = " << std::get<1>(binding);
  });
  printer << ')';
}
