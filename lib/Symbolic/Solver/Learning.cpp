//===- How a fact is learnt, or refused ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Cases/MissingValues.h"
#include "Solver/Integers/IntegerSearch.h"
#include "Solver/Integers/PointSearch.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/SetVector.h"

using namespace dyn::symbolic;

/// Rows to find that a fact leaves no integers, and beside how many facts it is looked for.
static constexpr unsigned rowsOfFact = 300, maximalOpenFacts = 64;

bool Solver::Impl::apply(FactStore &store, const Entry &entry, bool isSearched) {
  // What was computed for questions takes none of the effort of a fact.
  store.forgetAnswers();
  store.getContext().refuel();
  llvm::SmallVector<Expr> around;
  bool isSmall = isSearched && store.countOpenFacts() <= maximalOpenFacts;
  if (isSmall && store.hasOpenFacts())
    for (Expr symbol : entry.getSymbols())
      if (Expr inner = store.getInner(symbol))
        around.push_back(inner);
  around = getNeighbours(store, around);
  bool holds = entry.symbol ? store.declare(getSymbolAtom(entry.symbol), entry.facts, entry.symbolClass)
                            : store.assertTrue(entry.predicate);
  if (!holds || !isSmall || !store.hasOpenFacts())
    return holds;
  llvm::SmallSetVector<Expr, 8> symbols(around.begin(), around.end());
  symbols.insert_range(entry.getSymbols());
  store.getContext().refuel();
  return searchIntegers(store, symbols.getArrayRef(), rowsOfFact) != Feasibility::Infeasible &&
         searchCounterexample(store, Predicate::negation(entry.getPredicate())) != Feasibility::Infeasible;
}

bool Solver::Impl::tellNamed(const Entry &entry) {
  if (entry.symbol) {
    named.declare(getSymbolAtom(entry.symbol), entry.facts, entry.symbolClass);
    trialPoints.declare(entry.symbol, entry.facts);
    return false;
  }
  NamedFacts::Work work(named);
  bool onlyNames = isTotal(entry.predicate) && named.define(entry.predicate);
  if (!onlyNames)
    named.add(entry.predicate);
  if (named.areFew())
    trialPoints.add(entry.predicate);
  else
    trialPoints = TrialPoints();
  return onlyNames;
}

/// Does the store prove, with little effort, that a fact which it was not told does not hold?
static bool refutes(FactStore &store, const Predicate &fact) {
  constexpr unsigned fuel = SymbolicContext::Impl::fuelOfAttempt / 4;
  // Where a side has no value, a fact may be none.
  if (!isTotal(fact) || !isComplete(fact))
    return false;
  store.forgetAnswers();
  store.getContext().refuel(fuel);
  return decideWithSplits(store, fact, /*witnesses=*/nullptr, fuel) == Verdict::No;
}

bool Solver::Impl::isRefutedAlone(const Predicate &fact) {
  FactStore store = named.getDeclared();
  return refutes(store, named.getNamed(fact));
}

bool Solver::Impl::dividesByZero(const Entry &last) {
  llvm::SmallVector<const Entry *, 8> entries = {&last};
  for (const Entry &known : log)
    entries.push_back(&known);
  if (llvm::none_of(entries, [](const Entry *entry) { return mayDivideByZero(entry->predicate); }))
    return false;
  LinearEquations equations(context.getImpl());
  for (const Entry *entry : entries) {
    std::optional<int64_t> lower = entry->facts.range.lower, upper = entry->facts.range.upper;
    bool isNumber = entry->symbol && lower && lower == upper;
    Predicate said = isNumber ? Predicate::equal(entry->symbol, context.getConstant(*lower)) : entry->predicate;
    for (const Predicate &part : SortedFacts::getParts(said))
      if (isComplete(part))
        equations.add(part);
  }
  auto getValue = [&](Expr divisor) { return equations.contract(divisor); };
  return llvm::any_of(entries, [&](const Entry *entry) { return hasNoValue(entry->predicate, getValue); });
}

bool Solver::Impl::areContradictory(const Entry &last) {
  NamedFacts::Work work(named);
  FactStore *known = named.update();
  if (!known)
    return true;
  SymbolicContext::Impl &own = known->getContext();
  known->forgetAnswers();
  if (dividesByZero(last))
    return true;
  own.refuel(7 * SymbolicContext::Impl::fuelOfFact / 10);
  // What was told may have no value where nothing is left of it.
  Feasibility found = searchPoint(*known, named.getTold());
  if (found != Feasibility::Unknown || !known->hasOpenFacts())
    return found == Feasibility::Infeasible;
  if (named.areBroadcastsContradictory() || (!last.symbol && isRefutedAlone(last.predicate)))
    return true;
  llvm::SmallVector<Expr> symbols;
  for (const std::vector<Expr> &list : known->getOpenExprs())
    for (Expr expr : list)
      symbols.append(expr.getSymbols());
  for (const FactStore::Disjunction &disjunction : known->getDisjunctions())
    symbols.append(disjunction.predicate->getSymbols());
  own.refuel(SymbolicContext::Impl::fuelOfFact / 2);
  return searchIntegers(*known, getNeighbours(*known, symbols), rowsOfFact) == Feasibility::Infeasible ||
         searchPoint(*known) == Feasibility::Infeasible;
}

bool Solver::Impl::contradictsOthers(const Entry &last) {
  constexpr size_t maximalFacts = 4, maximalNodes = 100, maximalDeclarations = 64;
  llvm::SmallVector<const Entry *, 8> declarations, facts;
  size_t nodes = 0;
  auto take = [&](const Entry &entry) {
    (entry.symbol ? declarations : facts).push_back(&entry);
    nodes += countNodes(entry.predicate);
  };
  llvm::for_each(log, take);
  take(last);
  // One alone has been held against the declarations.
  if (facts.size() < 2 || facts.size() > maximalFacts || nodes > maximalNodes ||
      declarations.size() > maximalDeclarations)
    return false;
  return llvm::any_of(facts, [&](const Entry *fact) {
    FactStore others(context.getImpl());
    auto tell = [&](const Entry *entry) { return entry == fact || apply(others, *entry, /*isSearched=*/false); };
    if (!llvm::all_of(declarations, tell) || !llvm::all_of(facts, tell))
      return true;
    return refutes(others, fact->predicate) || !apply(others, *fact, /*isSearched=*/false);
  });
}

bool Solver::Impl::takesBackSize(const Entry &declaration) const {
  bool isSize = declaration.facts.range.lower.value_or(-1) >= 0;
  return !isSize && !declared.contains(declaration.symbol) && assumedSizes.contains(declaration.symbol);
}

bool Solver::Impl::tellAgain(const Entry &declaration) {
  FactStore fresh(context.getImpl());
  fresh.keepMostUsed();
  std::swap(store, fresh);
  auto tellAll = [&](bool areDeclarations) {
    bool holds = true;
    for (size_t known = 0; holds && known < log.size(); ++known)
      if (static_cast<bool>(log[known].symbol) == areDeclarations)
        holds = apply(store, log[known], /*isSearched=*/false);
    return holds;
  };
  return tellAll(true) && apply(store, declaration, /*isSearched=*/false) && tellAll(false);
}

bool Solver::Impl::add(Entry entry) {
  bool wereFew = named.areFew();
  bool isDeclaration = static_cast<bool>(entry.symbol), onlyNames = wereFew && tellNamed(entry);
  llvm::SmallVector<DifferenceGraph::FactId> walk;
  // That a symbol is a size is a default until it is declared.
  bool isFirst = entry.symbol && !declared.contains(entry.symbol);
  bool isRefuted = !isFirst && !named.areFew() && differences.refutes(entry.getPredicate(), &walk);
  uint64_t before = context.getImpl().work;
  // Whether few facts contradict each other is asked of all of them, so that it does not matter which came last.
  auto isContradiction = [&] {
    bool mayBe = named.areFew() && !onlyNames && !trialPoints.isAnyLeft();
    return mayBe && (areContradictory(entry) || contradictsOthers(entry));
  };
  bool isToldAgain = isDeclaration && takesBackSize(entry);
  auto applies = [&] {
    if (isToldAgain)
      return tellAgain(entry);
    applyWaiting(log.size());
    return apply(store, entry, /*isSearched=*/true);
  };
  // Few facts are asked about by their names.
  bool mayWait = named.areFew() && !isToldAgain;
  if (!isRefuted && (mayWait || applies()) && !isContradiction()) {
    workSinceCheckpoint += context.getImpl().work - before;
    if (entry.symbol) {
      const Atom *symbol = getSymbolAtom(entry.symbol);
      differences.declare(symbol, entry.facts, log.size());
      declared[entry.symbol] = entry.facts;
      ++declarations;
      witnesses.declare(symbol, entry.facts);
    } else {
      differences.add(entry.predicate, log.size());
      witnesses.add(entry.predicate);
      for (Expr symbol : entry.predicate.getSymbols())
        if (!declared.contains(symbol))
          assumedSizes.try_emplace(symbol);
    }
    if (wereFew)
      regions.clear();
    answers.clear();
    compoundAnswers.clear();
    memory = {};
    ranges.clear();
    simplified.clear();
    log.push_back(std::move(entry));
    // Where there are many declarations, the fact with which facts become many does not pay for all of them.
    constexpr unsigned manyDeclarations = 64;
    if (!named.areFew())
      updateIndex();
    else if (isDeclaration && declarations > manyDeclarations)
      indexDeclarations();
    if (mayWait) {
      // Two for each one that comes, until none waits.
      constexpr size_t size = 24;
      if (size_t mostWaiting = size - std::min(size, log.size()); log.size() - applied > mostWaiting)
        applyWaiting(std::min(applied + 2, log.size()));
    } else {
      applied = log.size();
    }
    // Copies take a small part of the work of all facts, and so does telling facts again.
    constexpr size_t factsOfCheckpoint = 32, workOfCheckpoint = 4000, workOfCopy = 16;
    if (isToldAgain || applied - checkpointed > std::max(factsOfCheckpoint, checkpointed / 4) ||
        workSinceCheckpoint > workOfCheckpoint + workOfCopy * store.getCostOfCopy())
      keepCheckpoint();
    return true;
  }
  refusal = Refusal{std::move(entry), log.size(), std::move(walk)};
  conflict.reset();
  if (wereFew) {
    named.reset();
    trialPoints = TrialPoints();
    for (const Entry &known : log)
      tellNamed(known);
    memory = {};
  }
  if (isRefuted)
    return false;
  if (mayWait)
    return false;
  store = checkpoint;
  applied = checkpointed;
  applyWaiting(log.size());
  keepCheckpoint();
  return false;
}

void Solver::Impl::applyWaiting(size_t end) {
  for (; applied < end; ++applied)
    apply(store, log[applied], /*isSearched=*/false);
}

void Solver::Impl::keepCheckpoint() {
  checkpoint = store;
  checkpointed = applied;
  workSinceCheckpoint = 0;
}
