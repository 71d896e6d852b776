//===- The public solver: a log of facts over a store ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Integers/IntegerSearch.h"
#include "Solver/Integers/PointSearch.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/SetVector.h"

using namespace dyn::symbolic;

Solver::Solver(SymbolicContext &context) : impl(std::make_unique<Impl>(context)) {}
Solver::~Solver() = default;
Solver::Solver(Solver &&) = default;

Solver::Solver(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}

Solver Solver::fork() const { return Solver(std::make_unique<Impl>(*impl)); }

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

/// Rows to find that a fact leaves no integers, and beside how many facts it is looked for.
static constexpr unsigned rowsOfFact = 300, maximalOpenFacts = 64;

bool Solver::Impl::apply(FactStore &store, const Entry &entry) {
  // What was computed for questions takes none of the effort of a fact.
  store.forgetAnswers();
  store.getContext().refuel();
  llvm::SmallVector<Expr> around;
  bool isSmall = store.countOpenFacts() <= maximalOpenFacts;
  if (isSmall && store.hasOpenFacts())
    for (Expr symbol : entry.getSymbols())
      if (Expr inner = store.getInner(symbol))
        around.push_back(inner);
  around = getNeighbours(store, around);
  bool holds = entry.symbol
                   ? store.declare(getTerms(entry.symbol)[0].monomial->getAtom(), entry.facts, entry.symbolClass)
                   : store.assertTrue(entry.predicate);
  if (!holds || !isSmall || !store.hasOpenFacts())
    return holds;
  for (Expr symbol : entry.getSymbols())
    if (!llvm::is_contained(around, symbol))
      around.push_back(symbol);
  store.getContext().refuel();
  return searchIntegers(store, around, rowsOfFact) != Feasibility::Infeasible &&
         searchCounterexample(store, Predicate::negation(entry.getPredicate())) != Feasibility::Infeasible;
}

bool Solver::Impl::add(Entry entry) {
  llvm::SmallVector<DifferenceGraph::FactId> walk;
  // That a symbol is a size is a default until it is declared.
  bool isFirst = entry.symbol && !declared.contains(entry.symbol);
  bool isRefuted = !isFirst && differences.refutes(entry.getPredicate(), &walk);
  uint64_t before = context.getImpl().work;
  if (!isRefuted && apply(store, entry)) {
    workSinceCheckpoint += context.getImpl().work - before;
    if (entry.symbol) {
      const Atom *symbol = getTerms(entry.symbol)[0].monomial->getAtom();
      differences.declare(symbol, entry.facts, log.size());
      declared[entry.symbol] = entry.facts;
      witnesses.declare(symbol, entry.facts);
      named.declare(symbol, entry.facts, entry.symbolClass);
      if (named.areFew())
        trialPoints.declare(entry.symbol, entry.facts);
    } else {
      differences.add(entry.predicate, log.size());
      witnesses.add(entry.predicate);
      NamedFacts::Work work(named);
      named.add(entry.predicate);
      if (named.areFew())
        trialPoints.add(entry.predicate);
    }
    answers.clear();
    compoundAnswers.clear();
    memory = Memory();
    ranges.clear();
    simplified.clear();
    log.push_back(std::move(entry));
    if (!named.areFew())
      updateIndex();
    // Copies take a small part of the work of all facts, and so does telling facts again.
    constexpr size_t factsOfCheckpoint = 32, workOfCheckpoint = 4000, workOfCopy = 16;
    if (log.size() - checkpointed > std::max(factsOfCheckpoint, checkpointed / 4) ||
        workSinceCheckpoint > workOfCheckpoint + workOfCopy * store.getCostOfCopy())
      keepCheckpoint();
    return true;
  }
  refusal = Refusal{std::move(entry), log.size(), std::move(walk)};
  conflict.reset();
  if (isRefuted)
    return false;
  store = checkpoint;
  for (size_t known = checkpointed; known < log.size(); ++known)
    apply(store, log[known]);
  keepCheckpoint();
  return false;
}

void Solver::Impl::keepCheckpoint() {
  checkpoint = store;
  checkpointed = log.size();
  workSinceCheckpoint = 0;
}

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
  auto saysNothing = [&](const Impl::Entry &entry) { return entry.symbol && entry.symbol != symbol; };
  if (facts.modulus <= 1 && facts.notEqual.empty() && impl->declared.contains(symbol) &&
      static_cast<size_t>(llvm::count_if(impl->log, saysNothing)) + 1 == impl->log.size())
    return facts;
  NamedFacts::Work work(impl->named);
  Expr asked = impl->contract(symbol);
  Impl::Known known = impl->askNearest(asked.getSymbols());
  known.store.refine(known.getInside(asked), facts);
  if (!impl->named.areFew())
    facts.range = toRange(impl->getRange(asked));
  return facts;
}

Expr Solver::simplify(Expr expr) {
  if (expr.getConstant())
    return expr;
  auto [known, isNew] = impl->simplified.try_emplace(expr, expr);
  if (!isNew)
    return known->second;
  NamedFacts::Work work(impl->named);
  Expr asked = impl->contract(expr);
  Impl::Known facts = impl->ask(asked.getSymbols());
  facts.store.forgetAnswers();
  facts.store.getContext().refuel(SymbolicContext::Impl::fuelOfForm);
  // One that has its answer already takes as much of the effort as before: no other question makes a difference.
  constexpr unsigned fuelOfEqualities = 2 * SymbolicContext::Impl::fuelOfForm;
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
  return impl->simplified[expr] = simplified ? simplified : expr;
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
  return implies(Predicate::broadcastable(lhs, rhs));
}

/// The structure of a predicate as a list of words.
static void flatten(const Predicate &predicate, llvm::SmallVectorImpl<uintptr_t> &words) {
  words.push_back(static_cast<uintptr_t>(predicate.kind));
  if (predicate.lhs || predicate.rhs) {
    words.push_back(reinterpret_cast<uintptr_t>(predicate.lhs.getNode()));
    words.push_back(reinterpret_cast<uintptr_t>(predicate.rhs.getNode()));
  }
  words.push_back(predicate.operands.size());
  for (const Predicate &operand : predicate.operands)
    flatten(operand, words);
}

/// Comparisons of constants, and of an expression with itself.
static std::optional<Verdict> decideConstant(Predicate::Kind kind, Expr left, Expr right) {
  if (!left || !right)
    return std::nullopt;
  std::optional<int64_t> lhs = left.getConstant(), rhs = right.getConstant();
  if (left == right)
    lhs = rhs = 0;
  if (!lhs || !rhs)
    return std::nullopt;
  return holdsBetween(kind, *lhs, *rhs) ? Verdict::Yes : Verdict::No;
}

/// Do the facts contradict each other, though none was refused? Each of few is asked of the others. No is only what a
/// point shows at which all hold.
Verdict Solver::Impl::decideContradiction() {
  constexpr size_t maximalFacts = 4;
  if (named.areFew() && trialPoints.isAnyLeft())
    return Verdict::No;
  auto isFact = [](const Entry &entry) { return !entry.symbol; };
  if (static_cast<size_t>(llvm::count_if(log, isFact)) > maximalFacts)
    return Verdict::Unknown;
  Predicate all = Predicate::conjunction({});
  for (const Entry &entry : log) {
    if (!isFact(entry))
      continue;
    Solver others(context);
    for (const Entry &other : log)
      if (&other != &entry)
        others.impl->add(other);
    if (others.implies(entry.predicate) == Verdict::No)
      return Verdict::Yes;
    all.operands.push_back(entry.predicate);
  }
  NamedFacts::Work work(named);
  Known known = ask(all.getSymbols());
  known.store.getContext().refuel();
  known.witnesses.startQuestion();
  Witnesses::Seen seen = known.witnesses.lookAtEarlier(Predicate());
  seen.isFalse = true;
  known.witnesses.vary(known.store, Predicate(), seen);
  return seen.isTrue ? Verdict::No : Verdict::Unknown;
}

Verdict Solver::Impl::decide(const Predicate &predicate) {
  if (predicate.kind == Predicate::Kind::False) {
    auto [answer, isNew] = compoundAnswers.try_emplace({}, Verdict::Unknown);
    if (isNew)
      answer->second = decideContradiction();
    return answer->second;
  }
  if (std::optional<Verdict> verdict = decideConstant(predicate.kind, predicate.lhs, predicate.rhs))
    return *verdict;
  auto find = [&] {
    if (named.areFew() && trialPoints.leaveOpen(predicate))
      return Verdict::Unknown;
    if (!named.areFew())
      return decideAmongMany(predicate);
    NamedFacts::Work work(named);
    Known known = ask(predicate.getSymbols());
    return decide(known, known.getInside(predicate), predicate);
  };
  if (!predicate.lhs || !predicate.rhs) {
    llvm::SmallVector<uintptr_t, 8> words;
    flatten(predicate, words);
    auto [answer, isNew] = compoundAnswers.try_emplace(std::move(words), Verdict::Unknown);
    if (isNew)
      answer->second = find();
    return answer->second;
  }
  Comparison key(static_cast<unsigned>(predicate.kind), predicate.lhs.getNode(), predicate.rhs.getNode());
  auto [answer, isNew] = answers.try_emplace(key, Verdict::Unknown);
  if (isNew)
    answer->second = find();
  return answer->second;
}

Solver::Impl::Answer &Solver::Impl::getAnswer(Memory &memory, Expr lhs, Expr rhs, const Predicate &predicate) {
  if (lhs && rhs)
    return memory.comparisons[{static_cast<unsigned>(predicate.kind), lhs.getNode(), rhs.getNode()}];
  llvm::SmallVector<uintptr_t, 8> words;
  flatten(predicate, words);
  return memory.verdicts[words];
}

Verdict Solver::Impl::decide(Known &known, const Predicate &predicate, const Predicate &given) {
  // What was computed for other questions took none of the effort of this one.
  known.store.forgetAnswers();
  known.store.getContext().refuel();
  // Most questions come to one about the same few sizes.
  Expr lhs = known.store.getInner(predicate.lhs), rhs = known.store.getInner(predicate.rhs);
  if (std::optional<Verdict> verdict = decideConstant(predicate.kind, lhs, rhs))
    return *verdict;
  Answer &answer = getAnswer(known.memory, lhs, rhs, predicate);
  if (!std::exchange(answer.isLookedUp, true)) {
    known.store.getContext().refuel(SymbolicContext::Impl::fuelOfAttempt);
    answer.verdict = known.store.decide(predicate);
  }
  if (answer.verdict != Verdict::Unknown)
    return answer.verdict;
  // Walks start at what was given, of which an inner form may show less. Of sums it shows the same, and nothing is
  // known of these but their ranges where no fact was left open.
  auto isSimple = [&](Expr inner) { return inner && known.store.isNamedPolynomial(inner); };
  if (known.store.hasOpenFacts() || !isSimple(lhs) || !isSimple(rhs)) {
    Verdict verdict = known.names ? known.names->getDifferences().decide(predicate) : differences.decide(given);
    if (verdict != Verdict::Unknown)
      return verdict;
  }
  if (!std::exchange(answer.isProved, true)) {
    known.store.getContext().refuel();
    answer.verdict = proveWithSplits(known.store, predicate, &known.witnesses);
  }
  return answer.verdict;
}

const Solver::Impl::Equality &Solver::Impl::getEquality(Known &known, Expr lhs, Expr rhs) {
  constexpr unsigned fuelOfAttempt = SymbolicContext::Impl::fuelOfForm / 2;
  auto [found, isNew] = known.memory.equalities.try_emplace(std::pair(lhs, rhs));
  if (!isNew)
    return found->second;
  SymbolicContext::Impl &own = known.store.getContext();
  uint64_t before = own.work;
  known.store.forgetAnswers();
  own.refuel(fuelOfAttempt);
  Verdict verdict = decideWithSplits(known.store, Predicate::equal(lhs, rhs), &known.witnesses, fuelOfAttempt);
  found->second = {verdict == Verdict::Yes, own.work - before};
  return found->second;
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

std::pair<int64_t, int64_t> Solver::getCongruence(Expr expr) {
  NamedFacts::Work work(impl->named);
  expr = impl->contract(expr);
  Impl::Known known = impl->askNearest(expr ? expr.getSymbols() : llvm::SmallVector<Expr, 4>());
  Expr inner = known.store.getInner(known.getInside(expr));
  return inner ? known.store.getCongruence(inner) : std::pair<int64_t, int64_t>(1, 0);
}
