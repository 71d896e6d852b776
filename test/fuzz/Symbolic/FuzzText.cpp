//===- Any bytes as text of expressions, predicates, declarations ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The first byte picks the grammar. What is read is printed and must read back as
// the same; what is not read has a place and says what was expected.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Parser.h"
#include <cstdio>
#include <cstdlib>

using namespace dyn::symbolic;

static void require(bool condition, const char *what, llvm::StringRef text) {
  if (condition)
    return;
  std::fprintf(stderr, "%s: '%s'\n", what, text.str().c_str());
  std::abort();
}

static void requirePlace(const ParseError &error, llvm::StringRef text) {
  require(!error.message.empty(), "refused without a message", text);
  require(error.column >= 1 && error.column <= text.size() + 1, "refused at no place", text);
}

static void checkExpr(llvm::StringRef text) {
  SymbolicContext context;
  ParseError error;
  Expr expr = parseExpr(text, context, error);
  if (!expr)
    return requirePlace(error, text);
  for (Syntax syntax : {Syntax::Dyn, Syntax::SymPy}) {
    std::string printed = expr.str(syntax);
    require(parseExpr(printed, context, error) == expr, "does not read back", printed);
  }
  require(importExpr(expr, context) == expr, "is not its own import", text);
  require(getTree(expr) != nullptr, "has no tree", text);
}

static void checkPredicate(llvm::StringRef text) {
  SymbolicContext context;
  ParseError error;
  std::optional<Predicate> predicate = parsePredicate(text, context, error);
  if (!predicate)
    return requirePlace(error, text);
  std::string printed = predicate->str();
  std::optional<Predicate> again = parsePredicate(printed, context, error);
  require(again.has_value(), "does not read back", printed);
  require(again->str() == printed, "reads back as another", printed);
}

static void checkDeclarations(llvm::StringRef text) {
  ParseError error;
  auto declarations = parseSymbolDeclarations(text, error);
  if (!declarations)
    return requirePlace(error, text);
  std::string printed = printSymbolDeclarations(*declarations);
  auto again = parseSymbolDeclarations(printed, error);
  require(again.has_value(), "does not read back", printed);
  require(printSymbolDeclarations(*again) == printed, "reads back as another", printed);
}

static void checkList(llvm::StringRef text) {
  SymbolicContext context;
  ParseError error;
  llvm::SmallVector<Expr> list;
  if (!parseExprList(text, context, list, error))
    requirePlace(error, text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  llvm::StringRef text(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 4) {
  case 0:
    checkExpr(text);
    break;
  case 1:
    checkPredicate(text);
    break;
  case 2:
    checkDeclarations(text);
    break;
  default:
    checkList(text);
    break;
  }
  return 0;
}
