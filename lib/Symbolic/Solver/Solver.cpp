//===- The public solver: a log of facts over a store ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

Solver::Solver(SymbolicContext &context) : impl(std::make_unique<Impl>(context)) {}
Solver::~Solver() = default;
Solver::Solver(Solver &&) = default;
Solver &Solver::operator=(Solver &&) = default;

Solver::Solver(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

Solver Solver::fork() const {
  // What is no table of pages is copied: the lists of what could not be solved.
  impl->context.getImpl().work += impl->store.getCostOfCopy() + impl->checkpoint.getCostOfCopy();
  return Solver(std::make_unique<Impl>(*impl));
}

SymbolicContext &Solver::getContext() const { return impl->context; }

//===----------------------------------------------------------------------===//
// Learning
//===----------------------------------------------------------------------===//

ReasonId Solver::addReason(Reason reason) {
  impl->reasons.push_back(std::move(reason));
  return impl->reasons.size() - 1;
}

const Reason &Solver::getReason(ReasonId id) const { return impl->reasons[id]; }
size_t Solver::getReasonCount() const { return impl->reasons.size(); }

bool Solver::declare(Expr symbol, const SymbolFacts &facts, SymbolClass symbolClass, ReasonId reason) {
  if (!symbol.isSymbol())
    return true;
  Impl::Entry entry;
  entry.symbol = symbol;
  entry.facts = facts;
  entry.symbolClass = symbolClass;
  entry.reason = reason;
  return impl->add(std::move(entry));
}

bool Solver::addEqual(Expr lhs, Expr rhs, ReasonId reason) { return addPredicate(Predicate::equal(lhs, rhs), reason); }

bool Solver::addLessEqual(Expr lhs, Expr rhs, ReasonId reason) {
  return addPredicate(Predicate::lessEqual(lhs, rhs), reason);
}

bool Solver::addPredicate(const Predicate &predicate, ReasonId reason) {
  Impl::Entry entry;
  entry.predicate = predicate;
  entry.reason = reason;
  return impl->add(std::move(entry));
}

const std::optional<Conflict> &Solver::getConflict() const {
  if (impl->refusal && !impl->conflict)
    impl->conflict = impl->explain(*impl->refusal);
  return impl->conflict;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static Range toRange(Interval interval) {
  return {interval.hasLower() ? std::optional(interval.lower) : std::nullopt,
          interval.hasUpper() ? std::optional(interval.upper) : std::nullopt};
}

SymbolFacts Solver::getFacts(Expr symbol) const {
  if (!symbol.isSymbol())
    return {};
  SymbolFacts facts = impl->declared.lookup(symbol);
  // Ranges say all that they imply of a symbol that is declared once.
  bool isOnlyDeclared = impl->declarations == impl->log.size() && impl->declared.size() == impl->declarations;
  if (facts.modulus <= 1 && facts.notEqual.empty() && impl->declared.contains(symbol) && isOnlyDeclared)
    return facts;
  NamedFacts::Work work(impl->named);
  Expr asked = impl->contract(symbol);
  Impl::Known known = impl->askNearest(asked.getSymbols());
  known.store.refine(known.getInside(asked), facts);
  if (!impl->named.areFew())
    facts.range = toRange(impl->getRange(asked));
  return facts;
}

bool Solver::Impl::isFree(Expr symbol) const {
  // Looking through many facts takes as long as asking.
  constexpr size_t mostEntries = 64;
  if (!symbol.isSymbol() || log.size() > mostEntries)
    return false;
  size_t times = 0; // that it was declared
  for (const Entry &entry : log) {
    times += entry.symbol == symbol;
    if (!entry.symbol && llvm::is_contained(entry.predicate.getSymbols(), symbol))
      return false;
  }
  SymbolFacts facts = declared.lookup(symbol);
  bool isOne = facts.range.lower && facts.range.upper && *facts.range.lower >= *facts.range.upper;
  return times == 1 && !isOne && facts.modulus <= 1 && facts.notEqual.empty();
}

Expr Solver::simplify(Expr expr) {
  if (expr.getConstant())
    return expr;
  auto [known, isNew] = impl->simplified.try_emplace(expr, expr);
  if (!isNew || impl->isFree(expr))
    return known->second;
  NamedFacts::Work work(impl->named);
  Expr asked = impl->contract(expr);
  Impl::Known facts = impl->ask(asked.getSymbols());
  facts.store.forgetAnswers();
  facts.store.getContext().refuel(SymbolicContext::Impl::fuelOfForm);
  // One that has its answer already takes as much of the effort as before: no other question makes a difference.
  constexpr unsigned fuelOfEqualities = 3 * SymbolicContext::Impl::fuelOfForm / 2;
  uint64_t spent = 0;
  auto isEqual = [&](Expr lhs, Expr rhs) {
    if (!lhs || !rhs || lhs == rhs || spent >= fuelOfEqualities)
      return lhs && lhs == rhs;
    const Impl::Equality &equality = impl->getEquality(facts, lhs, rhs);
    spent += equality.cost;
    return equality.isProved;
  };
  Expr inside = facts.getInside(asked);
  Expr simplified = inside ? facts.getOutside(simplifyWithSplits(facts.store, inside, isEqual)) : Expr();
  // Of symbols that equal each other, another one may be left where all facts were told.
  simplified = facts.names ? simplified : impl->contract(simplified);
  // Of sizes that are rounded up one after the other.
  simplified = simplified ? ExprBuilder(impl->context.getImpl()).joinHalves(simplified) : expr;
  return impl->simplified[expr] = simplified;
}

Verdict Solver::isEqual(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return Verdict::Unknown;
  return lhs == rhs ? Verdict::Yes : implies(Predicate::equal(lhs, rhs));
}

Verdict Solver::isLessEqual(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return Verdict::Unknown;
  return implies(Predicate::lessEqual(lhs, rhs));
}

Verdict Solver::isLess(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return Verdict::Unknown;
  return implies(Predicate::less(lhs, rhs));
}

Verdict Solver::isZero(Expr expr) { return isEqual(expr, getContext().getConstant(0)); }

Verdict Solver::isOne(Expr expr) { return isEqual(expr, getContext().getConstant(1)); }

bool Solver::mayAssumeEqual(Expr lhs, Expr rhs) {
  Verdict verdict = isEqual(lhs, rhs);
  auto isUnique = [&](Expr expr) {
    return llvm::any_of(expr.getSymbols(), [&](Expr symbol) { return impl->declared.lookup(symbol).unique; });
  };
  return verdict == Verdict::Yes || (verdict == Verdict::Unknown && lhs && rhs && !isUnique(lhs) && !isUnique(rhs));
}

Verdict Solver::isDivisible(Expr expr, int64_t divisor) {
  if (!expr || divisor == 0)
    return Verdict::Unknown;
  return isEqual(mod(expr, getContext().getConstant(divisor)), getContext().getConstant(0));
}

Verdict Solver::isBroadcastable(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return Verdict::Unknown;
  // Most broadcasts are of what is the same.
  if (lhs == rhs || lhs.isConstant(1) || rhs.isConstant(1))
    return Verdict::Yes;
  return implies(Predicate::broadcastable(lhs, rhs));
}

Verdict Solver::implies(const Predicate &predicate) { return impl->decide(predicate); }

Range Solver::getRange(Expr expr) {
  if (std::optional<int64_t> constant = expr ? expr.getConstant() : std::nullopt)
    return {constant, constant};
  auto [known, isNew] = impl->ranges.try_emplace(expr);
  if (isNew)
    known->second = impl->getRange(impl->contract(expr));
  return toRange(known->second);
}

bool Solver::hasLowerBound(Expr expr, int64_t bound) {
  if (!expr)
    return false;
  if (!expr.getConstant() && impl->isSeenAtLeast(impl->contract(expr), bound))
    return true;
  std::optional<int64_t> lower = getRange(expr).lower;
  return lower && *lower >= bound;
}

std::pair<int64_t, int64_t> Solver::getCongruence(Expr expr) {
  NamedFacts::Work work(impl->named);
  expr = impl->contract(expr);
  Impl::Known known = impl->askNearest(expr ? expr.getSymbols() : llvm::SmallVector<Expr, 4>());
  // Earlier questions may have left some effort only, and forms that more of it would make simpler.
  known.store.forgetAnswers();
  known.store.getContext().refuel();
  Expr inner = known.store.getInner(known.getInside(expr));
  return inner ? known.store.getCongruence(inner) : std::pair<int64_t, int64_t>(1, 0);
}
