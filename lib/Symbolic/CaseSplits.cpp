//===- Deciding by cases ---------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Nested splits, and cases altogether.
static constexpr unsigned maximalDepth = 3, maximalCases = 24;

/// Two operands of a max inside the expression, whose order is not known.
static std::optional<std::pair<Expr, Expr>> findUndecidedMax(FactStore &store, Expr expr) {
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    for (Expr operand : atom->operands)
      if (auto found = findUndecidedMax(store, operand))
        return found;
    if (atom->kind == AtomKind::Max)
      return std::pair(atom->operands[0], atom->operands[1]);
  }
  return std::nullopt;
}

static std::optional<std::pair<Expr, Expr>> findUndecidedMax(FactStore &store, const Predicate &predicate) {
  for (const Predicate &operand : predicate.operands)
    if (auto found = findUndecidedMax(store, operand))
      return found;
  if (!predicate.lhs || !predicate.rhs)
    return std::nullopt;
  Expr difference = store.getInner(predicate.lhs - predicate.rhs);
  return difference ? findUndecidedMax(store, difference) : std::nullopt;
}

/// Does the predicate hold in every case? Each case is a copy of the store with one more fact.
static bool holdsInAllCases(const FactStore &store, const Predicate &predicate, unsigned depth, unsigned &cases) {
  FactStore refuted = store.makeHypothesis();
  if (!refuted.assertTrue(Predicate::negation(predicate)))
    return true;
  if (depth == maximalDepth)
    return false;
  std::vector<Predicate> split;
  if (!refuted.getDisjunctions().empty()) {
    split = refuted.getDisjunctions().front().operands;
  } else if (auto operands = findUndecidedMax(refuted, predicate)) {
    split = {Predicate::lessEqual(operands->first, operands->second),
             Predicate::less(operands->second, operands->first)};
  }
  if (split.empty())
    return false;
  for (const Predicate &alternative : split) {
    if (++cases > maximalCases)
      return false;
    FactStore attempt = refuted.makeHypothesis();
    if (attempt.assertTrue(alternative) && !holdsInAllCases(attempt, predicate, depth + 1, cases))
      return false;
  }
  return true;
}

Verdict dyn::symbolic::decideWithSplits(FactStore &store, const Predicate &predicate) {
  Verdict verdict = store.decide(predicate);
  if (verdict != Verdict::Unknown)
    return verdict;
  // A comparison of sums is decided above, or not at all, where there is nothing to split and nothing to combine with.
  if (predicate.operands.empty() && !store.hasOpenFacts() && !findUndecidedMax(store, predicate))
    return Verdict::Unknown;
  unsigned cases = 0;
  if (holdsInAllCases(store, predicate, 0, cases))
    return Verdict::Yes;
  cases = 0;
  if (holdsInAllCases(store, Predicate::negation(predicate), 0, cases))
    return Verdict::No;
  return Verdict::Unknown;
}
