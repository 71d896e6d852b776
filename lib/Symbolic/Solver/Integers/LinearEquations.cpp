//===- What follows from linear equations alone ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/LinearEquations.h"
#include "Expressions/Comparison.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Symbols that stand for themselves and may become something else where an equation removes another one: in a row of
/// equations from its end, each removes one that all before it are in terms of.
static constexpr size_t maximalWatchers = 64;

static bool isLinear(Terms terms) {
  return llvm::all_of(dropConstant(terms), [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return atom && atom->isSymbol();
  });
}

void LinearEquations::declare(const Atom *symbol, SymbolClass symbolClass) {
  SymbolFacts anything;
  anything.range = {};
  store.forgetAnswers();
  store.getContext().refuel();
  isConsistent = isConsistent && store.declare(symbol, anything, symbolClass);
  if (declared.try_emplace(symbol, declared.size()).second)
    newlyDeclared.push_back(symbol);
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

static Expr withoutConstant(Expr value) {
  int64_t constant = getConstantTerm(getTerms(value));
  Expr rest = constant == 0 ? value : value - value.getContext().getConstant(constant);
  return rest ? rest : value;
}

Expr LinearEquations::getValue(Expr symbol) {
  Expr value = isConsistent ? store.getInner(symbol) : Expr();
  if (!value || store.isNamedPolynomial(value))
    return value;
  // Where a symbol could not go, a parameter took its place.
  Substitution names;
  for (Expr inside : value.getSymbols())
    if (Expr alias = store.getAlias(getSymbolAtom(inside)))
      names[inside.getNode()] = alias;
  return names.empty() ? value : substitute(value, names);
}

/// The symbol x of +-x + c, and the factor of it.
static std::pair<const Atom *, int64_t> getOnlySymbol(Expr value) {
  Terms terms = dropConstant(getTerms(value));
  const Atom *atom = terms.size() == 1 && isUnit(terms[0].coefficient) ? terms[0].monomial->getAtom() : nullptr;
  return atom && atom->isSymbol() ? std::pair(atom, terms[0].coefficient) : std::pair<const Atom *, int64_t>();
}

Expr LinearEquations::rename(Expr value) {
  Substitution names;
  for (Expr left : value.getSymbols()) {
    const Atom *name = stands.lookup(getSymbolAtom(left));
    Expr named = name ? store.getContext().getExpr(name) : Expr(), inside = named ? getValue(named) : Expr();
    auto [symbol, factor] = inside ? getOnlySymbol(inside) : std::pair<const Atom *, int64_t>();
    if (symbol != getSymbolAtom(left))
      continue;
    // name == factor * left + c
    Expr difference = named - (inside - left * factor);
    if (Expr there = difference ? difference * factor : Expr())
      names[left.getNode()] = there;
  }
  Expr renamed = names.empty() ? value : substitute(value, names);
  return renamed ? renamed : value;
}

Expr LinearEquations::getContracted(Expr symbol) {
  Expr value = getValue(symbol);
  if (!value)
    return symbol;
  if (Expr renamed = rename(value); isContracted(renamed))
    return renamed;
  SymbolicContext::Impl &context = store.getContext();
  const Atom *own = getSymbolAtom(symbol);
  if (const Atom *bearer = bearers.lookup(value); bearer && bearer != own)
    return getContracted(context.getExpr(bearer));
  const Atom *bearer = declaredBearers.lookup(withoutConstant(value));
  Expr stands = bearer && bearer != own ? context.getExpr(bearer) : Expr(), other = stands ? getValue(stands) : Expr();
  if (!other || withoutConstant(other) != withoutConstant(value))
    return symbol;
  Expr sum = stands + (value - other);
  return sum ? sum : symbol;
}

bool LinearEquations::isPreferred(const Atom *a, const Atom *b) const {
  auto getRank = [&](const Atom *symbol) {
    const unsigned *place = declared.find(symbol);
    return std::tuple(place ? *place : UINT_MAX, symbol->name.size(), symbol->name);
  };
  return getRank(a) < getRank(b);
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
  return mapSides(predicate, [&](Expr side) { return contract(side); });
}

void LinearEquations::watch(const Atom *symbol) {
  Expr own = store.getContext().getExpr(symbol), value = store.getInner(own);
  bool isContracted = value != own && getContracted(own) != own;
  for (Expr inside : value ? value.getSymbols() : llvm::SmallVector<Expr, 4>())
    if (const Atom *atom = getSymbolAtom(inside);
        atom != symbol && (isContracted || watchers[atom].size() < maximalWatchers))
      watchers[atom].insert(symbol);
  if (Expr known = getValue(own))
    if (auto &alike = apartByConstant[withoutConstant(known)]; isContracted || alike.size() < maximalWatchers)
      alike.insert(symbol);
}

bool LinearEquations::follow(const Atom *symbol) {
  Expr value = getValue(store.getContext().getExpr(symbol));
  const Atom *left = value ? getOnlySymbol(value).first : nullptr, *name = left ? stands.lookup(left) : nullptr;
  if (!left || left == symbol || name == symbol || !declared.contains(name ? name : left))
    return false;
  followers[left].push_back(symbol);
  return true;
}

void LinearEquations::changeFollowers(const Atom *removed, std::vector<const Atom *> &changed) {
  // The one that stands for all may stand for those of the other symbol too.
  if (const Atom *stand = stands.lookup(removed))
    changed.push_back(stand);
  if (!followers.contains(removed))
    return;
  std::vector<const Atom *> moved = std::exchange(followers[removed], {});
  followers.erase(removed);
  Expr value = getValue(store.getContext().getExpr(removed));
  const Atom *left = value ? getOnlySymbol(value).first : nullptr;
  if (!left || left == removed) {
    llvm::append_range(changed, moved);
    return;
  }
  // Each symbol moves no more often than the logarithm of how many there are.
  std::vector<const Atom *> &known = followers[left];
  if (known.size() < moved.size())
    std::swap(known, moved);
  llvm::append_range(known, moved);
}

void LinearEquations::changeAll(const Atom *left, std::vector<const Atom *> &changed) {
  changed.push_back(left);
  if (const auto *found = watchers.find(left))
    llvm::append_range(changed, *found);
}

std::vector<const Atom *> LinearEquations::takeChanged() {
  std::vector<const Atom *> changed;
  for (const auto &removed = store.getRemoved(); taken < removed.size(); ++taken) {
    changed.push_back(removed[taken]);
    changeFollowers(removed[taken], changed);
    const auto *found = watchers.find(removed[taken]);
    if (!found)
      continue;
    llvm::append_range(changed, *found);
    watchers.erase(removed[taken]);
  }
  // Of which one stands for all may be another now, and symbols that are a constant apart from a declared one are
  // contracted to it.
  for (const Atom *symbol : std::exchange(newlyDeclared, {})) {
    if (const Atom *other = stands.lookup(symbol); other && isPreferred(other, symbol)) {
      changed.push_back(symbol);
      continue;
    }
    stands.erase(symbol);
    changeAll(symbol, changed);
    // It may have stood for them before.
    Expr value = getValue(store.getContext().getExpr(symbol));
    if (const Atom *left = value ? getOnlySymbol(value).first : nullptr; left && stands.lookup(left) == symbol)
      changeAll(left, changed);
  }
  for (size_t i = 0; i < changed.size(); ++i) {
    const Atom *symbol = changed[i];
    Expr named = store.getContext().getExpr(symbol), value = getValue(named);
    if (!value || value == named || !store.isNamedPolynomial(named))
      continue;
    if (const Atom *left = getOnlySymbol(value).first;
        left && store.isNamedPolynomial(store.getContext().getExpr(left))) {
      auto [stand, isNew] = stands.try_emplace(left, left);
      if (isPreferred(symbol, *stand)) {
        // Of symbols that are not declared, those that are a constant apart stay themselves, whichever stands.
        bool isDeclared = declared.contains(symbol);
        if (isDeclared && *stand != left)
          changed.push_back(*stand);
        *stand = symbol;
        if (isDeclared)
          changeAll(left, changed);
      } else if (isNew) {
        stands.erase(left);
      }
    }
    auto bear = [&](PagedMap<Expr, const Atom *> &known, Expr key) {
      // A symbol that is left has itself as its value.
      auto [bearer, isNew] = known.try_emplace(key, key.isSymbol() ? getSymbolAtom(key) : symbol);
      if (isPreferred(symbol, *bearer))
        changed.push_back(std::exchange(*bearer, symbol));
    };
    bear(bearers, value);
    if (declared.contains(symbol) && !isContracted(rename(value))) {
      Expr key = withoutConstant(value);
      const Atom *before = declaredBearers.lookup(key);
      bear(declaredBearers, key);
      // All that are a constant apart from it are contracted to it.
      const auto *alike = declaredBearers.lookup(key) != before ? apartByConstant.find(key) : nullptr;
      if (alike)
        llvm::append_range(changed, *alike);
    }
  }
  // Nobody mentions parameters, and no default says that they are sizes.
  llvm::erase_if(changed,
                 [&](const Atom *symbol) { return !store.isNamedPolynomial(store.getContext().getExpr(symbol)); });
  return changed;
}

Verdict LinearEquations::decide(const Predicate &predicate) {
  store.forgetAnswers();
  store.getContext().refuel();
  return isConsistent ? decideParts(predicate) : Verdict::Unknown;
}

Verdict LinearEquations::decideParts(const Predicate &predicate) {
  if (!predicate.operands.empty())
    return decideByParts(predicate, [&](const Predicate &part) { return decideParts(part); });
  if (!predicate.lhs || !predicate.rhs)
    return Verdict::Unknown;
  Expr lhs = predicate.lhs, rhs = predicate.rhs;
  // Where they replace nothing, they say nothing of it.
  auto isReplaced = [&](Expr symbol) { return store.getInner(symbol) != symbol; };
  if (llvm::any_of(predicate.getSymbols(), isReplaced)) {
    lhs = store.getInner(lhs);
    rhs = store.getInner(rhs);
  }
  if (!lhs || !rhs || dropConstant(getTerms(lhs)) != dropConstant(getTerms(rhs)))
    return Verdict::Unknown;
  return holdsBetween(predicate.kind, getConstantTerm(getTerms(lhs)), getConstantTerm(getTerms(rhs))) ? Verdict::Yes
                                                                                                      : Verdict::No;
}
