//===- Ranges of expressions under facts -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/IntegerSearch.h"
#include "Solver/NearFacts.h"
#include "Solver/SolverImpl.h"

using namespace dyn::symbolic;

/// The highest bound from below that the integers around an expression prove, starting from one that is known. In most
/// cases the known one is attained, which takes one question.
static int64_t raise(FactStore &store, Expr expr, int64_t known) {
  constexpr unsigned rowsOfStep = 500;
  SymbolicContext::Impl &context = store.getContext();
  auto holds = [&](int64_t bound) {
    bool isComplete;
    return context.fuel > 0 &&
           holdsAtAllIntegers(store, Predicate::lessEqual(context.getConstant(bound), expr), rowsOfStep, isComplete);
  };
  constexpr std::array<int64_t, 5> guesses = {0, -64, -4096, -(int64_t(1) << 24), -(int64_t(1) << 40)};
  for (int64_t guess : guesses)
    if (known == Interval::minusInfinity && holds(guess))
      known = guess;
  if (known == Interval::minusInfinity)
    return known;
  // Further and further, then back in smaller steps.
  constexpr int64_t largestStep = int64_t(1) << 40;
  int64_t step = 1;
  auto advance = [&] {
    std::optional<int64_t> next = checkedAdd(known, step);
    bool advanced = next && *next < Interval::plusInfinity && holds(*next);
    known = advanced ? *next : known;
    return advanced;
  };
  while (step <= largestStep && advance())
    step *= 2;
  while ((step /= 2) > 0)
    advance();
  return known;
}

Interval dyn::symbolic::getRangeWithSplits(FactStore &store, Expr expr) {
  constexpr unsigned maximalSplits = 4;
  Expr inner = store.getInner(expr);
  if (!inner)
    return {};
  Interval range = store.getRange(inner);
  unsigned splits = 0;
  NearFacts near(store, inner);
  for (const FactStore::Disjunction &disjunction : near.get().getDisjunctions()) {
    if (!(disjunction.symbolMask & inner.getNode()->symbolMask) || ++splits > maximalSplits)
      continue;
    std::optional<Interval> joined;
    for (const Predicate &alternative : disjunction.predicate->operands) {
      FactStore attempt = near.get().makeHypothesis();
      if (!attempt.assertTrue(alternative))
        continue;
      Expr there = attempt.getInner(inner);
      Interval range = there ? attempt.getRange(there) : Interval();
      joined = joined ? join(*joined, range) : range;
      if (!joined->hasLower() && !joined->hasUpper())
        break;
    }
    if (joined)
      range = intersect(range, *joined);
  }
  // A symbol's range is kept tight as it is, and so is that of a sum of symbols that nothing ties to each other.
  if (inner.isSymbol() || inner.getConstant() || range.isEmpty() ||
      (inner.getNode()->depth == 0 && !near.get().hasOpenFacts()))
    return range;
  range.lower = raise(near.get(), inner, range.lower);
  Expr negated = ExprBuilder(store.getContext()).scale(inner, -1);
  int64_t least = range.hasUpper() ? -range.upper : Interval::minusInfinity;
  if (int64_t raised = negated ? raise(near.get(), negated, least) : least; raised != Interval::minusInfinity)
    range.upper = -raised;
  return range;
}
