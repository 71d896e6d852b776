//===- Which facts are the nearest to a question --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/FactIndex.h"
#include "Expressions/Comparison.h"
#include "Solver/Naming/SymbolOrder.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

const FactIndex::Symbol *FactIndex::look(const Atom *symbol) const {
  const std::shared_ptr<Symbol> *known = symbols.find(symbol);
  return known ? known->get() : nullptr;
}

FactIndex::Symbol &FactIndex::get(const Atom *symbol) {
  std::shared_ptr<Symbol> &known = symbols[symbol];
  if (!known)
    known = std::make_shared<Symbol>();
  else if (known.use_count() > 1)
    known = std::make_shared<Symbol>(*known);
  return *known;
}

/// Does it say that its right side is at least 0?
static bool isBound(const Predicate &part) {
  return part.kind == Predicate::Kind::LessEqual && part.lhs && part.rhs && part.lhs.isConstant(0);
}

FactIndex::Key FactIndex::getKey(const Fact &fact) const {
  SymbolColours colours(fact.predicate, [&](const Atom *symbol) -> std::optional<uint64_t> {
    const Symbol *known = look(symbol);
    return known && known->place ? std::optional<uint64_t>(*known->place) : std::nullopt;
  });
  return {SortedFacts::getRank(fact.predicate), static_cast<unsigned>(fact.symbols.size()), colours.getFingerprint()};
}

void FactIndex::link(unsigned place) {
  Fact &fact = facts.get(place);
  fact.key = getKey(fact);
  fact.nodes = countNodes(fact.predicate);
  for (const Atom *symbol : fact.symbols) {
    if (fact.predicate.kind == Predicate::Kind::True) {
      get(symbol).idle.insert(place);
      continue;
    }
    get(symbol).facts[fact.key].insert(place);
    if (fact.isDeclared && isDeclaredBound(fact.predicate, fact.given))
      get(symbol).bounds.insert(place);
  }
  for (Expr symbol : fact.given.getSymbols())
    get(getSymbolAtom(symbol)).told.insert(place);
}

void FactIndex::unlink(unsigned place) {
  for (const Atom *symbol : facts[place].symbols) {
    if (facts[place].predicate.kind == Predicate::Kind::True) {
      get(symbol).idle.erase(place);
      continue;
    }
    auto &groups = get(symbol).facts;
    auto group = groups.find(facts[place].key);
    group->second.erase(place);
    if (group->second.empty())
      groups.erase(group);
    get(symbol).bounds.erase(place);
  }
  for (Expr symbol : facts[place].given.getSymbols())
    get(getSymbolAtom(symbol)).told.erase(place);
}

void FactIndex::declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass) {
  equations.declare(symbol, symbolClass);
  if (look(symbol) && look(symbol)->declarations.empty())
    forgetDefault(symbol);
  get(symbol).declarations.emplace_back(facts, symbolClass);
  if (!look(symbol)->place) {
    // What tells symbols apart is part of the keys.
    llvm::SmallVector<unsigned> mentioning;
    for (const auto &[key, group] : look(symbol)->facts)
      llvm::append_range(mentioning, group);
    for (unsigned place : mentioning)
      unlink(place);
    get(symbol).place = declaredCount++;
    for (unsigned place : mentioning)
      link(place);
    insertIdle(symbol);
  }
  bool wasContracted = static_cast<bool>(look(symbol)->contracted);
  contractChanged();
  if (wasContracted)
    insertDeclarations(symbol);
  addContracted();
}

void FactIndex::forgetDefault(const Atom *symbol) {
  const std::set<unsigned> told = look(symbol)->told;
  for (unsigned place : told)
    if (facts[place].isDeclared) {
      unlink(place);
      facts.get(place) = Fact();
      ++version;
    }
}

void FactIndex::insertIdle(const Atom *symbol) {
  const std::set<unsigned> idle = look(symbol)->idle;
  for (unsigned place : idle) {
    unlink(place);
    Fact told = std::exchange(facts.get(place), Fact());
    insert(told.given, told.isDeclared, place);
  }
}

void FactIndex::add(const Predicate &predicate) {
  for (const Predicate &part : SortedFacts::getParts(predicate)) {
    if (!isComplete(part))
      continue;
    equations.add(part);
    contractChanged();
    insert(part);
    addContracted();
  }
}

void FactIndex::addContracted() {
  while (!contractedEquations.empty()) {
    Predicate equation = std::move(contractedEquations.back());
    contractedEquations.pop_back();
    equations.add(equation);
    contractChanged();
  }
}

static bool isDeclaredSize(llvm::ArrayRef<std::pair<SymbolFacts, SymbolClass>> declarations) {
  return !declarations.empty() && declarations.front().first.range.lower.value_or(-1) >= 0;
}

/// With constants that are none below 0.
static bool isSumOf(Expr expr, llvm::function_ref<bool(const Atom *symbol)> isCounted) {
  return llvm::all_of(getTerms(expr), [&](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return term.coefficient > 0 && (term.monomial->isOne() || (atom && atom->isSymbol() && isCounted(atom)));
  });
}

bool FactIndex::isSumOfSizes(Expr expr) const {
  return isSumOf(expr, [&](const Atom *symbol) {
    const Symbol *known = look(symbol);
    return !known || known->declarations.empty() || isDeclaredSize(known->declarations);
  });
}

bool FactIndex::isSumOfDeclaredSizes(Expr expr) const {
  return isSumOf(expr, [&](const Atom *symbol) {
    const Symbol *known = look(symbol);
    return known && !known->contracted && isDeclaredSize(known->declarations);
  });
}

bool FactIndex::isDeclaredBound(const Predicate &part, const Predicate &given) const {
  if (!isBound(part))
    return false;
  // That a symbol which is not declared is a size is a default.
  const Symbol *known = look(getSymbolAtom(given.getSymbols().front()));
  return known && !known->declarations.empty();
}

// Many symbols that are sums of the same few say much the same of these: in a row of sizes each of which is one more
// than the next, all upper ends bound one of them. What follows from another bound of declared symbols does so whatever
// these are contracted to, so that it can go for good. It is no farther from a question only where it is about no other
// symbols; and a symbol that has just been contracted is no size by itself: what it says may be the bound at hand.

bool FactIndex::isWeaker(Expr bound, Expr than) const {
  llvm::SmallVector<Expr, 4> symbols = bound.getSymbols();
  Expr difference = bound - than;
  return difference && isSumOfDeclaredSizes(difference) &&
         llvm::all_of(than.getSymbols(), [&](Expr symbol) { return llvm::is_contained(symbols, symbol); });
}

std::vector<unsigned> FactIndex::getBounds(Expr about) const {
  constexpr size_t maximalBounds = 32;
  std::vector<unsigned> found;
  for (Expr symbol : about.getSymbols())
    if (const Symbol *known = look(getSymbolAtom(symbol)); known && known->bounds.size() <= maximalBounds)
      found.insert(found.end(), known->bounds.begin(), known->bounds.end());
  return found;
}

bool FactIndex::isWeakerThanKnown(Expr bound) const {
  for (Expr symbol : bound.getSymbols()) {
    const Symbol *known = look(getSymbolAtom(symbol));
    if (!known || known->contracted)
      continue;
    for (const auto &[facts, symbolClass] : known->declarations) {
      auto [lower, upper] = std::pair(facts.range.lower, facts.range.upper);
      if ((lower && isWeaker(bound, symbol - context->getConstant(*lower))) ||
          (upper && isWeaker(bound, context->getConstant(*upper) - symbol)))
        return true;
    }
  }
  return llvm::any_of(getBounds(bound), [&](unsigned place) { return isWeaker(bound, facts[place].predicate.rhs); });
}

void FactIndex::dropWeaker(Expr bound) {
  for (unsigned place : getBounds(bound))
    // One that mentions several symbols is among the bounds of each.
    if (facts[place].isDeclared && isWeaker(facts[place].predicate.rhs, bound)) {
      unlink(place);
      facts.get(place) = Fact();
    }
}

bool FactIndex::isKnown(const Fact &fact) {
  // Of the symbol that the fewest mention: one may be in all facts.
  Key key = getKey(fact);
  const std::set<unsigned> *fewest = nullptr;
  for (const Atom *symbol : fact.symbols) {
    const Symbol *known = look(symbol);
    if (!known)
      return false;
    auto group = known->facts.find(key);
    if (group == known->facts.end())
      return false;
    if (!fewest || group->second.size() < fewest->size())
      fewest = &group->second;
  }
  return llvm::any_of(*fewest, [&](unsigned known) { return facts[known].predicate == fact.predicate; });
}

bool FactIndex::includes(const Predicate &predicate) {
  return isComplete(predicate) && llvm::all_of(SortedFacts::getParts(predicate), [&](const Predicate &part) {
           Fact fact{part, part, false, {}, {}};
           for (Expr symbol : part.getSymbols())
             fact.symbols.push_back(getSymbolAtom(symbol));
           return !fact.symbols.empty() && isKnown(fact);
         });
}

void FactIndex::insert(const Predicate &given, bool isDeclared, std::optional<unsigned> place) {
  Predicate contracted = equations.contract(given);
  if (!isComplete(contracted))
    contracted = given;
  bool isAsGiven = contracted == given, saysNothing = false, isPutDown = false;
  llvm::SmallVector<const Atom *, 4> sizes;
  for (Predicate &part : isAsGiven ? std::vector<Predicate>{given} : SortedFacts::getParts(contracted)) {
    // Declarations are told with the symbols that stand for themselves.
    if (isDeclared && isAsGiven) {
      saysNothing = true;
      continue;
    }
    if (isDeclared && isDeclaredBound(part, given)) {
      if (isWeakerThanKnown(part.rhs))
        continue;
      dropWeaker(part.rhs);
    }
    Fact fact{std::move(part), given, isDeclared, {}, {}};
    for (Expr symbol : fact.predicate.getSymbols())
      fact.symbols.push_back(getSymbolAtom(symbol));
    // Most symbols are sizes, and so are sums of them.
    if (isBound(fact.predicate) && isSumOfSizes(fact.predicate.rhs)) {
      // What a symbol says of itself it says again when it is contracted.
      if (!isDeclared || !fact.predicate.rhs.isSymbol()) {
        saysNothing = true;
        llvm::append_range(sizes, fact.symbols);
      }
      continue;
    }
    // What was none may be linear now: `d2 == max(d1, d0)`, once d1 is d0.
    if (!isAsGiven && fact.predicate.kind == Predicate::Kind::Equal)
      contractedEquations.push_back(fact.predicate);
    if (fact.symbols.empty())
      continue;
    if (isKnown(fact))
      continue;
    for (const Atom *symbol : fact.symbols)
      equations.watch(symbol);
    isPutDown = true;
    putDown(std::move(fact), place);
  }
  // Another contraction may say more, and so may the same of what are no sizes.
  if (saysNothing && !isPutDown)
    putDown(Fact{Predicate(), given, isDeclared, std::move(sizes), {}}, place);
}

void FactIndex::putDown(Fact fact, std::optional<unsigned> &place) {
  for (Expr symbol : fact.given.getSymbols())
    equations.watch(getSymbolAtom(symbol));
  if (!place)
    facts.push_back({});
  unsigned there = place.value_or(facts.size() - 1);
  place.reset();
  facts.get(there) = std::move(fact);
  link(there);
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

void FactIndex::contractChanged() {
  constexpr unsigned costOfChange = 16;
  for (const Atom *symbol : equations.takeChanged()) {
    context->work += costOfChange;
    Expr given = context->getExpr(symbol), contracted = equations.contract(given);
    const Symbol *known = look(symbol);
    bool isMentioned = known && !(known->told.empty() && known->facts.empty());
    if (contracted == given || (!contracted.isSymbol() && (isMentioned || !equations.follow(symbol))))
      equations.watch(symbol);
    Expr before = known ? known->contracted : Expr();
    if (contracted != (before ? before : given))
      get(symbol).contracted = contracted == given ? Expr() : contracted;
    if (contracted == given && !before)
      continue;
    // Also those that no longer mention it: `bcast(0, t) == 0` may have become `0 == 0` of one form or another.
    std::set<unsigned> mentioning;
    if (const Symbol *known = look(symbol)) {
      mentioning = known->told;
      for (const auto &[key, group] : known->facts)
        mentioning.insert(group.begin(), group.end());
    }
    // The equation that said so was put down no more, and may say more now: of `t == 2*s - 2*a`, once t is a.
    if (before && equations.contract(before) != contracted)
      insert(Predicate::equal(given, before));
    if (contracted != given && !before)
      insertDeclarations(symbol);
    version += !mentioning.empty();
    for (unsigned place : mentioning) {
      unlink(place);
      // Not from what it was contracted to before: one symbol after another may give another form than all at once.
      Fact told = std::exchange(facts.get(place), Fact());
      insert(told.given, told.isDeclared, place);
    }
  }
}

void FactIndex::insertDeclarations(const Atom *symbol) {
  Expr given = context->getExpr(symbol);
  std::vector<Predicate> parts;
  const auto declarations = get(symbol).declarations;
  for (const auto &[facts, symbolClass] : declarations)
    appendPredicates(given.getContext(), given, facts, parts);
  if (declarations.empty())
    appendPredicates(given.getContext(), given, SymbolFacts(), parts);
  for (const Predicate &part : parts)
    insert(part, /*isDeclared=*/true);
}
