//===- From given facts to an answer, step by step ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Reasons/ReasonChain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

/// Among more facts, none are derived; nor about more symbols than that.
static constexpr size_t maximalFacts = 24, maximalShared = 6;

/// Derived facts that may stand for the ones before them, which have to be more.
static constexpr size_t maximalDerived = 2;

using Entry = Solver::Impl::Entry;

/// Work for all that facts are told for. A chain that is not the smallest by then stays as it is.
static constexpr uint64_t maximalWork = 1'000'000;

/// Leaves out what is not needed: runs of items, from half of them down to single ones.
template <typename Item>
void ReasonChain::shrink(std::vector<Item> &items, llvm::function_ref<bool(llvm::ArrayRef<Item>)> suffices) const {
  for (size_t run = std::max<size_t>(items.size() / 2, 1);; run /= 2) {
    for (size_t begin = 0; begin < items.size();) {
      if (solver.context.getImpl().work - startOfWork > maximalWork)
        return;
      std::vector<Item> fewer(items.begin(), items.begin() + begin);
      fewer.insert(fewer.end(), items.begin() + std::min(begin + run, items.size()), items.end());
      if (suffices(fewer))
        items = std::move(fewer);
      else
        begin += run;
    }
    if (run <= 1)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Given facts
//===----------------------------------------------------------------------===//

ReasonChain::ReasonChain(const Solver::Impl &solver, size_t known, llvm::ArrayRef<Expr> symbols, Purpose purpose,
                         Goal goal)
    : solver(solver), symbols(symbols.begin(), symbols.end()), purpose(purpose), goal(goal),
      startOfWork(solver.context.getImpl().work) {
  find(known);
}

ReasonChain::ReasonChain(const Solver::Impl &solver, llvm::ArrayRef<Expr> symbols, SolverGoal goal,
                         llvm::ArrayRef<DifferenceGraph::FactId> among)
    : solver(solver), symbols(symbols.begin(), symbols.end()), purpose(Answer), solverGoal(goal),
      startOfWork(solver.context.getImpl().work) {
  find(solver.log.size(), among);
}

ReasonChain::ReasonChain(const Solver::Impl &solver, size_t known, llvm::ArrayRef<Expr> symbols, SolverGoal goal)
    : solver(solver), symbols(symbols.begin(), symbols.end()), purpose(Refusal), solverGoal(goal),
      startOfWork(solver.context.getImpl().work) {
  find(known);
}

void ReasonChain::find(size_t known, llvm::ArrayRef<DifferenceGraph::FactId> among) {
  relevant = getRelevant(known);
  for (DifferenceGraph::FactId fact : among)
    core.push_back(&solver.log[fact]);
  if (among.empty())
    core = relevant;
  SortedFacts facts;
  for (const Entry *entry : core)
    if (!entry->symbol && facts.areFew())
      facts.add(entry->predicate);
  isSorted = purpose == Answer && facts.areFew();
  found = suffices(core);
  if (found)
    shrink<const Entry *>(core, [&](llvm::ArrayRef<const Entry *> fewer) { return suffices(fewer); });
  sortByConnection();
}

std::vector<const Entry *> ReasonChain::getRelevant(size_t known) const {
  const auto &log = solver.log;
  llvm::SmallPtrSet<const ExprNode *, 16> reached;
  for (Expr symbol : symbols)
    reached.insert(symbol.getNode());
  std::vector<bool> taken(known);
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < known; ++i) {
      if (taken[i])
        continue;
      llvm::SmallVector<Expr, 4> mentioned = log[i].getSymbols();
      if (!llvm::any_of(mentioned, [&](Expr symbol) { return reached.contains(symbol.getNode()); }))
        continue;
      for (Expr symbol : mentioned)
        reached.insert(symbol.getNode());
      taken[i] = grown = true;
    }
  }
  std::vector<const Entry *> relevant;
  for (size_t i = 0; i < known; ++i)
    if (taken[i])
      relevant.push_back(&log[i]);
  return relevant;
}

bool ReasonChain::tellInOrder(llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more,
                              llvm::function_ref<bool(const Entry &)> tell) const {
  llvm::SmallPtrSet<const Entry *, 16> told(entries.begin(), entries.end());
  // Declarations first: a symbol is a size unless it is declared as something else. That it may be negative is no fact
  // to be left out.
  for (const Entry *entry : relevant) {
    Entry anything;
    if (!entry->symbol)
      continue;
    if (!told.contains(entry)) {
      if (entry->facts.range.lower.value_or(-1) >= 0)
        continue;
      anything = *entry;
      anything.facts = {};
      anything.facts.range = {};
      entry = &anything;
    }
    if (!tell(*entry))
      return false;
  }
  auto tellThose = [&](bool areDeclarations) {
    return llvm::all_of(
        more, [&](const Entry &entry) { return static_cast<bool>(entry.symbol) != areDeclarations || tell(entry); });
  };
  return tellThose(/*areDeclarations=*/true) && tellThose(/*areDeclarations=*/false) &&
         llvm::all_of(relevant,
                      [&](const Entry *entry) { return entry->symbol || !told.contains(entry) || tell(*entry); });
}

bool ReasonChain::fill(FactStore &store, llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more) const {
  // As the answer was found.
  SortedFacts sorted;
  auto tell = [&](const Entry &entry) {
    if (!entry.symbol && isSorted) {
      sorted.add(entry.predicate);
      return true;
    }
    // No look for integers after each: the facts of the log have some, and so have fewer of them.
    store.getContext().refuel();
    return entry.symbol ? store.declare(getSymbolAtom(entry.symbol), entry.facts, entry.symbolClass)
                        : store.assertTrue(entry.predicate);
  };
  bool holds = tellInOrder(entries, more, tell) && sorted.tell(store);
  store.getContext().refuel();
  return holds;
}

bool ReasonChain::suffices(llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more) const {
  // What is spent on facts of which nothing is deduced.
  solver.context.getImpl().spend(10 * (entries.size() + more.size()));
  if (solverGoal)
    return suffices(solverGoal, entries, more);
  FactStore store(solver.context.getImpl());
  return !fill(store, entries, more) || goal(store);
}

bool ReasonChain::suffices(SolverGoal goal, llvm::ArrayRef<const Entry *> entries, llvm::ArrayRef<Entry> more) const {
  Solver::Impl other(solver.context);
  auto tell = [&](Entry entry) {
    entry.reason = other.reasons.size();
    other.reasons.push_back({});
    return other.add(std::move(entry));
  };
  return !tellInOrder(entries, more, tell) || goal(other);
}

/// Each after one that it shares symbols with, where there is one: the first of those in the order they were given.
void ReasonChain::sortByConnection() {
  if (core.size() > maximalFacts)
    return;
  llvm::SmallPtrSet<const ExprNode *, 16> reached;
  auto isReached = [&](const Entry *entry) {
    return llvm::any_of(entry->getSymbols(), [&](Expr symbol) { return reached.contains(symbol.getNode()); });
  };
  for (auto next = core.begin(); next != core.end(); ++next) {
    auto connected = std::find_if(next, core.end(), isReached);
    if (connected != core.end())
      std::rotate(next, connected, std::next(connected));
    for (Expr symbol : (*next)->getSymbols())
      reached.insert(symbol.getNode());
  }
}

//===----------------------------------------------------------------------===//
// Derived facts
//===----------------------------------------------------------------------===//

static Entry makeDerived(Predicate predicate) {
  Entry entry;
  entry.predicate = std::move(predicate);
  return entry;
}

/// What is known of the symbols and of the differences of two, the weakest first.
std::vector<Entry> ReasonChain::getCandidates(llvm::ArrayRef<Entry> premises, llvm::ArrayRef<Expr> shared) const {
  FactStore store(solver.context.getImpl());
  if (!fill(store, {}, premises))
    return {};
  SymbolicContext &context = solver.context;
  std::vector<Predicate> found;
  for (Expr symbol : shared) {
    SymbolFacts facts;
    store.refine(symbol, facts);
    appendPredicates(context, symbol, facts, found);
  }
  for (Expr lhs : shared)
    for (Expr rhs : shared)
      if (Interval range = lhs != rhs ? getRangeWithSplits(store, lhs - rhs) : Interval(); range.hasLower())
        found.push_back(Predicate::lessEqual(rhs + range.lower, lhs));
  for (const auto &[index, lhs] : llvm::enumerate(shared))
    for (Expr rhs : shared.drop_front(index + 1))
      if (Expr difference = store.getOuter(rhs - lhs); difference && difference.getConstant())
        found.push_back(Predicate::equal(lhs + *difference.getConstant(), rhs));
  for (Expr symbol : shared) {
    Expr value = store.getOuter(symbol);
    if (value && value != symbol && !value.isSymbol() &&
        llvm::all_of(value.getSymbols(), [&](Expr other) { return llvm::is_contained(shared, other); }))
      found.push_back(Predicate::equal(symbol, value));
  }
  // What holds anyway is no news.
  FactStore empty(solver.context.getImpl());
  fill(empty, {}, {});
  std::vector<Entry> candidates;
  for (Predicate &predicate : found)
    if (predicate.lhs && predicate.rhs && empty.decide(predicate) != Verdict::Yes)
      candidates.push_back(makeDerived(std::move(predicate)));
  return candidates;
}

std::vector<Entry> ReasonChain::derive(llvm::ArrayRef<Entry> premises, llvm::ArrayRef<const Entry *> rest) const {
  llvm::SmallPtrSet<const ExprNode *, 16> outside;
  for (Expr symbol : symbols)
    outside.insert(symbol.getNode());
  for (const Entry *entry : rest)
    for (Expr symbol : entry->getSymbols())
      outside.insert(symbol.getNode());
  llvm::SmallVector<Expr> shared;
  for (const Entry &premise : premises)
    for (Expr symbol : premise.getSymbols())
      if (outside.contains(symbol.getNode()) && !llvm::is_contained(shared, symbol))
        shared.push_back(symbol);
  if (shared.empty() || shared.size() > maximalShared)
    return {};
  std::vector<Entry> derived = getCandidates(premises, shared);
  if (!suffices(rest, derived))
    return {};
  shrink<Entry>(derived, [&](llvm::ArrayRef<Entry> fewer) { return suffices(rest, fewer); });
  auto isPremise = [&](const Entry &entry) {
    return llvm::any_of(premises, [&](const Entry &premise) { return premise.str() == entry.str(); });
  };
  if (derived.size() > maximalDerived || derived.size() >= premises.size() || llvm::any_of(derived, isPremise))
    return {};
  return derived;
}

std::vector<ExplainStep> ReasonChain::getSteps() const {
  std::vector<ExplainStep> steps;
  std::vector<Entry> premises;
  for (const auto &[index, entry] : llvm::enumerate(core)) {
    steps.push_back(solver.getStep(*entry));
    premises.push_back(*entry);
    llvm::ArrayRef<const Entry *> rest = llvm::ArrayRef(core).drop_front(index + 1);
    if (premises.size() < 2 || core.size() > maximalFacts || (rest.empty() && purpose == Answer))
      continue;
    std::vector<Entry> derived = derive(premises, rest);
    if (derived.empty())
      continue;
    for (const Entry &fact : derived)
      steps.push_back({fact.str(), Reason{"follows", "", 0}, /*isDerived=*/true});
    premises = std::move(derived);
  }
  return steps;
}
