//===- Facts from text ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

using namespace dyn::prove;
using namespace dyn::symbolic;

llvm::Error dyn::prove::makeParseError(llvm::StringRef what, llvm::StringRef text, const ParseError &error) {
  return llvm::createStringError(what + ":" + llvm::Twine(error.column) + ": " + error.message + " in '" + text + "'");
}

llvm::StringRef dyn::prove::getText(Verdict verdict) {
  switch (verdict) {
  case Verdict::Yes:
    return "yes";
  case Verdict::No:
    return "no";
  case Verdict::Unknown:
    break;
  }
  return "unknown";
}

llvm::Error Facts::addDeclarations(llvm::StringRef text) {
  ParseError error;
  auto declarations = parseSymbolDeclarations(text, error);
  if (!declarations)
    return makeParseError("declaration", text, error);
  ReasonId reason = solver.addReason({"declared", "", 0});
  for (const SymbolDeclaration &declaration : *declarations)
    contradictory |=
        !solver.declare(context.getSymbol(declaration.name), declaration.facts, SymbolClass::Declared, reason);
  return llvm::Error::success();
}

llvm::Error Facts::addPredicate(llvm::StringRef text) {
  ParseError error;
  std::optional<Predicate> predicate = parsePredicate(text, context, error);
  if (!predicate)
    return makeParseError("fact", text, error);
  contradictory |= !solver.addPredicate(*predicate, solver.addReason({"given", "", 0}));
  return llvm::Error::success();
}

/// Is this a declaration? A colon stands in nothing else, but in quoted names.
static bool isDeclaration(llvm::StringRef text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ':')
      return true;
  }
  return false;
}

llvm::Error Facts::addList(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> items;
  text.split(items, ';', -1, /*KeepEmpty=*/false);
  // Symbols first: a fact about one that is declared later would see the default range.
  for (bool declarations : {true, false})
    for (llvm::StringRef item : items) {
      item = item.trim();
      if (item.empty() || isDeclaration(item) != declarations)
        continue;
      if (llvm::Error error = declarations ? addDeclarations(item) : addPredicate(item))
        return error;
    }
  return llvm::Error::success();
}
