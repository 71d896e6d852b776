//===- Equations that only name a size -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Naming/NamedFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// `y - V == 0` or `V - y == 0` where V is of declared symbols, for a y that is none and a V that is a size.
std::optional<NamedFacts::Definition> NamedFacts::getDefinition(const Predicate &part) {
  if (part.kind != Predicate::Kind::Equal || !part.lhs || !part.rhs.isConstant(0))
    return std::nullopt;
  const Atom *symbol = nullptr;
  for (Expr each : part.lhs.getSymbols()) {
    if (places.contains(getSymbolAtom(each)))
      continue;
    if (std::exchange(symbol, getSymbolAtom(each)))
      return std::nullopt;
  }
  MaybePoly solved = symbol ? solveFor(*given, getTerms(part.lhs), symbol) : std::nullopt;
  Expr value = solved ? given->getExpr(*solved) : Expr(), meaning = value ? inside(value) : Expr();
  declared.forgetAnswers();
  own->getImpl().refuel();
  // That the symbol is a size says nothing new of the value. Of a number it does not: `bcast(s, t)` with 2 in place of
  // t is 2, and no longer says that s is 1 or 2.
  if (!meaning || meaning.getConstant() || declared.decideNonNegative(declared.getInner(meaning)) != Verdict::Yes)
    return std::nullopt;
  return Definition{symbol, value};
}

bool NamedFacts::isMentioned(const Atom *symbol, const Predicate *besides) const {
  return llvm::any_of(facts.get(), [&](const Predicate &fact) {
    return &fact != besides && llvm::is_contained(fact.getSymbols(), given->getExpr(symbol));
  });
}

bool NamedFacts::define(const Predicate &equation) {
  std::vector<Predicate> parts = SortedFacts::getParts(equation);
  if (areMany || parts.size() != 1 || facts.get().size() + definitions.size() >= SortedFacts::maximalFacts)
    return false;
  auto isKnown = [&](const auto &known) { return known.second == parts.front(); };
  if (llvm::any_of(definitions, isKnown))
    return true;
  tellDeclarations();
  std::optional<Definition> definition = isDeclaredConsistent ? getDefinition(parts.front()) : std::nullopt;
  if (!definition || isMentioned(definition->symbol, /*besides=*/nullptr) ||
      meanings.count(given->getExpr(definition->symbol).getNode()))
    return false;
  meanings[given->getExpr(definition->symbol).getNode()] = definition->value;
  definitions.emplace_back(definition->symbol, std::move(parts.front()));
  return true;
}

void NamedFacts::undefine(const Atom *symbol) {
  if (!meanings.erase(given->getExpr(symbol).getNode()))
    return;
  auto found = llvm::find_if(definitions, [&](const auto &known) { return known.first == symbol; });
  facts.add(found->second);
  definitions.erase(found);
}

void NamedFacts::redefine() {
  while (!definitions.empty())
    undefine(definitions.back().first);
  tellDeclarations();
  SortedFacts left;
  for (const Predicate &fact : facts.get())
    if (std::optional<Definition> definition = isDeclaredConsistent ? getDefinition(fact) : std::nullopt;
        definition && !isMentioned(definition->symbol, &fact)) {
      meanings[given->getExpr(definition->symbol).getNode()] = definition->value;
      definitions.emplace_back(definition->symbol, fact);
    } else {
      left.add(fact);
    }
  facts = std::move(left);
}

Expr NamedFacts::contract(Expr expr) const {
  Expr contracted = expr && !meanings.empty() ? substitute(expr, meanings) : expr;
  return contracted ? contracted : expr;
}

Predicate NamedFacts::contract(const Predicate &predicate) const {
  return meanings.empty() ? predicate : mapSides(predicate, [&](Expr side) { return contract(side); });
}
