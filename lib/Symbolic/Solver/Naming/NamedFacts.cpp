//===- Facts under names of their own ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/NamedFacts.h"
#include "Expressions/Comparison.h"
#include "Solver/Naming/SymbolOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace dyn::symbolic;

static bool hasSmallerName(const Atom *a, const Atom *b) { return a->name < b->name; }

/// Each symbol once.
static llvm::SmallVector<const Atom *, 8> getSymbols(llvm::ArrayRef<Predicate> predicates) {
  llvm::SmallVector<const Atom *, 8> symbols;
  for (const Predicate &predicate : predicates)
    for (Expr symbol : predicate.getSymbols())
      if (const Atom *atom = getSymbolAtom(symbol); predicates.size() == 1 || !llvm::is_contained(symbols, atom))
        symbols.push_back(atom);
  return symbols;
}

NamedFacts::NamedFacts(SymbolicContext::Impl &given)
    : given(&given), own(std::make_shared<SymbolicContext>()), declared(own->getImpl()),
      declaredDifferences(std::in_place, own->getImpl()), inside(own->getImpl(), /*areCanonical=*/true),
      outside(given) {
  own->getImpl().areNamesCanonical = true;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// All of one length, so that they are in the order of their numbers, and short, so that they are compared quickly.
Expr NamedFacts::getName(Kind kind, size_t number) {
  std::string digits = std::to_string(number);
  constexpr size_t maximalDigits = 7;
  digits.insert(0, maximalDigits - std::min(digits.size(), maximalDigits), '0');
  return own->getSymbol(std::string(1, kind) + digits);
}

void NamedFacts::name(const Atom *symbol, Expr there) {
  inside.add(symbol, there);
  outside.add(getSymbolAtom(there), given->getExpr(symbol));
}

std::optional<uint64_t> NamedFacts::getPlace(const Atom *symbol) const {
  const uint64_t *place = places.find(symbol);
  return place ? std::optional(*place) : std::nullopt;
}

void NamedFacts::forget() {
  inside.forget();
  outside.forget();
  fixedForms.clear();
}

void NamedFacts::nameMentioned() {
  if (std::exchange(areNamed, true))
    return;
  namingColours =
      std::make_shared<const SymbolColours>(facts.get(), [&](const Atom *symbol) { return getPlace(symbol); });
  SymbolColours colours = *namingColours;
  tied.clear();
  fixed.clear();
  for (const Atom *symbol : colours.getOrder())
    (colours.isTied(symbol) ? tied : fixed).insert(symbol);
  colours.setAllApart();
  llvm::SmallVector<const Atom *, 8> order = colours.getOrder();
  bool isChanged = !llvm::equal(mentioned, order);
  if (isChanged) {
    forget();
    mentioned.assign(order.begin(), order.end());
    for (size_t number = 0; number < mentioned.size(); ++number)
      name(mentioned[number], getName(Mentioned, number));
    witnesses.forgetFacts();
  }
  SortedFacts before = isChanged ? SortedFacts() : std::move(namedFacts);
  namedFacts = SortedFacts();
  equations.reset();
  broadcasts.reset();
  for (const Predicate &fact : facts.get())
    namedFacts.add(inside(fact));
  for (const Predicate &fact : namedFacts.get())
    if (!llvm::is_contained(before.get(), fact))
      witnesses.add(fact);
}

Renaming NamedFacts::getNames(llvm::ArrayRef<Predicate> question) {
  llvm::SmallVector<const Atom *, 8> asked = getSymbols(question);
  if (llvm::any_of(asked, [&](const Atom *symbol) { return tied.contains(symbol); }))
    if (std::optional<Renaming> names = getNamesOfTied(question))
      return *std::move(names);
  Renaming names(own->getImpl(), /*areCanonical=*/true);
  SymbolColours colours(question, [&](const Atom *symbol) -> std::optional<uint64_t> {
    if (!isFixed(symbol) && !tied.contains(symbol))
      return std::nullopt;
    names.add(symbol, inside.find(symbol));
    return llvm::xxh3_64bits(inside.find(symbol).getSymbolName());
  });
  colours.setAllApart();
  for (auto [number, symbol] : llvm::enumerate(colours.getOrder()))
    names.add(symbol, getName(Asked, number));
  return names;
}

/// Goes the way of `nameMentioned`, but for which of several tied symbols is set apart first. Nothing if the facts are
/// not the same then, so that the symbols did not play the same part.
std::optional<Renaming> NamedFacts::getNamesOfTied(llvm::ArrayRef<Predicate> question) {
  SymbolColours colours = *namingColours, coloursOfAll = colours;
  coloursOfAll.add(question, [&](const Atom *symbol) { return getPlace(symbol); });
  for (auto open = colours.getTied(); !open.empty(); open = colours.getTied()) {
    const Atom *next = *llvm::min_element(open, [&](const Atom *a, const Atom *b) {
      auto first = coloursOfAll.getColour(a), second = coloursOfAll.getColour(b);
      return first != second ? first < second : hasSmallerName(a, b);
    });
    colours.setApart(next);
    coloursOfAll.setApart(next);
  }
  Renaming names(own->getImpl(), /*areCanonical=*/true);
  for (auto [number, symbol] : llvm::enumerate(colours.getOrder()))
    names.add(symbol, getName(Mentioned, number));
  coloursOfAll.setAllApart();
  size_t number = 0;
  for (llvm::ArrayRef<Predicate> predicates : {llvm::ArrayRef(facts.get()), question})
    for (const Predicate &predicate : predicates)
      for (Expr symbol : predicate.getSymbols())
        if (const Atom *atom = getSymbolAtom(symbol); isFixed(atom))
          names.add(atom, inside.find(atom));
  for (const Atom *symbol : coloursOfAll.getOrder())
    if (!names.find(symbol))
      names.add(symbol, getName(Asked, number++));
  SortedFacts exchanged;
  for (const Predicate &fact : facts.get())
    exchanged.add(names(fact));
  return exchanged.get() == namedFacts.get() ? std::optional(std::move(names)) : std::nullopt;
}

Expr NamedFacts::getFixed(Expr expr) {
  auto known = fixedForms.find(expr);
  if (known != fixedForms.end())
    return known->second;
  for (Expr symbol : expr.getSymbols())
    if (!isFixed(getSymbolAtom(symbol)))
      return {};
  return fixedForms[expr] = inside(expr);
}

Expr NamedFacts::getInside(Expr expr) {
  for (Expr symbol : expr.getSymbols())
    if (const Atom *atom = getSymbolAtom(symbol); !inside.find(atom))
      name(atom, own->getSymbol(std::string(1, Free) + atom->name.str()));
  return inside(expr);
}

Verdict NamedFacts::findTold(const Predicate &named) {
  if (namedFacts.includes(named))
    return Verdict::Yes;
  if (namedFacts.includes(Predicate::negation(named)))
    return Verdict::No;
  if (isAskedByParts(named))
    if (Verdict verdict = decideByParts(named, [&](const Predicate &part) { return findTold(part); });
        verdict != Verdict::Unknown)
      return verdict;
  if (!equations && sorted) {
    equations.emplace(own->getImpl());
    for (const Predicate &fact : namedFacts.get())
      equations->add(fact, *sorted);
  }
  Verdict verdict = equations ? equations->decide(named) : Verdict::Unknown;
  auto decideBroadcasts = [&](const Predicate &predicate) {
    return getBroadcasts().decide(predicate, [&](Expr term) { return getOwn(term); });
  };
  if (verdict == Verdict::Unknown)
    verdict = decideBroadcasts(named);
  std::optional<Predicate> valued = verdict == Verdict::Unknown ? putValues(named) : std::nullopt;
  return valued ? decideBroadcasts(*valued) : verdict;
}

/// Sums of symbols in place of those that have them as values. Without any effort, of which more or less may be left.
std::optional<Predicate> NamedFacts::putValues(const Predicate &predicate) {
  constexpr unsigned maximalSteps = 4;
  std::optional<Predicate> result;
  for (unsigned step = 0; sorted && step < maximalSteps; ++step) {
    Substitution values;
    for (Expr symbol : (result ? *result : predicate).getSymbols())
      if (Expr value = sorted->getAssigned(getSymbolAtom(symbol)); value && value.getNode()->depth == 0)
        values[symbol.getNode()] = value;
    if (values.empty())
      break;
    Predicate next = substitute(result ? *result : predicate, values);
    if (!isComplete(next))
      return std::nullopt;
    result = std::move(next);
  }
  return result;
}

BroadcastFacts &NamedFacts::getBroadcasts() {
  if (!broadcasts) {
    broadcasts.emplace(own->getImpl());
    auto getOwnOf = [&](Expr term) { return getOwn(term); };
    for (const Predicate &fact : namedFacts.get()) {
      broadcasts->add(fact, getOwnOf);
      // What is told of u is told of s + 1 where that is u.
      if (std::optional<Predicate> valued = putValues(fact))
        broadcasts->add(*valued, getOwnOf);
    }
    broadcasts->finish();
  }
  return *broadcasts;
}

/// Without any effort, of which more or less may be left.
BroadcastFacts::Own NamedFacts::getOwn(Expr term) {
  BroadcastFacts::Own known;
  const Atom *symbol = term.isSymbol() ? getSymbolAtom(term) : nullptr;
  FactStore &store = sorted ? *sorted : declared;
  Expr value = symbol ? store.getAssigned(symbol) : term;
  if (!value) {
    known.range = store.getOwnRange(symbol);
    known.isNotOne = llvm::is_contained(store.getExcluded(symbol), 1);
    return known;
  }
  auto [modulus, remainder] = store.getCongruence(value);
  if (modulus == 0)
    return {withFiniteEnds({remainder, remainder}), remainder != 1};
  known.isNotOne = floorMod(1 - remainder, modulus) != 0;
  return known;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void NamedFacts::declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass) {
  sorted.reset();
  areNamed = false;
  bounds.reset();
  if (!areFew())
    return;
  declarations.push_back({symbol, facts, symbolClass});
  if (isMentioned(symbol, /*besides=*/nullptr) || meanings.count(given->getExpr(symbol).getNode())) {
    Work work(*this);
    redefine();
  }
  // What no question needs is not told, but a question is not to pay for any number of them.
  constexpr size_t maximalUntold = 64;
  if (declarations.size() - told > maximalUntold) {
    Work work(*this);
    tellDeclarations();
  }
}

void NamedFacts::add(const Predicate &fact) {
  if (areMany)
    return;
  for (Expr symbol : fact.getSymbols())
    undefine(getSymbolAtom(symbol));
  facts.add(fact);
  areMany = !facts.areFew() || facts.get().size() + definitions.size() > SortedFacts::maximalFacts;
  if (areMany) {
    facts = SortedFacts();
    definitions.clear();
    meanings.clear();
  }
  sorted.reset();
  areNamed = false;
  bounds.reset();
}

void NamedFacts::reset() {
  declarations = {};
  places = {};
  told = 0;
  declared = FactStore(own->getImpl());
  declaredDifferences.emplace(own->getImpl());
  isDeclaredConsistent = true;
  facts = namedFacts = SortedFacts();
  areMany = false;
  sorted.reset();
  areNamed = false;
  bounds.reset();
  differences.reset();
  equations.reset();
  broadcasts.reset();
  mentioned.clear();
  namingColours.reset();
  definitions.clear();
  meanings.clear();
  tied.clear();
  fixed.clear();
  inside = Renaming(own->getImpl(), /*areCanonical=*/true);
  outside = Renaming(*given);
  fixedForms.clear();
  witnesses = Witnesses();
}

void NamedFacts::tellDeclarations() {
  for (; told < declarations.size(); ++told) {
    differences.reset();
    const Declaration &declaration = declarations[told];
    auto [place, isNew] = places.try_emplace(declaration.symbol, places.size());
    Expr there = getName(Declared, *place);
    if (isNew && inside.find(declaration.symbol))
      forget();
    if (isNew)
      name(declaration.symbol, there);
    own->getImpl().refuel();
    witnesses.declare(getSymbolAtom(there), declaration.facts);
    declaredDifferences->declare(getSymbolAtom(there), declaration.facts, 0);
    isDeclaredConsistent =
        isDeclaredConsistent && declared.declare(getSymbolAtom(there), declaration.facts, declaration.symbolClass);
  }
}

FactStore *NamedFacts::update() {
  tellDeclarations();
  if (!isDeclaredConsistent)
    return nullptr;
  if (facts.get().empty())
    return &declared;
  if (!sorted) {
    nameMentioned();
    differences.reset();
    // What was computed while other facts were told depends on the effort that these had left.
    declared.forgetAnswers();
    sorted.emplace(declared);
    isSortedConsistent = namedFacts.tell(*sorted);
  }
  return isSortedConsistent ? &*sorted : nullptr;
}

std::vector<Predicate> NamedFacts::getTold() const {
  std::vector<Predicate> result(namedFacts.get());
  for (const Declaration &declaration : declarations)
    appendPredicates(*own, inside.find(declaration.symbol), declaration.facts, result);
  return result;
}

DifferenceGraph &NamedFacts::getDifferences() {
  if (!differences) {
    differences.emplace(*declaredDifferences);
    for (const Predicate &fact : namedFacts.get())
      differences->add(fact, 0);
  }
  return *differences;
}
