//===- What a question is asked of ---------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Regions that are kept for the next questions.
static constexpr size_t maximalRegions = 32;

Predicate Solver::Impl::Known::getInside(const Predicate &predicate) const {
  if (!names)
    return predicate;
  if (predicate.lhs && predicate.rhs) {
    Expr lhs = names->getFixed(predicate.lhs), rhs = names->getFixed(predicate.rhs);
    if (lhs && rhs)
      return {predicate.kind, lhs, rhs, {}};
  }
  return names->getNames(predicate)(predicate);
}

void Solver::Impl::indexDeclarations() {
  for (; indexedDeclarations < log.size(); ++indexedDeclarations) {
    const Entry &entry = log[indexedDeclarations];
    if (!entry.symbol)
      continue;
    index.declare(getSymbolAtom(entry.symbol), entry.facts, entry.symbolClass);
    regions.clear();
    broadcasts.forget();
  }
}

void Solver::Impl::updateIndex() {
  indexDeclarations();
  for (; indexed < log.size(); ++indexed)
    if (!log[indexed].symbol) {
      index.add(log[indexed].predicate);
      broadcasts.add(context.getImpl(), log[indexed].predicate);
    }
  if (std::exchange(indexedVersion, index.getVersion()) != index.getVersion())
    regions.clear();
}

Solver::Impl::Region &Solver::Impl::Regions::get(SymbolicContext::Impl &context, RegionKey key,
                                                 llvm::function_ref<void(NamedFacts &names)> tell) {
  auto found = regions.find(key);
  if (found == regions.end()) {
    // One at a time, so that no question takes the time of putting all of them away.
    auto getNumber = [](const auto &known) { return known.second->number; };
    if (regions.size() >= maximalRegions)
      regions.erase(std::min_element(regions.begin(), regions.end(),
                                     [&](const auto &a, const auto &b) { return getNumber(a) < getNumber(b); }));
    auto region = std::make_shared<Region>(context, count++);
    tell(region->names);
    found = regions.try_emplace(std::move(key), std::move(region)).first;
  }
  return *found->second;
}

Solver::Impl::Region &Solver::Impl::getNear(llvm::ArrayRef<Expr> symbols, llvm::ArrayRef<unsigned> facts) {
  RegionKey key(facts.vec(), index.getDeclared(symbols, facts));
  return regions.get(context.getImpl(), key, [&](NamedFacts &names) { index.tell(names, key.second, facts); });
}

std::optional<Solver::Impl::Known> Solver::Impl::askNeeded(llvm::ArrayRef<Expr> symbols,
                                                           llvm::ArrayRef<unsigned> facts) {
  Region &region = getNear(symbols, facts);
  NamedFacts::Work work(region.names);
  std::optional<std::vector<unsigned>> needed = region.names.findNeeded(symbols);
  return needed ? askSome(region.names, region.parts, symbols, *std::move(needed)) : ask(region);
}

std::optional<Solver::Impl::Known> Solver::Impl::askSome(NamedFacts &facts, Regions &parts,
                                                         llvm::ArrayRef<Expr> symbols, std::vector<unsigned> places) {
  std::vector<const Atom *> declared = facts.getDeclared(symbols, places);
  RegionKey key(std::move(places), std::move(declared));
  return ask(parts.get(context.getImpl(), key, [&](NamedFacts &names) { facts.tell(names, key.second, key.first); }));
}

std::optional<Solver::Impl::Known> Solver::Impl::ask(Region &region) {
  auto work = std::make_shared<NamedFacts::Work>(region.names);
  FactStore *store = region.names.update();
  if (!store)
    return std::nullopt;
  store->getContext().refuel();
  return Known{*store, region.names.getWitnesses(), &region.names, region.memory, std::move(work)};
}

Solver::Impl::Known Solver::Impl::ask(llvm::ArrayRef<Expr> symbols) {
  // A contradiction that was not found when the facts came is not one that an answer rests on.
  if (named.areFew()) {
    if (FactStore *known = named.update()) {
      known->getContext().refuel();
      return {*known, named.getWitnesses(), &named, memory};
    }
  } else {
    FactIndex::Near near = index.findNear(symbols);
    if (std::optional<Known> known = near.isComplete ? askNear(symbols, near.facts) : std::nullopt)
      return *std::move(known);
  }
  applyWaiting(log.size());
  store.getContext().refuel();
  return {store, witnesses, nullptr, memory};
}

Verdict Solver::Impl::decideAmongMany(const Predicate &given, unsigned fuelOfAttempt) {
  LinearEquations &equations = index.getEquations();
  if (Verdict verdict = equations.decide(given); verdict != Verdict::Unknown)
    return verdict;
  Answer answer = decideContracted(equations.contract(given), fuelOfAttempt);
  // Equations that were contracted may have said of a broadcast that it has a value.
  return answer.verdict == Verdict::Unknown && !answer.isOpen ? decideByBroadcasts(given) : answer.verdict;
}

Solver::Impl::Answer Solver::Impl::decideContracted(const Predicate &predicate, unsigned fuelOfAttempt) {
  // Most questions come to one about the same few sizes.
  Answer own;
  bool isKept = fuelOfAttempt == SymbolicContext::Impl::fuelOfAttempt;
  Answer &answer = isKept ? getAnswer(memory, predicate) : own;
  if (std::exchange(answer.isProved, true))
    return answer;
  llvm::SmallVector<Expr, 4> symbols = predicate.getSymbols();
  FactIndex::Near near = index.findNear(symbols);
  // A contradiction that was not found when the facts came is not one that an answer rests on.
  if (std::optional<Known> known = near.isComplete ? askNeeded(symbols, near.facts) : std::nullopt) {
    answer.verdict = decide(*known, known->getInside(predicate), predicate, fuelOfAttempt);
    if (answer.verdict == Verdict::Unknown)
      answer.verdict = decideByOtherForms(known, predicate, fuelOfAttempt);
    return answer;
  }
  answer.verdict = differences.decide(predicate);
  // What was told may be too far from the question where much is near it.
  if (answer.verdict == Verdict::Unknown && index.includes(predicate))
    answer.verdict = Verdict::Yes;
  if (answer.verdict == Verdict::Unknown && index.includes(Predicate::negation(predicate)))
    answer.verdict = Verdict::No;
  if (answer.verdict == Verdict::Unknown)
    answer.isOpen = isLeftOpen(predicate);
  if (answer.verdict == Verdict::Unknown && !answer.isOpen)
    answer.verdict = decideNear(predicate, near.facts, fuelOfAttempt);
  return answer;
}

Verdict Solver::Impl::decideByBroadcasts(const Predicate &predicate) {
  auto getOwn = [&](Expr term) {
    BroadcastFacts::Own own;
    if (!term.isSymbol())
      return own;
    // A size, unless it is declared.
    own.range.lower = 0;
    if (!declared.contains(term))
      return own;
    const SymbolFacts facts = declared.lookup(term);
    own.range = {facts.range.lower.value_or(Interval::minusInfinity),
                 facts.range.upper.value_or(Interval::plusInfinity)};
    own.isNotOne = llvm::is_contained(facts.notEqual, 1) ||
                   (facts.modulus > 1 && floorMod(1 - facts.remainder, facts.modulus) != 0);
    return own;
  };
  return broadcasts.decide(context.getImpl(), predicate, getOwn);
}

bool Solver::Impl::isLeftOpen(const Predicate &predicate) {
  witnesses.startQuestion();
  Witnesses::Seen seen = witnesses.lookAtEarlier(predicate);
  if (!seen.areBoth())
    witnesses.vary(store, predicate, seen);
  return seen.areBoth();
}

Verdict Solver::Impl::decideNear(const Predicate &predicate, llvm::ArrayRef<unsigned> facts, unsigned fuelOfAttempt) {
  std::optional<Known> known = facts.empty() ? std::nullopt : askNeeded(predicate.getSymbols(), facts);
  if (!known)
    return Verdict::Unknown;
  known->store.forgetAnswers();
  known->store.getContext().refuel(5 * fuelOfAttempt / 4);
  // Walks along all facts have been tried, and the facts that are near have been told.
  Predicate asked = known->getInside(predicate);
  Verdict verdict = decideWithSplits(known->store, asked, &known->witnesses, 2 * fuelOfAttempt / 3);
  if (verdict == Verdict::Unknown)
    verdict = known->names->decideByToldValues(asked, fuelOfAttempt / 4);
  return verdict == Verdict::Unknown ? decideByOtherForms(known, predicate, fuelOfAttempt) : verdict;
}

Solver::Impl::Known Solver::Impl::askNearest(llvm::ArrayRef<Expr> symbols) {
  if (!named.areFew())
    if (std::optional<Known> known = askNear(symbols, index.findNear(symbols).facts))
      return *std::move(known);
  return ask(symbols);
}

std::pair<Solver::Impl::Known, Expr> Solver::Impl::askRange(Expr expr) {
  Known known = askNearest(expr ? expr.getSymbols() : llvm::SmallVector<Expr, 4>());
  Expr inside = known.names && expr ? known.names->getFixed(expr) : expr;
  if (!inside && expr)
    inside = known.names->getNames(Predicate::lessEqual(context.getConstant(0), expr))(expr);
  known.store.forgetAnswers();
  known.store.getContext().refuel(SymbolicContext::Impl::fuelOfRange);
  return {std::move(known), inside};
}

bool Solver::Impl::isSeenAtLeast(Expr expr, int64_t bound) {
  NamedFacts::Work work(named);
  auto [known, inside] = askRange(expr);
  Expr inner = inside ? known.store.getInner(inside) : Expr();
  Interval range = inner ? known.store.getRange(inner) : Interval();
  return range.hasLower() && range.lower >= bound;
}

Interval Solver::Impl::getRange(Expr expr) {
  NamedFacts::Work work(named);
  auto [known, inside] = askRange(expr);
  Interval range = getRangeWithSplits(known.store, inside);
  // Walks go by the names that were given, which is one more reason to take them only where there is no better way.
  bool isComplete = named.areFew() || !expr || index.findNear(expr.getSymbols()).isComplete;
  return isComplete ? range : intersect(range, differences.getBounds(expr));
}
