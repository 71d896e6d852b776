//===- Points of what is linear in a store ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/IntegerSearch.h"
#include "Solver/Integers/LinearFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

static bool holdsAt(const Conjunction &conjunction, const IntegerPoint &point);

static bool holdsAt(const Choice &choice, const IntegerPoint &point) {
  return llvm::any_of(choice.alternatives, [&](const Conjunction &c) { return holdsAt(c, point); });
}

static bool holdsAt(const Conjunction &conjunction, const IntegerPoint &point) {
  return llvm::all_of(conjunction.literals,
                      [&](const Conjunction::Literal &l) { return dyn::symbolic::holdsAt(l.row, point); }) &&
         llvm::all_of(conjunction.choices, [&](const Choice &choice) { return holdsAt(choice, point); });
}

/// Adds one alternative after another of a choice that a point contradicts.
static Feasibility decide(unsigned unknowns, std::vector<LinearRow> rows, llvm::SmallVector<const Choice *> open,
                          unsigned &fuel) {
  IntegerPoint point;
  fuel -= std::min<unsigned>(fuel, rows.size());
  Feasibility result = findIntegers(unknowns, rows, fuel, point);
  if (result != Feasibility::Feasible)
    return result;
  auto violated = llvm::find_if(open, [&](const Choice *choice) { return !holdsAt(*choice, point); });
  if (violated == open.end())
    return result;
  const Choice &choice = **violated;
  open.erase(violated);
  for (const Conjunction &alternative : choice.alternatives) {
    std::vector<LinearRow> more = rows;
    llvm::SmallVector<const Choice *> inner(open);
    for (const Conjunction::Literal &literal : alternative.literals)
      more.push_back(literal.row);
    for (const Choice &nested : alternative.choices)
      inner.push_back(&nested);
    if (Feasibility found = decide(unknowns, std::move(more), std::move(inner), fuel); found != Feasibility::Infeasible)
      return found;
  }
  return Feasibility::Infeasible;
}

llvm::SmallVector<Expr> dyn::symbolic::getNeighbours(const FactStore &store, llvm::ArrayRef<Expr> exprs) {
  constexpr size_t maximalNeighbours = 24;
  llvm::SmallVector<Expr> neighbours;
  // By name, not in the order in which they were mentioned first.
  auto add = [&](llvm::SmallVector<Expr, 4> symbols) {
    llvm::sort(symbols, [](Expr a, Expr b) { return a.getSymbolName() < b.getSymbolName(); });
    for (Expr symbol : symbols)
      if (neighbours.size() < maximalNeighbours && !llvm::is_contained(neighbours, symbol))
        neighbours.push_back(symbol);
  };
  for (Expr expr : exprs)
    add(expr.getSymbols());
  if (neighbours.empty())
    return neighbours;
  llvm::SmallVector<Expr> own(neighbours);
  uint64_t mask = 0;
  for (Expr symbol : own)
    mask |= symbol.getNode()->symbolMask;
  auto addIfShared = [&](uint64_t factMask, llvm::function_ref<llvm::SmallVector<Expr, 4>()> getSymbols) {
    if (!(factMask & mask) || neighbours.size() >= maximalNeighbours)
      return;
    llvm::SmallVector<Expr, 4> symbols = getSymbols();
    if (llvm::any_of(symbols, [&](Expr symbol) { return llvm::is_contained(own, symbol); }))
      add(symbols);
  };
  for (const std::vector<Expr> &list : store.getOpenExprs())
    for (Expr expr : list)
      addIfShared(expr.getNode()->symbolMask, [&] { return expr.getSymbols(); });
  for (const FactStore::Disjunction &disjunction : store.getDisjunctions())
    addIfShared(disjunction.symbolMask, [&] { return disjunction.predicate->getSymbols(); });
  return neighbours;
}

/// With a part of the fuel that is left to the question.
static Feasibility decideWithin(LinearFacts &search, SymbolicContext::Impl &context, unsigned limit) {
  if (context.fuel == 0)
    return Feasibility::Unknown;
  search.makeRows();
  std::vector<LinearRow> rows;
  for (const Conjunction::Literal &literal : search.getFacts().literals)
    rows.push_back(literal.row);
  llvm::SmallVector<const Choice *> open;
  for (const Choice &choice : search.getFacts().choices)
    open.push_back(&choice);
  // What a row takes, next to a term of a polynomial.
  unsigned costOfRow = 8 + search.countUnknowns() / 2;
  unsigned fuel = std::min(limit, context.fuel / costOfRow), left = fuel;
  Feasibility result = decide(search.countUnknowns(), std::move(rows), std::move(open), left);
  context.spend((fuel - left) * costOfRow);
  return result;
}

Feasibility dyn::symbolic::searchIntegers(FactStore &store, llvm::ArrayRef<Expr> around, unsigned limit) {
  llvm::SmallVector<Expr> inner;
  for (Expr expr : around)
    if (Expr form = store.getInner(expr))
      inner.push_back(form);
  LinearFacts search(store);
  search.collect(inner);
  return decideWithin(search, store.getContext(), limit);
}

bool dyn::symbolic::holdsAtAllIntegers(FactStore &store, const Predicate &predicate, unsigned limit, bool &isComplete,
                                       llvm::ArrayRef<Predicate> premises) {
  LinearFacts search(store);
  isComplete = false;
  bool areTold = llvm::all_of(premises, [&](const Predicate &premise) { return search.require(premise); });
  if (!areTold || !search.require(Predicate::negation(predicate)))
    return false;
  search.collect({});
  Feasibility result = decideWithin(search, store.getContext(), limit);
  isComplete = search.isComplete && result == Feasibility::Feasible;
  return result == Feasibility::Infeasible;
}
