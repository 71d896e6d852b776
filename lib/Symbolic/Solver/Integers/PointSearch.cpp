//===- Points of what has few values ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/PointSearch.h"
#include "Solver/Integers/PointFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

/// Symbols with more values are not tried, nor more points than that altogether.
static constexpr int64_t maximalValues = 1024;
static constexpr double maximalPoints = 1 << 12;

/// How many parts of facts are evaluated for a unit of work.
static constexpr unsigned partsOfUnit = 16;

static const Atom *getSymbolAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }

namespace {

class PointSearch {
public:
  explicit PointSearch(FactStore &store) : store(store) {}

  Feasibility solve(const Predicate &question);

private:
  /// A fact that is open, and its symbols.
  struct Fact {
    PointFacts::Kind kind;
    Expr expr;
    const Predicate *disjunction;
    llvm::SmallVector<Expr, 4> symbols;
  };
  using Symbols = llvm::SmallVector<const Atom *, 8>;

  std::optional<Interval> getDomain(Expr symbol);
  /// The symbols that have to do with the question, and the facts about them; none if they have many values.
  Symbols reach(const Predicate &question);
  Symbols getOrder(Symbols symbols) const;
  bool findPoint(size_t level);

  FactStore &store;
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
  // One that was removed has the values that its value has.
  Interval range = store.getMonomialRange(atom->monomial);
  if (!range.hasAtMost(maximalValues) || store.getInner(symbol) != symbol)
    return std::nullopt;
  domains[atom] = range;
  return range;
}

PointSearch::Symbols PointSearch::reach(const Predicate &question) {
  Symbols reached;
  double points = 1;
  auto add = [&](llvm::ArrayRef<Expr> symbols) {
    double more = points;
    for (Expr symbol : symbols) {
      if (llvm::is_contained(reached, getSymbolAtom(symbol)))
        continue;
      std::optional<Interval> domain = getDomain(symbol);
      more = domain ? more * (domain->upper - domain->lower + 1) : maximalPoints + 1;
    }
    if (more > maximalPoints)
      return false;
    points = more;
    for (Expr symbol : symbols)
      if (!llvm::is_contained(reached, getSymbolAtom(symbol)))
        reached.push_back(getSymbolAtom(symbol));
    return true;
  };
  if (!add(question.getSymbols()))
    return {};
  std::vector<Fact> open;
  auto kinds = {PointFacts::Zero, PointFacts::NonNegative, PointFacts::NonZero};
  for (auto [kind, list] : llvm::zip_equal(kinds, store.getOpenExprs()))
    for (Expr expr : list)
      open.push_back({kind, expr, nullptr, expr.getSymbols()});
  for (const FactStore::Disjunction &disjunction : store.getDisjunctions())
    open.push_back({PointFacts::Zero, Expr(), disjunction.predicate.get(), disjunction.predicate->getSymbols()});
  for (bool grown = true; grown;) {
    grown = false;
    for (Fact &fact : open) {
      auto isReached = [&](Expr symbol) { return llvm::is_contained(reached, getSymbolAtom(symbol)); };
      if (fact.symbols.empty() || llvm::none_of(fact.symbols, isReached))
        continue;
      grown = true;
      if (add(fact.symbols))
        facts.push_back(std::move(fact));
      else
        isComplete = false;
      fact.symbols.clear();
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

Feasibility PointSearch::solve(const Predicate &question) {
  order = getOrder(reach(question));
  if (order.empty())
    return Feasibility::Unknown;
  compiled.emplace(order);
  compiled->addQuestion(question);
  for (const Fact &fact : facts) {
    if (fact.disjunction)
      compiled->add(*fact.disjunction);
    else
      compiled->add(fact.kind, fact.expr);
  }
  if (!findPoint(0))
    return Feasibility::Infeasible;
  return isComplete && !isExhausted && !compiled->hasOverflown() ? Feasibility::Feasible : Feasibility::Unknown;
}

Feasibility dyn::symbolic::searchCounterexample(FactStore &store, const Predicate &question) {
  return PointSearch(store).solve(store.getInner(question));
}
