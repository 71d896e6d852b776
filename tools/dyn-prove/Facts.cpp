//===- Facts from text ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"
#include "llvm/Support/WithColor.h"

using namespace dyn::prove;
using namespace dyn::symbolic;

llvm::Error dyn::prove::makeParseError(llvm::StringRef what, llvm::StringRef text, const ParseError &error) {
  return llvm::createStringError(what + ":" + llvm::Twine(error.column) + ": " + error.message + " in " +
                                 quoteAround(text, error.column));
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
  for (const SymbolDeclaration &declaration : *declarations)
    if (declaration.origin == SymbolDeclaration::Origin::Defined) {
      Expr definition = parseExpr(declaration.definition, context, error);
      if (!definition)
        return makeParseError("definition", declaration.definition, error);
      contradictory |= !solver.addEqual(context.getSymbol(declaration.name), definition, reason);
    }
  return llvm::Error::success();
}

llvm::Error Facts::addList(llvm::StringRef text) {
  FactTexts texts = splitFacts(text);
  createSymbols(texts.predicates, context);
  // Symbols first: a fact about one that is declared later would see the default range.
  for (llvm::StringRef declarations : texts.declarations)
    if (llvm::Error error = addDeclarations(declarations))
      return error;
  std::vector<Statement> facts;
  for (llvm::StringRef predicate : texts.predicates) {
    ParseError error;
    std::optional<Statement> fact = parseStatement(predicate, context, error);
    if (!fact)
      return makeParseError("fact", predicate, error);
    facts.push_back(std::move(*fact));
  }
  std::vector<ReasonId> reasons(facts.size(), solver.addReason({"given", "", 0}));
  contradictory |= addStatements(solver, facts, reasons).has_value();
  return llvm::Error::success();
}

static llvm::raw_ostream &warn(llvm::StringRef row) {
  return llvm::WithColor::warning(llvm::errs(), "dyn-prove") << row << (row.empty() ? "" : ": ");
}

Verdict Facts::decide(const Statement &query, llvm::StringRef row) {
  if (contradictory)
    return Verdict::Yes;
  Answer answer = ask(solver, query);
  if (answer.saysNothing)
    warn(row) << "where the facts hold, the query has no value\n";
  return answer.verdict;
}

void Facts::warnOfContradiction(llvm::StringRef row) const {
  if (contradictory)
    warn(row) << "the facts contradict each other, so that everything follows: " << solver.getConflict()->message
              << '\n';
}
