//===- Proofs by contradiction and by cases -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/Proof.h"
#include "Solver/Cases/MissingValues.h"
#include "Solver/Cases/OrderCases.h"
#include "Solver/Cases/Splits.h"
#include "Solver/Integers/IntegerSearch.h"
#include "Solver/Integers/PointSearch.h"
#include "Solver/NearFacts.h"
#include "Solver/Points/Witnesses.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Nested splits, disjunctions that are tried, and cases altogether.
static constexpr unsigned maximalDepth = 3, maximalChoices = 3, maximalCases = 40, maximalDirectCases = 64,
                          maximalNesting = 8, nestingOfAlternatives = 3;

namespace {
/// Nothing where it is not known yet; a case may know it of one part and have no value for another.
std::optional<bool> holdsInCase(FactStore &store, const Predicate &predicate) {
  if (std::optional<bool> holds = holdsWithoutValues(store, predicate))
    return holds;
  bool isAnd = predicate.kind == Predicate::Kind::And;
  auto holds = [&](const Predicate &operand) { return holdsInCase(store, operand) == true; };
  if (store.decide(predicate) == Verdict::Yes || (isAnd && llvm::all_of(predicate.operands, holds)))
    return true;
  return std::nullopt;
}

/// Tries to prove that a predicate holds, by contradiction.
class Proof {
public:
  /// `near` is where it is to be proved.
  Proof(FactStore &near, const Predicate &predicate, Witnesses *witnesses, unsigned fuel)
      : predicate(predicate), witnesses(witnesses), fuel(fuel) {
    // A proof is worth more effort than a look at what is known.
    near.getContext().refuel(5 * fuel / 2);
    llvm::SmallVector<Expr> differences;
    collectDifferences(near, predicate, differences);
    for (Expr difference : differences) {
      symbolMask |= difference.getNode()->symbolMask;
      hasProducts |= llvm::any_of(getTerms(difference), [](const Term &term) { return term.monomial->degree > 1; });
    }
  }

  /// Where there are no facts but what is known of each symbol.
  bool holdsAlone(const FactStore &store) {
    FactStore attempt = store.makeHypothesis();
    if (Feasibility found = searchPoints(attempt); found != Feasibility::Unknown)
      return found == Feasibility::Infeasible;
    std::optional<bool> holds = holdsInOrders(attempt);
    return holds ? *holds : holdsInCases(store);
  }

  /// By its own cases alone.
  bool holdsInCases(const FactStore &store) {
    cases = 0;
    if (store.getContext().fuel == 0)
      return false;
    FactStore attempt = store.makeHypothesis();
    return holdsInCases(attempt, maximalNesting);
  }

  bool holdsIn(const FactStore &store) {
    // Without the opposite, which changes the form of what is compared, so that even a known disjunction may not be
    // found in itself.
    bool isDisjunction = predicate.kind == Predicate::Kind::Or;
    if (isDisjunction) {
      SymbolicContext::Impl::FuelSlice slice(store.getContext(), getFuelOf(Share::known));
      if (holdsInAlternatives(store, /*nesting=*/0))
        return true;
    }
    FactStore refuted = store.makeHypothesis();
    if (std::optional<bool> holds = holdsInOrders(refuted))
      return *holds;
    bool isComplete = false;
    if (holdsAtIntegers(refuted, isComplete))
      return true;
    if (isComplete)
      return false;
    if (Feasibility found = searchPoints(refuted); found != Feasibility::Unknown)
      return found == Feasibility::Infeasible;
    SymbolicContext::Impl &context = store.getContext();
    llvm::SmallVector<Expr> differences;
    collectDifferences(refuted, predicate, differences);
    llvm::SmallVector<Expr> around = getNeighbours(refuted, differences);
    if (isRefutedFromBothSides(refuted) ||
        !assertTrue(refuted, Predicate::negation(predicate), getFuelOf(Share::opposite)))
      return true;
    if (findCounterexample(refuted))
      return false;
    if (isInfeasible(refuted, around) || isRefutedByDistances(store))
      return true;
    if (!isDisjunction && !store.getDisjunctions().empty()) {
      // The search for a counterexample may have left nothing.
      context.refuel(std::max(context.fuel, getFuelOf(Share::alternatives)));
      SymbolicContext::Impl::FuelSlice slice(context, getFuelOf(Share::alternatives));
      if (holdsInAlternatives(store, /*nesting=*/0))
        return true;
    }
    // Products are no longer any where an alternative tells a factor.
    if (hasProducts && holdsInCasesOfAlternatives(store))
      return true;
    {
      SymbolicContext::Impl::FuelSlice slice(context, getFuelOf(Share::cases));
      if (holdsInCases(store))
        return true;
    }
    {
      cases = 0;
      SymbolicContext::Impl::FuelSlice slice(context, getFuelOf(Share::contradiction));
      if (isContradictory(refuted, 0, /*isCase=*/false))
        return true;
    }
    return !hasProducts && holdsInCasesOfAlternatives(store);
  }

private:
  static constexpr unsigned rowsOfQuestion = 1000;

  /// A step has at most so many hundredths of `fuel`. What one leaves, the next ones have; three times `fuel` is for
  /// all of them.
  struct Share {
    static constexpr unsigned known = 100, orders = 150, integers = 100, joined = 200, points = 100, opposite = 66,
                              counterexample = 12, around = 12, alternatives = 50, casesOfAlternatives = 100,
                              cases = 150, contradiction = 33, oneCase = 17;
  };
  unsigned getFuelOf(unsigned share) const { return fuel * share / 100; }
  unsigned getFuelOfCase() const { return getFuelOf(Share::oneCase); }

  static bool assertTrue(FactStore &store, const Predicate &fact, unsigned limit) {
    SymbolicContext::Impl::FuelSlice slice(store.getContext(), limit);
    return store.assertTrue(fact);
  }

  /// Is an equation right because neither side is larger? Bounds of quotients and products say more than that sides
  /// differ.
  bool isRefutedFromBothSides(const FactStore &store) {
    if (predicate.kind != Predicate::Kind::Equal)
      return false;
    return llvm::all_of(
        std::array{Predicate::less(predicate.lhs, predicate.rhs), Predicate::less(predicate.rhs, predicate.lhs)},
        [&](const Predicate &side) {
          FactStore attempt = store.makeHypothesis();
          return !assertTrue(attempt, side, getFuelOf(Share::opposite));
        });
  }

  /// Is an order of two symbols, or that they are equal, right because products contradict the opposite? An equation
  /// such as `s*s + s == t*t + t` does where the larger one is the other one and a distance, of which no term is
  /// negative.
  bool isRefutedByDistances(const FactStore &store) {
    if (!predicate.operands.empty() || predicate.kind == Predicate::Kind::NotEqual)
      return false;
    FactStore copy = store.makeHypothesis();
    Expr lhs = copy.getInner(predicate.lhs), rhs = copy.getInner(predicate.rhs);
    if (!lhs || !rhs || !lhs.isSymbol() || !rhs.isSymbol() || lhs == rhs || !store.hasOpenProductsOf(lhs, rhs))
      return false;
    int64_t least = predicate.kind == Predicate::Kind::Less ? 0 : 1;
    auto isRefuted = [&](Expr small, Expr large) {
      FactStore attempt = store.makeHypothesis();
      SymbolicContext::Impl::FuelSlice slice(store.getContext(), getFuelOf(Share::opposite));
      return !attempt.assertApart(getSymbolAtom(small), getSymbolAtom(large), least);
    };
    return isRefuted(rhs, lhs) && (predicate.kind != Predicate::Kind::Equal || isRefuted(lhs, rhs));
  }

  /// Nothing where the orders of its operands tell nothing.
  std::optional<bool> holdsInOrders(FactStore &store) {
    SymbolicContext::Impl::FuelSlice slice(store.getContext(), getFuelOf(Share::orders));
    OrderCases orders(store);
    bool holds = orders.holds(predicate);
    return holds || orders.isRefuted() ? std::optional(holds) : std::nullopt;
  }

  bool holdsAtIntegers(FactStore &store, bool &isComplete) {
    SymbolicContext::Impl::FuelSlice slice(store.getContext(),
                                           getFuelOf(predicate.operands.empty() ? Share::integers : Share::joined));
    return holdsAtAllIntegers(store, predicate, rowsOfQuestion, isComplete);
  }

  Feasibility searchPoints(FactStore &store) {
    SymbolicContext::Impl::FuelSlice slice(store.getContext(), getFuelOf(Share::points));
    return searchCounterexample(store, predicate);
  }

  bool isInfeasible(FactStore &store, llvm::ArrayRef<Expr> around) {
    SymbolicContext::Impl::FuelSlice slice(store.getContext(), getFuelOf(Share::around));
    return searchIntegers(store, around, rowsOfQuestion) == Feasibility::Infeasible;
  }

  /// Does it hold in each alternative of a disjunction that is known? There by at most so many nested cases of its own.
  bool holdsInAlternatives(const FactStore &store, unsigned nesting) {
    unsigned tried = 0;
    cases = 0;
    auto isEquation = [](const Predicate &alternative) { return alternative.kind == Predicate::Kind::Equal; };
    return llvm::any_of(store.getDisjunctions(), [&](const FactStore::Disjunction &disjunction) {
      // Equations take symbols out of what is asked, and leave few cases.
      if (nesting > 0 && !llvm::all_of(disjunction.predicate->operands, isEquation))
        return false;
      return (disjunction.symbolMask & symbolMask) && ++tried <= maximalChoices &&
             llvm::all_of(disjunction.predicate->operands, [&](const Predicate &alternative) {
               if (store.getContext().fuel == 0)
                 return false;
               FactStore attempt = store.makeHypothesis();
               if (!assertTrue(attempt, alternative, getFuelOfCase()))
                 return true;
               return nesting == 0 ? attempt.decide(predicate) == Verdict::Yes : holdsInCases(attempt, nesting);
             });
    });
  }

  bool holdsInCasesOfAlternatives(const FactStore &store) {
    if (predicate.kind == Predicate::Kind::Or || store.getDisjunctions().empty())
      return false;
    SymbolicContext::Impl &context = store.getContext();
    context.refuel(std::max(context.fuel, getFuelOf(Share::casesOfAlternatives)));
    SymbolicContext::Impl::FuelSlice slice(context, getFuelOf(Share::casesOfAlternatives));
    return holdsInAlternatives(store, nestingOfAlternatives);
  }

  /// Does it hold in each case of its own maxima and quotients? Without the opposite, whose consequences cost effort.
  bool holdsInCases(FactStore &attempt, unsigned nesting) {
    if (attempt.getContext().fuel == 0)
      return false;
    llvm::SmallVector<Expr> differences;
    {
      SymbolicContext::Impl::FuelSlice slice(attempt.getContext(), getFuelOfCase());
      if (std::optional<bool> holds = holdsInCase(attempt, predicate))
        return *holds;
      collectDifferences(attempt, predicate, differences);
    }
    if (nesting == 0 || attempt.getContext().fuel == 0)
      return false;
    Split split = findSplit(attempt, differences);
    return !split.empty() && llvm::all_of(split, [&](const Predicate &alternative) {
      if (++cases > maximalDirectCases)
        return false;
      FactStore narrowed = attempt.makeHypothesis();
      return !assertTrue(narrowed, alternative, getFuelOfCase()) || holdsInCases(narrowed, nesting - 1);
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
        if (assertTrue(attempt, alternative, getFuelOfCase()))
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
    SymbolicContext::Impl::FuelSlice slice(refuted.getContext(), getFuelOf(Share::counterexample));
    return witnesses && witnesses->find(refuted, predicate.getSymbols(),
                                        [&](const Point &point) { return evaluateAt(predicate, point) == false; });
  }

  const Predicate &predicate;
  Witnesses *witnesses;
  const unsigned fuel;      ///< a third of what all ways to prove it have together
  uint64_t symbolMask = 0;  ///< of its inner form
  bool hasProducts = false; ///< so has that
  unsigned cases = 0;
};
} // namespace

bool dyn::symbolic::isProved(FactStore &near, const Predicate &predicate, Witnesses *witnesses, unsigned fuel,
                             bool isAlone) {
  Proof proof(near, predicate, witnesses, fuel);
  return isAlone ? proof.holdsAlone(near) : proof.holdsIn(near);
}
