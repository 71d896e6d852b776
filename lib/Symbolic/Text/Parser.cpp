//===- Reading expressions, predicates and declarations -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Parser.h"
#include "Text/Keywords.h"
#include "Text/TextReader.h"
#include "llvm/ADT/StringSet.h"

using namespace dyn::symbolic;

std::string dyn::symbolic::quoteAround(llvm::StringRef text, size_t column) {
  constexpr size_t shown = 160;
  if (text.size() <= shown)
    return "'" + makeVisible(text) + "'";
  size_t place = std::clamp<size_t>(column, 1, text.size()) - 1;
  size_t first = std::min(place - std::min(place, shown / 2), text.size() - shown), last = first + shown;
  // Characters of several bytes are not cut.
  auto isInside = [&](size_t i) { return i < text.size() && (text[i] & 0xC0) == 0x80; };
  while (isInside(first))
    ++first;
  while (isInside(last))
    ++last;
  return (first > 0 ? "'..." : "'") + makeVisible(text.slice(first, last)) + (last < text.size() ? "...'" : "'");
}

Expr dyn::symbolic::parseExpr(llvm::StringRef text, SymbolicContext &context, ParseError &error) {
  TextReader reader(text, context, error);
  Expr result = reader.readExpr();
  reader.expectEnd();
  return reader.getErrors().failed() ? Expr() : result;
}

bool dyn::symbolic::parseExprList(llvm::StringRef text, SymbolicContext &context, llvm::SmallVectorImpl<Expr> &result,
                                  ParseError &error) {
  TextReader reader(text, context, error);
  Lexer &lexer = reader.getLexer();
  if (!reader.expect("["))
    return false;
  if (!lexer.consume("]")) {
    do {
      Expr element = reader.readExpr();
      if (!element)
        return false;
      result.push_back(element);
    } while (lexer.consume(","));
    if (!reader.expect("]"))
      return false;
  }
  reader.expectEnd();
  return !reader.getErrors().failed();
}

std::optional<Predicate> dyn::symbolic::parsePredicate(llvm::StringRef text, SymbolicContext &context,
                                                       ParseError &error) {
  TextReader reader(text, context, error);
  std::optional<Predicate> result = reader.readPredicate();
  if (result)
    reader.expectEnd();
  return reader.getErrors().failed() ? std::nullopt : std::move(result);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

namespace {

class DeclarationReader {
public:
  DeclarationReader(llvm::StringRef text, ParseError &error)
      : reader(text, context, error), lexer(reader.getLexer()), errors(reader.getErrors()) {}

  std::optional<llvm::SmallVector<SymbolDeclaration>> readAll() {
    llvm::SmallVector<SymbolDeclaration> declarations;
    llvm::StringSet<> names;
    if (lexer.isEnd())
      return declarations;
    do {
      size_t column = lexer.peek().column;
      declarations.push_back(readOne());
      if (!errors.failed() && !names.insert(declarations.back().name).second)
        errors.fail("symbol '" + shorten(declarations.back().name) + "' is declared twice", column);
    } while (!errors.failed() && lexer.consume(","));
    if (!errors.failed() && !lexer.isEnd())
      errors.failExpected("',' or the end of the text", lexer);
    return errors.failed() ? std::nullopt : std::optional(std::move(declarations));
  }

private:
  SymbolDeclaration readOne();
  void readRange(Range &range);
  void readModulus(SymbolFacts &facts);
  void readNumbers(llvm::StringRef open, llvm::StringRef close, llvm::SmallVectorImpl<int64_t> &numbers);
  void readOrigin(SymbolDeclaration &declaration);
  int64_t readInteger();
  unsigned readIndex();

  SymbolicContext context;
  TextReader reader;
  Lexer &lexer;
  ErrorState &errors;
};

} // namespace

int64_t DeclarationReader::readInteger() {
  bool negative = lexer.consume("-");
  int64_t value = 0;
  const Token &token = lexer.peek();
  if (token.kind != Token::Kind::Number) {
    errors.failExpected("an integer", lexer);
    return 0;
  }
  if (llvm::StringRef((llvm::Twine(negative ? "-" : "") + token.text).str()).getAsInteger(10, value))
    errors.fail("'" + shorten(token.text) + "' is no integer of 64 bits", token.column);
  lexer.take();
  return value;
}

unsigned DeclarationReader::readIndex() {
  size_t column = lexer.peek().column;
  int64_t value = readInteger();
  if (value < 0 || value > INT32_MAX)
    errors.fail("expected an index", column);
  return static_cast<unsigned>(value);
}

void DeclarationReader::readRange(Range &range) {
  size_t column = lexer.peek().column;
  reader.expect("[");
  auto readEnd = [&]() -> std::optional<int64_t> {
    if (lexer.consume("?"))
      return std::nullopt;
    return readInteger();
  };
  range.lower = readEnd();
  if (!errors.failed())
    reader.expect(",");
  if (!errors.failed())
    range.upper = readEnd();
  if (!errors.failed())
    reader.expect("]");
  if (range.lower && range.upper && *range.lower > *range.upper)
    errors.fail("the range is empty", column);
}

void DeclarationReader::readModulus(SymbolFacts &facts) {
  size_t column = lexer.peek().column;
  facts.modulus = readInteger();
  if (!errors.failed() && facts.modulus < 1)
    errors.fail("expected a modulus of at least 1", column);
  if (errors.failed() || !lexer.consumeWord("rem"))
    return;
  column = lexer.peek().column;
  facts.remainder = readInteger();
  if (facts.remainder < 0 || facts.remainder >= facts.modulus)
    errors.fail("expected a remainder in [0, " + llvm::Twine(facts.modulus) + ")", column);
}

void DeclarationReader::readNumbers(llvm::StringRef open, llvm::StringRef close,
                                    llvm::SmallVectorImpl<int64_t> &numbers) {
  // `ne 1` is short for `ne {1}`.
  if (!lexer.is(open)) {
    numbers.push_back(readInteger());
  } else {
    lexer.take();
    if (lexer.consume(close))
      return;
    do
      numbers.push_back(readInteger());
    while (!errors.failed() && lexer.consume(","));
    if (!errors.failed())
      reader.expect(close);
  }
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
}

void DeclarationReader::readOrigin(SymbolDeclaration &declaration) {
  const Token &token = lexer.peek();
  if (token.kind != Token::Kind::Name || !token.text.starts_with("arg") ||
      token.text.drop_front(3).getAsInteger(10, declaration.argument))
    return errors.failExpected("an argument such as 'arg0'", lexer);
  lexer.take();
  bool isValue = lexer.is("{");
  declaration.origin = isValue ? SymbolDeclaration::Origin::ArgumentValue : SymbolDeclaration::Origin::ArgumentDim;
  if (!isValue && !lexer.is("["))
    return errors.failExpected("'[' or '{'", lexer);
  lexer.take();
  declaration.index = readIndex();
  if (!errors.failed())
    reader.expect(isValue ? "}" : "]");
}

SymbolDeclaration DeclarationReader::readOne() {
  using Origin = SymbolDeclaration::Origin;
  SymbolDeclaration declaration;
  const Token &token = lexer.peek();
  if ((token.kind != Token::Kind::Name && token.kind != Token::Kind::QuotedName) || token.name.empty() ||
      isReservedName(token.name)) {
    errors.failExpected("the name of a symbol", lexer);
    return declaration;
  }
  declaration.name = lexer.take().name;
  if (!reader.expect(":"))
    return declaration;
  if (lexer.consumeWord("int"))
    declaration.facts.range = {std::nullopt, std::nullopt};
  else
    readRange(declaration.facts.range);
  while (!errors.failed()) {
    size_t column = lexer.peek().column;
    bool setsOrigin = lexer.isWord("from") || lexer.isWord("bound") || lexer.is("=");
    if (setsOrigin && declaration.origin != Origin::None) {
      errors.fail("a symbol has one origin", column);
    } else if (lexer.consumeWord("mod")) {
      readModulus(declaration.facts);
    } else if (lexer.consumeWord("ne")) {
      readNumbers("{", "}", declaration.facts.notEqual);
    } else if (lexer.consumeWord("opt")) {
      readNumbers("[", "]", declaration.facts.likely);
    } else if (lexer.consumeWord("hint")) {
      declaration.facts.hint = readInteger();
    } else if (lexer.consumeWord("unique")) {
      declaration.facts.unique = true;
    } else if (lexer.consumeWord("from")) {
      readOrigin(declaration);
    } else if (lexer.consumeWord("bound")) {
      declaration.origin = Origin::Bound;
    } else if (lexer.consume("=")) {
      declaration.origin = Origin::Defined;
      if (Expr definition = reader.readExpr())
        declaration.definition = definition.str();
    } else {
      break;
    }
  }
  return declaration;
}

std::optional<llvm::SmallVector<SymbolDeclaration>> dyn::symbolic::parseSymbolDeclarations(llvm::StringRef text,
                                                                                           ParseError &error) {
  return DeclarationReader(text, error).readAll();
}

std::string dyn::symbolic::printSymbolDeclarations(llvm::ArrayRef<SymbolDeclaration> declarations) {
  using Origin = SymbolDeclaration::Origin;
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printEnd = [&](std::optional<int64_t> end) {
    if (end)
      os << *end;
    else
      os << '?';
  };
  llvm::interleaveComma(declarations, os, [&](const SymbolDeclaration &declaration) {
    const SymbolFacts &facts = declaration.facts;
    os << printSymbolName(declaration.name) << ": [";
    printEnd(facts.range.lower);
    os << ", ";
    printEnd(facts.range.upper);
    os << ']';
    if (facts.modulus != 1)
      os << " mod " << facts.modulus;
    if (facts.modulus != 1 && facts.remainder != 0)
      os << " rem " << facts.remainder;
    if (!facts.notEqual.empty()) {
      os << " ne {";
      llvm::interleaveComma(facts.notEqual, os);
      os << '}';
    }
    if (!facts.likely.empty()) {
      os << " opt [";
      llvm::interleaveComma(facts.likely, os);
      os << ']';
    }
    if (facts.hint)
      os << " hint " << *facts.hint;
    if (facts.unique)
      os << " unique";
    switch (declaration.origin) {
    case Origin::None:
      break;
    case Origin::ArgumentDim:
      os << " from arg" << declaration.argument << '[' << declaration.index << ']';
      break;
    case Origin::ArgumentValue:
      os << " from arg" << declaration.argument << '{' << declaration.index << '}';
      break;
    case Origin::Bound:
      os << " bound";
      break;
    case Origin::Defined:
      os << " = " << declaration.definition;
      break;
    }
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Lists of facts
//===----------------------------------------------------------------------===//

FactTexts dyn::symbolic::splitFacts(llvm::StringRef text) {
  FactTexts texts;
  bool isQuoted = false, isDeclaration = false;
  size_t begin = 0;
  auto endPart = [&](size_t end) {
    if (llvm::StringRef part = text.slice(begin, end).trim(); !part.empty())
      (isDeclaration ? texts.declarations : texts.predicates).push_back(part);
    begin = end + 1;
    isDeclaration = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (isQuoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      isQuoted = !isQuoted;
    else if (text[i] == ':' && !isQuoted)
      isDeclaration = true; // A colon stands in nothing else.
    else if (text[i] == ';' && !isQuoted)
      endPart(i);
  }
  endPart(text.size());
  return texts;
}
