//===- Deciding by cases ---------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/IntegerSearch.h"
#include "Solver/NearFacts.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace dyn::symbolic;

/// Nested splits, ways to split among which one is chosen, and cases altogether.
static constexpr unsigned maximalDepth = 3, maximalChoices = 3, maximalCases = 40, maximalDirectCases = 64,
                          maximalNesting = 8;

//===----------------------------------------------------------------------===//
// Where to split
//===----------------------------------------------------------------------===//

/// Two operands of a max inside the expression, whose order is not known.
static std::optional<std::pair<Expr, Expr>> findUndecidedMax(Expr expr) {
  if (expr.getNode()->depth == 0)
    return std::nullopt;
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    for (Expr operand : atom->operands)
      if (auto found = findUndecidedMax(operand))
        return found;
    if (atom->kind == AtomKind::Max)
      return std::pair(atom->operands[0], atom->operands[1]);
  }
  return std::nullopt;
}

/// A symbol of a product in the sum, or the sum if there is no product.
static Expr getFactor(Expr sum) {
  for (const Term &term : getTerms(sum))
    if (term.monomial->degree > 1)
      return sum.getNode()->context->getExpr(term.monomial->getPowers().front().atom);
  return sum;
}

/// A dividend without divisions and its constant divisor, inside the expression, where few remainders are possible. In
/// place of a dividend with products a symbol of these: its remainder decides more.
static std::optional<std::pair<Expr, int64_t>> findSmallQuotient(Expr expr) {
  constexpr int64_t maximalDivisor = 16;
  if (expr.getNode()->depth == 0)
    return std::nullopt;
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    for (Expr operand : atom->operands)
      if (auto found = findSmallQuotient(operand))
        return found;
    std::optional<int64_t> divisor = atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
    if (divisor && *divisor > 1 && *divisor <= maximalDivisor && atom->operands[0].getNode()->depth == 0)
      return std::pair(getFactor(atom->operands[0]), *divisor);
  }
  return std::nullopt;
}

static std::vector<Predicate> splitMax(std::pair<Expr, Expr> operands) {
  return {Predicate::lessEqual(operands.first, operands.second), Predicate::less(operands.second, operands.first)};
}

/// One case for each remainder.
static std::vector<Predicate> splitRemainder(std::pair<Expr, int64_t> quotient) {
  auto [dividend, divisor] = quotient;
  SymbolicContext &context = dividend.getContext();
  Expr remainder = mod(dividend, context.getConstant(divisor));
  std::vector<Predicate> cases;
  for (int64_t value = 0; value < divisor; ++value)
    cases.push_back(Predicate::equal(remainder, context.getConstant(value)));
  return cases;
}

using Split = std::vector<Predicate>;

/// Distinctions of cases, as near to the question as possible: first what shares symbols with it, then what shares
/// symbols with facts that do, and so on. Empty where nothing is left to split that has to do with the question.
static std::vector<Split> findSplits(FactStore &store, const Predicate &question) {
  std::vector<Split> splits;
  llvm::SmallVector<Expr> differences;
  collectDifferences(store, question, differences);
  uint64_t reached = 0;
  for (Expr difference : differences)
    reached |= difference.getNode()->symbolMask;
  for (bool first = true;; first = false) {
    for (const FactStore::Disjunction &disjunction : store.getDisjunctions())
      if ((disjunction.symbolMask & reached) && splits.size() < maximalChoices)
        splits.push_back(disjunction.predicate->operands);
    if (first)
      for (Expr difference : differences)
        if (auto operands = findUndecidedMax(difference))
          splits.push_back(splitMax(*operands));
    if (!splits.empty())
      return splits;
    if (first)
      for (Expr difference : differences)
        if (auto quotient = findSmallQuotient(difference))
          return {splitRemainder(*quotient)};
    uint64_t further = reached;
    for (const std::vector<Expr> &list : store.getOpenExprs())
      for (Expr expr : list)
        if (uint64_t mask = expr.getNode()->symbolMask; mask & reached) {
          if (auto operands = findUndecidedMax(expr))
            return {splitMax(*operands)};
          further |= mask;
        }
    if (further == reached)
      return splits;
    reached = further;
  }
}

//===----------------------------------------------------------------------===//
// Refutation
//===----------------------------------------------------------------------===//

namespace {
/// Lets one step of a proof use a part of the fuel only, so that a costly one leaves something for the others.
class FuelSlice {
public:
  FuelSlice(SymbolicContext::Impl &context, unsigned limit)
      : context(context), withheld(context.fuel - std::min(context.fuel, limit)) {
    context.fuel -= withheld;
  }
  ~FuelSlice() { context.fuel += withheld; }

private:
  SymbolicContext::Impl &context;
  unsigned withheld;
};

/// Tries to prove that a predicate holds, by contradiction.
class Proof {
public:
  /// `near` is where it is to be proved.
  Proof(FactStore &near, const Predicate &predicate, Witnesses *witnesses,
        unsigned fuel = SymbolicContext::Impl::fuelOfAttempt)
      : predicate(predicate), witnesses(witnesses), fuelOfIntegers(fuel), fuelOfOpposite(fuel / 2),
        fuelOfAlternatives(fuel / 2), fuelOfCase(fuel / 8) {
    // A proof is worth more effort than a look at what is known.
    near.getContext().refuel(3 * fuel);
    llvm::SmallVector<Expr> differences;
    collectDifferences(near, predicate, differences);
    for (Expr difference : differences)
      symbolMask |= difference.getNode()->symbolMask;
  }

  bool holdsIn(const FactStore &store) {
    // Without the opposite, which changes the form of what is compared, so that even a known disjunction may not be
    // found in itself.
    bool isDisjunction = predicate.kind == Predicate::Kind::Or;
    if (isDisjunction && holdsInAlternatives(store))
      return true;
    FactStore refuted = store.makeHypothesis();
    bool isComplete = false;
    if (holdsAtIntegers(refuted, isComplete))
      return true;
    if (isComplete)
      return false;
    SymbolicContext::Impl &context = store.getContext();
    llvm::SmallVector<Expr> differences;
    collectDifferences(refuted, predicate, differences);
    llvm::SmallVector<Expr> around = getNeighbours(refuted, differences);
    if (!assertTrue(refuted, Predicate::negation(predicate), fuelOfOpposite))
      return true;
    if (findCounterexample(refuted))
      return false;
    if (context.fuel > 0 && searchIntegers(refuted, around, rowsOfQuestion) == Feasibility::Infeasible)
      return true;
    if (!isDisjunction && !store.getDisjunctions().empty()) {
      // The search for a counterexample may have left nothing.
      context.fuel = std::max(context.fuel, fuelOfAlternatives);
      if (holdsInAlternatives(store))
        return true;
    }
    if (holdsInCases(store, maximalNesting))
      return true;
    cases = 0;
    return isContradictory(refuted, 0, /*isCase=*/false);
  }

private:
  static constexpr unsigned rowsOfQuestion = 1000;

  static bool assertTrue(FactStore &store, const Predicate &fact, unsigned limit) {
    FuelSlice slice(store.getContext(), limit);
    return store.assertTrue(fact);
  }

  bool holdsAtIntegers(FactStore &store, bool &isComplete) {
    FuelSlice slice(store.getContext(), fuelOfIntegers);
    return holdsAtAllIntegers(store, predicate, rowsOfQuestion, isComplete);
  }

  /// Does it hold in each alternative of a disjunction that is known?
  bool holdsInAlternatives(const FactStore &store) {
    unsigned tried = 0;
    return llvm::any_of(store.getDisjunctions(), [&](const FactStore::Disjunction &disjunction) {
      return (disjunction.symbolMask & symbolMask) && ++tried <= maximalChoices &&
             llvm::all_of(disjunction.predicate->operands, [&](const Predicate &alternative) {
               FactStore attempt = store.makeHypothesis();
               return !assertTrue(attempt, alternative, fuelOfCase) || attempt.decide(predicate) == Verdict::Yes;
             });
    });
  }

  /// Does it hold in each case of its own maxima and quotients? Without the opposite, whose consequences cost effort.
  bool holdsInCases(const FactStore &store, unsigned nesting) {
    if (store.getContext().fuel == 0)
      return false;
    FactStore attempt = store.makeHypothesis();
    llvm::SmallVector<Expr> differences;
    {
      FuelSlice slice(attempt.getContext(), fuelOfCase);
      if (attempt.decide(predicate) == Verdict::Yes)
        return true;
      collectDifferences(attempt, predicate, differences);
    }
    if (nesting == 0 || attempt.getContext().fuel == 0)
      return false;
    Split split;
    for (Expr difference : differences)
      if (auto operands = split.empty() ? findUndecidedMax(difference) : std::nullopt)
        split = splitMax(*operands);
    for (Expr difference : differences)
      if (auto quotient = split.empty() ? findSmallQuotient(difference) : std::nullopt)
        split = splitRemainder(*quotient);
    return !split.empty() && llvm::all_of(split, [&](const Predicate &alternative) {
      if (++cases > maximalDirectCases)
        return false;
      FactStore narrowed = attempt.makeHypothesis();
      return !assertTrue(narrowed, alternative, fuelOfCase) || holdsInCases(narrowed, nesting - 1);
    });
  }

  /// Is there a contradiction in every case? Each case is a copy of the store with one more fact.
  bool isContradictory(FactStore &refuted, unsigned depth, bool isCase) {
    if (refuted.getContext().fuel == 0)
      return false;
    // The opposite was taken in before the cases were known.
    if (isCase && refuted.decide(predicate) == Verdict::Yes)
      return true;
    // Of several distinctions, the one that leaves the fewest cases open.
    std::optional<std::vector<FactStore>> open;
    std::vector<Split> splits;
    if (depth < maximalDepth && refuted.getContext().fuel > 0)
      splits = findSplits(refuted, predicate);
    for (const Split &split : splits) {
      std::vector<FactStore> left;
      for (const Predicate &alternative : split) {
        if (++cases > maximalCases)
          return false;
        FactStore attempt = refuted.makeHypothesis();
        if (assertTrue(attempt, alternative, fuelOfCase))
          left.push_back(std::move(attempt));
        if (open && left.size() >= open->size())
          break;
      }
      if (left.empty())
        return true;
      if (!open || left.size() < open->size())
        open = std::move(left);
    }
    if (!open) {
      if (depth > 0)
        findCounterexample(refuted);
      return false;
    }
    // A case that is the only one is no distinction.
    return llvm::all_of(*open, [&](FactStore &attempt) {
      return isContradictory(attempt, open->size() == 1 ? depth : depth + 1, /*isCase=*/true);
    });
  }

  bool findCounterexample(const FactStore &refuted) {
    FuelSlice slice(refuted.getContext(), fuelOfAlternatives);
    return witnesses && witnesses->find(refuted, predicate.getSymbols(),
                                        [&](const Point &point) { return evaluateAt(predicate, point) == false; });
  }

  const Predicate &predicate;
  Witnesses *witnesses;
  const unsigned fuelOfIntegers, fuelOfOpposite, fuelOfAlternatives, fuelOfCase;
  uint64_t symbolMask = 0; ///< of its inner form
  unsigned cases = 0;
};
} // namespace

Verdict dyn::symbolic::decideWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses,
                                        unsigned fuelOfAttempt) {
  Verdict verdict = store.decide(predicate);
  return verdict == Verdict::Unknown ? proveWithSplits(store, predicate, witnesses, fuelOfAttempt) : verdict;
}

Verdict dyn::symbolic::proveWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses,
                                       unsigned fuelOfAttempt) {
  // A comparison of sums is decided by the store, or not at all, where there is nothing to split and nothing to combine
  // with.
  if (predicate.operands.empty() && !store.hasOpenFacts()) {
    llvm::SmallVector<Expr> differences;
    collectDifferences(store, predicate, differences);
    if (llvm::none_of(differences, [](Expr difference) {
          return findUndecidedMax(difference).has_value() || findSmallQuotient(difference).has_value();
        }))
      return Verdict::Unknown;
  }
  NearFacts near(store, predicate);
  Witnesses::Seen seen;
  if (witnesses) {
    witnesses->startQuestion();
    seen = witnesses->look(predicate);
    witnesses->vary(predicate, seen);
  }
  if (!seen.isFalse && Proof(near.get(), predicate, witnesses, fuelOfAttempt).holdsIn(near.get()))
    return Verdict::Yes;
  if (!seen.isTrue && witnesses)
    seen = witnesses->look(predicate);
  // Most that is asked for holds.
  Predicate negation = Predicate::negation(predicate);
  if (!seen.isTrue && Proof(near.get(), negation, witnesses, fuelOfAttempt / 2).holdsIn(near.get()))
    return Verdict::No;
  return Verdict::Unknown;
}

bool dyn::symbolic::impliesWithSplits(FactStore &store, const Predicate &predicate, Witnesses &witnesses) {
  store.getContext().refuel();
  Verdict verdict = store.decide(predicate);
  if (verdict != Verdict::Unknown)
    return verdict == Verdict::Yes;
  witnesses.startQuestion();
  Witnesses::Seen seen = witnesses.look(predicate);
  // Only where it is false is of interest.
  seen.isTrue = true;
  witnesses.vary(predicate, seen);
  if (seen.isFalse)
    return false;
  NearFacts near(store, predicate);
  return Proof(near.get(), predicate, &witnesses).holdsIn(near.get());
}

Expr dyn::symbolic::simplifyWithSplits(FactStore &store, Expr expr,
                                       llvm::function_ref<bool(Expr lhs, Expr rhs)> isEqual) {
  Expr inner = store.getInner(expr);
  if (!inner || inner.getNode()->depth == 0 || !store.hasOpenFacts())
    return store.getOuter(expr);
  // A max or bcast that is known to be one of its operands, the innermost first.
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  ExprBuilder::Memo memo;
  std::function<Expr(const Atom *)> choose = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol())
      return {};
    llvm::SmallVector<Expr, 4> operands;
    for (Expr operand : atom->operands)
      operands.push_back(builder.rebuild(operand, choose, memo));
    Expr built = builder.build(atom->kind, operands);
    if (!built || (atom->kind != AtomKind::Max && atom->kind != AtomKind::Bcast))
      return built;
    Expr outer = store.getOuter(built);
    for (Expr operand : operands)
      if (operand == built || isEqual(outer, store.getOuter(operand)))
        return operand;
    return built;
  };
  Expr chosen = builder.rebuild(inner, choose, memo);
  return store.getOuter(chosen ? chosen : expr);
}
