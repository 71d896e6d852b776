//===- What follows from linear equations alone ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/LinearEquations.h"
#include "Expressions/Comparison.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

static bool isLinear(Terms terms) {
  return llvm::all_of(dropConstant(terms), [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return atom && atom->isSymbol();
  });
}

static const Atom *getSymbolAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }

void LinearEquations::declare(const Atom *symbol, SymbolClass symbolClass) {
  SymbolFacts anything;
  anything.range = {};
  store.forgetAnswers();
  store.getContext().refuel();
  isConsistent = isConsistent && store.declare(symbol, anything, symbolClass);
  declared.insert(symbol);
}

void LinearEquations::add(const Predicate &part) {
  if (part.kind != Predicate::Kind::Equal || !part.lhs || !part.rhs || !part.rhs.isConstant(0) ||
      !isLinear(getTerms(part.lhs)))
    return;
  for (Expr symbol : part.lhs.getSymbols())
    store.widen(getSymbolAtom(symbol));
  store.forgetAnswers();
  store.getContext().refuel();
  isConsistent = isConsistent && store.assertTrue(part);
}

bool LinearEquations::isContracted(Expr value) const {
  auto isDeclared = [&](Expr other) { return declared.contains(getSymbolAtom(other)); };
  return store.isNamedPolynomial(value) && (value.isSymbol() || llvm::all_of(value.getSymbols(), isDeclared));
}

Expr LinearEquations::getContracted(Expr symbol) {
  Expr value = isConsistent ? store.getInner(symbol) : symbol;
  if (!value || value == symbol)
    return symbol;
  if (isContracted(value))
    return value;
  const Atom *bearer = bearers.lookup(value);
  return bearer ? store.getContext().getExpr(bearer) : symbol;
}

Expr LinearEquations::contract(Expr expr) {
  if (store.getRemoved().empty() || !expr)
    return expr;
  if (expr.isSymbol())
    return getContracted(expr);
  Substitution values;
  for (Expr symbol : expr.getSymbols())
    if (Expr value = getContracted(symbol); value != symbol)
      values[symbol.getNode()] = value;
  Expr contracted = values.empty() ? expr : substitute(expr, values);
  return contracted ? contracted : expr;
}

Predicate LinearEquations::contract(const Predicate &predicate) {
  if (store.getRemoved().empty())
    return predicate;
  Predicate result = predicate;
  result.lhs = contract(result.lhs);
  result.rhs = contract(result.rhs);
  for (Predicate &operand : result.operands)
    operand = contract(operand);
  return result;
}

void LinearEquations::watch(const Atom *symbol) {
  Expr value = store.getInner(store.getContext().getExpr(symbol));
  for (Expr inside : value ? value.getSymbols() : llvm::SmallVector<Expr, 4>())
    if (const Atom *atom = getSymbolAtom(inside); atom != symbol)
      watchers[atom].insert(symbol);
}

std::vector<const Atom *> LinearEquations::takeChanged() {
  std::vector<const Atom *> changed;
  for (llvm::ArrayRef<const Atom *> removed = store.getRemoved(); taken < removed.size(); ++taken) {
    changed.push_back(removed[taken]);
    auto found = watchers.find(removed[taken]);
    if (found == watchers.end())
      continue;
    llvm::append_range(changed, found->second);
    watchers.erase(found);
  }
  for (const Atom *symbol : changed)
    if (Expr named = store.getContext().getExpr(symbol), value = store.getInner(named);
        value && value != named && store.isNamedPolynomial(named) && !isContracted(value))
      bearers.try_emplace(value, symbol);
  return changed;
}

Verdict LinearEquations::decide(const Predicate &comparison) {
  if (!isConsistent || !comparison.lhs || !comparison.rhs)
    return Verdict::Unknown;
  store.forgetAnswers();
  store.getContext().refuel();
  Expr lhs = store.getInner(comparison.lhs), rhs = store.getInner(comparison.rhs);
  if (!lhs || !rhs || dropConstant(getTerms(lhs)) != dropConstant(getTerms(rhs)))
    return Verdict::Unknown;
  return holdsBetween(comparison.kind, getConstantTerm(getTerms(lhs)), getConstantTerm(getTerms(rhs))) ? Verdict::Yes
                                                                                                       : Verdict::No;
}
