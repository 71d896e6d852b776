//===- Points of what has few values ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/PointSearch.h"
#include "Expressions/Polynomial.h"
#include "Solver/Integers/PointFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

/// Symbols with more values are not tried, nor more points than that altogether.
static constexpr int64_t maximalValues = 1024;
static constexpr double maximalPoints = 1 << 12;
/// For the range of one symbol.
static constexpr unsigned fuelOfDomain = 200;

/// How many parts of facts are evaluated for a unit of work.
static constexpr unsigned partsOfUnit = 16;

namespace {

class PointSearch {
public:
  /// Among what is open in the store, or else of `given` facts.
  explicit PointSearch(FactStore &store, llvm::ArrayRef<Predicate> given = {}) : store(store), given(given) {}

  Feasibility solve(const Predicate &question);
  /// Of the facts that a fact with these symbols leads to. They are added to those that were seen.
  Feasibility solve(llvm::ArrayRef<Expr> symbols, llvm::SmallPtrSetImpl<const void *> &seen);
  /// Of all facts. Each is looked at once, with those that it leads to.
  Feasibility solve();

private:
  using Symbols = llvm::SmallVector<const Atom *, 8>;
  /// A fact that is open, and its symbols.
  struct Fact {
    PointFacts::Kind kind;
    Expr expr;
    const Predicate *disjunction;
    llvm::SmallVector<Expr, 4> symbols;
    const void *getKey() const { return disjunction ? static_cast<const void *>(disjunction) : expr.getNode(); }
  };
  std::optional<Interval> getDomain(Expr symbol);
  /// The symbols that have to do with the question, and the facts about them; none if they have many values.
  Symbols reach(llvm::ArrayRef<Expr> asked);
  void compileFacts();
  Symbols getOrder(Symbols symbols) const;
  bool findPoint(size_t level);
  Feasibility findPoint();

  double getSize(const Atom *symbol) const {
    Interval domain = domains.lookup(symbol);
    return double(domain.upper) - double(domain.lower) + 1;
  }
  double countPoints(llvm::ArrayRef<const Atom *> symbols) const;
  double countPointsOfEquations(llvm::ArrayRef<const Atom *> symbols, llvm::ArrayRef<Fact> open) const;
  /// Do the other symbols of the fact tell the value of this one?
  bool isTold(const Fact &fact, const Atom *symbol) const;
  std::vector<Fact> getFacts() const;

  FactStore &store;
  llvm::ArrayRef<Predicate> given;
  llvm::DenseMap<const Atom *, Interval> domains;
  std::vector<Fact> facts;
  std::optional<PointFacts> compiled;
  Symbols order;
  bool isComplete = true, isExhausted = false;
};

} // namespace

/// Nothing for a symbol with many values.
std::optional<Interval> PointSearch::getDomain(Expr symbol) {
  const Atom *atom = getSymbolAtom(symbol);
  auto known = domains.find(atom);
  if (known != domains.end())
    return known->second;
  // One that was removed has the values that its value has, and those that are given are asked about it, too.
  Interval range = store.getMonomialRange(atom->monomial);
  Expr inner = store.getInner(symbol);
  if (inner != symbol && given.empty())
    return std::nullopt;
  if (inner && (inner != symbol || !given.empty()) && !range.hasAtMost(maximalValues)) {
    // Of what has no end, the proof goes on as long as it may.
    SymbolicContext::Impl::FuelSlice slice(store.getContext(), fuelOfDomain);
    range = intersect(range, store.getRange(inner));
  }
  if (!range.hasAtMost(maximalValues))
    return std::nullopt;
  domains[atom] = range;
  return range;
}

std::vector<PointSearch::Fact> PointSearch::getFacts() const {
  std::vector<Fact> result;
  for (const Predicate &fact : given)
    result.push_back({PointFacts::Zero, Expr(), &fact, fact.getSymbols()});
  if (!given.empty())
    return result;
  auto kinds = {PointFacts::Zero, PointFacts::NonNegative, PointFacts::NonZero};
  for (auto [kind, list] : llvm::zip_equal(kinds, store.getOpenExprs()))
    for (Expr expr : list)
      result.push_back({kind, expr, nullptr, expr.getSymbols()});
  for (const FactStore::Disjunction &disjunction : store.getDisjunctions())
    result.push_back({PointFacts::Zero, Expr(), disjunction.predicate.get(), disjunction.predicate->getSymbols()});
  return result;
}

double PointSearch::countPoints(llvm::ArrayRef<const Atom *> symbols) const {
  double points = 1;
  for (const Atom *symbol : symbols)
    points *= getSize(symbol);
  return points;
}

/// The same without symbols that an equation tells by others, of which none is such a symbol.
double PointSearch::countPointsOfEquations(llvm::ArrayRef<const Atom *> symbols, llvm::ArrayRef<Fact> open) const {
  Symbols chosen(symbols);
  for (const Fact &fact : open) {
    auto isChosen = [&](Expr symbol) { return llvm::is_contained(chosen, getSymbolAtom(symbol)); };
    if (!llvm::all_of(fact.symbols, isChosen))
      continue;
    const Atom *largest = nullptr;
    for (Expr symbol : fact.symbols) {
      const Atom *atom = getSymbolAtom(symbol);
      store.getContext().spend(1);
      if ((!largest || getSize(atom) > getSize(largest)) && isTold(fact, atom))
        largest = atom;
    }
    if (largest)
      llvm::erase(chosen, largest);
  }
  return countPoints(chosen);
}

bool PointSearch::isTold(const Fact &fact, const Atom *symbol) const {
  if (fact.disjunction)
    return PointFacts::isLinear(store.getContext(), *fact.disjunction, symbol);
  return fact.kind == PointFacts::Zero && PointFacts::isLinear(store.getContext(), fact.expr, symbol);
}

PointSearch::Symbols PointSearch::reach(llvm::ArrayRef<Expr> asked) {
  Symbols reached;
  std::vector<Fact> open = getFacts();
  auto add = [&](llvm::ArrayRef<Expr> symbols) {
    Symbols more = reached;
    for (Expr symbol : symbols) {
      if (!getDomain(symbol))
        return false;
      if (!llvm::is_contained(more, getSymbolAtom(symbol)))
        more.push_back(getSymbolAtom(symbol));
    }
    if (countPoints(more) > maximalPoints && countPointsOfEquations(more, open) > maximalPoints)
      return false;
    reached = std::move(more);
    return true;
  };
  if (!add(asked))
    return {};
  llvm::SmallVector<bool> isSeen(open.size(), false);
  for (bool grown = true; grown;) {
    grown = false;
    for (auto [fact, seen] : llvm::zip_equal(open, isSeen)) {
      auto isReached = [&](Expr symbol) { return llvm::is_contained(reached, getSymbolAtom(symbol)); };
      if (seen || llvm::none_of(fact.symbols, isReached))
        continue;
      seen = grown = true;
      if (add(fact.symbols))
        facts.push_back(fact);
      else
        isComplete = false;
    }
  }
  return reached;
}

/// Next comes what lets the most facts be looked at, and of that what has the fewest values.
PointSearch::Symbols PointSearch::getOrder(Symbols symbols) const {
  Symbols chosen;
  while (!symbols.empty()) {
    auto getRank = [&](const Atom *symbol) {
      int64_t finished = llvm::count_if(facts, [&](const Fact &fact) {
        return llvm::is_contained(fact.symbols, symbol->expr) && llvm::all_of(fact.symbols, [&](Expr other) {
                 return other == symbol->expr || llvm::is_contained(chosen, getSymbolAtom(other));
               });
      });
      Interval domain = domains.lookup(symbol);
      return std::tuple(-finished, domain.upper - domain.lower, symbol->name);
    };
    auto next = llvm::min_element(symbols, [&](const Atom *a, const Atom *b) { return getRank(a) < getRank(b); });
    chosen.push_back(*next);
    symbols.erase(next);
  }
  return chosen;
}

bool PointSearch::findPoint(size_t level) {
  if (level == order.size())
    return true;
  const Atom *symbol = order[level];
  Interval domain = domains.lookup(symbol);
  SymbolicContext::Impl &context = store.getContext();
  compiled->narrow(level, domain.lower, domain.upper);
  for (int64_t value = domain.lower; value <= domain.upper; ++value) {
    context.spend(1 + compiled->countParts(level) / partsOfUnit);
    if (context.fuel == 0) {
      isExhausted = true;
      return true;
    }
    if (!llvm::is_contained(store.getExcluded(symbol), value) && compiled->mayHold(level, value) &&
        findPoint(level + 1))
      return true;
  }
  return false;
}

void PointSearch::compileFacts() {
  for (const Fact &fact : facts) {
    if (fact.disjunction)
      compiled->add(*fact.disjunction);
    else
      compiled->add(fact.kind, fact.expr);
  }
}

Feasibility PointSearch::solve(const Predicate &question) {
  order = getOrder(reach(question.getSymbols()));
  if (order.empty())
    return Feasibility::Unknown;
  // A dim may be known to be a broadcast, or a quotient, before the guard that it has a value, and that guard is asked
  // about like anything else.
  compiled.emplace(store.getContext(), order, /*factsHaveValues=*/false);
  compiled->addQuestion(question);
  compileFacts();
  return findPoint();
}

Feasibility PointSearch::findPoint() {
  if (!findPoint(0))
    return Feasibility::Infeasible;
  return isComplete && !isExhausted && !compiled->hasOverflown() ? Feasibility::Feasible : Feasibility::Unknown;
}

Feasibility PointSearch::solve(llvm::ArrayRef<Expr> symbols, llvm::SmallPtrSetImpl<const void *> &seen) {
  order = getOrder(reach(symbols));
  if (order.empty())
    return Feasibility::Unknown;
  for (const Fact &fact : facts)
    seen.insert(fact.getKey());
  compiled.emplace(store.getContext(), order, /*factsHaveValues=*/true);
  compileFacts();
  return findPoint();
}

/// Are there numbers that do not divide, or do not broadcast?
static bool hasNoValue(Expr expr) {
  return expr.getNode()->depth > 0 && llvm::any_of(getAtomsInAnyOrder(getTerms(expr)), [](const Atom *atom) {
           llvm::SmallVector<int64_t, 4> numbers;
           for (Expr operand : atom->operands)
             if (std::optional<int64_t> number = operand.getConstant())
               numbers.push_back(*number);
           bool areNumbers = numbers.size() == atom->operands.size();
           bool divides = atom->kind == AtomKind::FloorDiv || atom->kind == AtomKind::ExactDiv;
           return (areNumbers && divides && numbers[1] == 0) || (areNumbers && atom->kind == AtomKind::Bcast) ||
                  llvm::any_of(atom->operands, hasNoValue);
         });
}

/// Of a fact without symbols.
static bool cannotHold(const Predicate &fact) {
  if (fact.kind == Predicate::Kind::And)
    return llvm::any_of(fact.operands, cannotHold);
  if (fact.kind == Predicate::Kind::Or)
    return llvm::all_of(fact.operands, cannotHold);
  if (!fact.lhs || !fact.rhs)
    return false;
  return hasNoValue(fact.lhs) || hasNoValue(fact.rhs) ||
         evaluate(fact, [](llvm::StringRef) { return std::nullopt; }) == false;
}

Feasibility PointSearch::solve() {
  llvm::SmallPtrSet<const void *, 16> seen;
  Feasibility result = Feasibility::Feasible;
  for (const Fact &fact : getFacts()) {
    if (fact.symbols.empty()) {
      if (fact.disjunction ? cannotHold(*fact.disjunction) : hasNoValue(fact.expr))
        return Feasibility::Infeasible;
      continue;
    }
    if (seen.contains(fact.getKey()))
      continue;
    Feasibility found =
        store.getContext().fuel > 0 ? PointSearch(store, given).solve(fact.symbols, seen) : Feasibility::Unknown;
    if (found == Feasibility::Infeasible)
      return found;
    if (found == Feasibility::Unknown)
      result = found;
  }
  return result;
}

Feasibility dyn::symbolic::searchPoint(FactStore &store, llvm::ArrayRef<Predicate> given) {
  return PointSearch(store, given).solve();
}

Feasibility dyn::symbolic::searchCounterexample(FactStore &store, const Predicate &question) {
  return PointSearch(store).solve(store.getInner(question));
}

Feasibility dyn::symbolic::searchCounterexample(FactStore &store, const Predicate &question,
                                                llvm::ArrayRef<Predicate> given) {
  return given.empty() ? Feasibility::Unknown : PointSearch(store, given).solve(question);
}
