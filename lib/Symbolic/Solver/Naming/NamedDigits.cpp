//===- Questions about places in rows --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Integers/MixedRadix.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

Verdict NamedFacts::decideByDigits(const Predicate &named, unsigned fuelOfAttempt) {
  if (!sorted || !isTotal(named))
    return Verdict::Unknown;
  SymbolicContext::Impl &context = own->getImpl();
  // lhs <= rhs, or lhs < rhs, is of `rhs - lhs`.
  Expr sum = ExprBuilder(context).subtract(named.rhs, named.lhs);
  std::vector<Expr> zeros = MixedRadix::getZeroSums(context, namedFacts.get());
  if (!sum)
    return Verdict::Unknown;
  sum = MixedRadix::putValues(context, sum, zeros);
  if (!MixedRadix::mayHaveDigits(sum))
    return Verdict::Unknown;
  // There each symbol has the bounds that it was told.
  FactStore &known = getBounds();
  context.refuel(fuelOfAttempt);
  std::optional<Predicate> digits = MixedRadix(known, namedFacts.get()).compareDigits(named.kind, sum);
  if (!digits)
    return Verdict::Unknown;
  sorted->forgetAnswers();
  // What its proofs leave is for other attempts.
  SymbolicContext::Impl::WorkLimit limit(context, fuelOfAttempt);
  context.refuel(fuelOfAttempt);
  return decideWithSplits(*sorted, *digits, /*witnesses=*/nullptr, fuelOfAttempt / 2);
}

static bool isDivided(Expr symbol, const Predicate &comparison) {
  return llvm::any_of(std::array{comparison.lhs, comparison.rhs}, [&](Expr side) {
    return side && hasAtom(side, AtomKind::FloorDiv) && llvm::is_contained(side.getSymbols(), symbol);
  });
}

/// A symbol that an equation says is a sum of products; nothing where there is none.
static std::optional<std::pair<Expr, Expr>> findPlace(SymbolicContext::Impl &context, const Predicate &fact,
                                                      llvm::function_ref<bool(Expr symbol)> isWanted) {
  if (fact.kind != Predicate::Kind::Equal || !isTotal(fact) || !MixedRadix::mayHaveDigits(fact.lhs))
    return std::nullopt;
  for (const Atom *atom : getAtoms(getTerms(fact.lhs))) {
    Expr symbol = context.getExpr(atom);
    MaybePoly value = atom->isSymbol() && isWanted(symbol) ? solveFor(context, getTerms(fact.lhs), atom) : std::nullopt;
    if (value && llvm::all_of(*value, [](const Term &term) { return term.coefficient > 0; }))
      return std::pair(symbol, context.getExpr(*value));
  }
  return std::nullopt;
}

Verdict NamedFacts::decideByPlaces(const Predicate &named, unsigned fuelOfAttempt) {
  SymbolicContext::Impl &context = own->getImpl();
  llvm::ArrayRef<Predicate> facts = namedFacts.get();
  auto isTakenApart = [&](Expr symbol) {
    return isDivided(symbol, named) ||
           llvm::any_of(facts, [&](const Predicate &fact) { return isDivided(symbol, fact); });
  };
  Substitution values;
  for (const Predicate &fact : facts)
    if (auto place = findPlace(context, fact, isTakenApart))
      if (Expr value = substitute(place->second, values))
        values.try_emplace(place->first.getNode(), value);
  if (values.empty())
    return Verdict::Unknown;
  SymbolicContext::Impl::WorkLimit limit(context, fuelOfAttempt);
  context.refuel(fuelOfAttempt);
  SortedFacts others;
  for (const Predicate &fact : facts)
    others.add(substitute(fact, values));
  Predicate asked = substitute(named, values);
  FactStore store(declared);
  store.forgetAnswers();
  // That facts contradict each other is found elsewhere.
  if (!isComplete(asked) || !others.tell(store))
    return Verdict::Unknown;
  store.forgetAnswers();
  context.refuel(fuelOfAttempt);
  return decideWithSplits(store, asked, /*witnesses=*/nullptr, fuelOfAttempt);
}

/// In a store of its own: what is learnt there changes the form of what the other one knows, so that it knows less of
/// something else.
Verdict NamedFacts::decideByHighDigits(const Predicate &named, unsigned fuelOfAttempt) {
  if (!sorted)
    return Verdict::Unknown;
  SymbolicContext::Impl &context = own->getImpl();
  ExprBuilder builder(context);
  std::optional<MixedRadix> radices;
  std::vector<Predicate> learnt;
  for (const Predicate &fact : namedFacts.get()) {
    bool isEquation = fact.kind == Predicate::Kind::Equal;
    Expr sum = isEquation ? fact.lhs : fact.kind == Predicate::Kind::LessEqual ? fact.rhs : Expr();
    if (!sum || !MixedRadix::mayHaveDigits(sum) || !isTotal(fact))
      continue;
    if (!radices) {
      FactStore &known = getBounds();
      context.refuel(fuelOfAttempt);
      radices.emplace(known, namedFacts.get());
    }
    for (Expr order : {sum, isEquation ? builder.scale(sum, -1) : Expr()})
      if (Expr high = order ? radices->getHighOfNonNegative(order) : Expr())
        learnt.push_back(Predicate::lessEqual(context.getConstant(0), high));
  }
  if (learnt.empty())
    return Verdict::Unknown;
  FactStore store = sorted->makeHypothesis();
  context.refuel(fuelOfAttempt);
  // That facts contradict each other is found elsewhere.
  if (!llvm::all_of(learnt, [&](const Predicate &order) { return store.assertTrue(order); }))
    return Verdict::Unknown;
  store.forgetAnswers();
  context.refuel(fuelOfAttempt / 2);
  return store.decide(named);
}
