//===- Deciding by cases ---------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Cases/EqualParts.h"
#include "Solver/Cases/MissingValues.h"
#include "Solver/Cases/OrderCases.h"
#include "Solver/Cases/Splits.h"
#include "Solver/Integers/IntegerSearch.h"
#include "Solver/Integers/PointSearch.h"
#include "Solver/NearFacts.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace dyn::symbolic;

/// Nested splits, disjunctions that are tried, and cases altogether.
static constexpr unsigned maximalDepth = 3, maximalChoices = 3, maximalCases = 40, maximalDirectCases = 64,
                          maximalNesting = 8;

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

/// Nothing where it is not known yet; a case may know it of one part and have no value for another.
static std::optional<bool> holdsInCase(FactStore &store, const Predicate &predicate) {
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
    for (Expr difference : differences)
      symbolMask |= difference.getNode()->symbolMask;
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
      FuelSlice slice(store.getContext(), getFuelOf(Share::known));
      if (holdsInAlternatives(store))
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
    if (isInfeasible(refuted, around))
      return true;
    if (!isDisjunction && !store.getDisjunctions().empty()) {
      // The search for a counterexample may have left nothing.
      context.fuel = std::max(context.fuel, getFuelOf(Share::alternatives));
      FuelSlice slice(context, getFuelOf(Share::alternatives));
      if (holdsInAlternatives(store))
        return true;
    }
    {
      FuelSlice slice(context, getFuelOf(Share::cases));
      if (holdsInCases(store))
        return true;
    }
    cases = 0;
    FuelSlice slice(context, getFuelOf(Share::contradiction));
    return isContradictory(refuted, 0, /*isCase=*/false);
  }

private:
  static constexpr unsigned rowsOfQuestion = 1000;

  /// A step has at most so many hundredths of `fuel`. What one leaves, the next ones have; three times `fuel` is for
  /// all of them.
  struct Share {
    static constexpr unsigned known = 100, orders = 150, integers = 100, joined = 200, points = 100, opposite = 66,
                              counterexample = 12, around = 12, alternatives = 50, cases = 150, contradiction = 33,
                              oneCase = 17;
  };
  unsigned getFuelOf(unsigned share) const { return fuel * share / 100; }
  unsigned getFuelOfCase() const { return getFuelOf(Share::oneCase); }

  static bool assertTrue(FactStore &store, const Predicate &fact, unsigned limit) {
    FuelSlice slice(store.getContext(), limit);
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

  /// Nothing where the orders of its operands tell nothing.
  std::optional<bool> holdsInOrders(FactStore &store) {
    FuelSlice slice(store.getContext(), getFuelOf(Share::orders));
    OrderCases orders(store);
    bool holds = orders.holds(predicate);
    return holds || orders.isRefuted() ? std::optional(holds) : std::nullopt;
  }

  bool holdsAtIntegers(FactStore &store, bool &isComplete) {
    FuelSlice slice(store.getContext(), getFuelOf(predicate.operands.empty() ? Share::integers : Share::joined));
    return holdsAtAllIntegers(store, predicate, rowsOfQuestion, isComplete);
  }

  Feasibility searchPoints(FactStore &store) {
    FuelSlice slice(store.getContext(), getFuelOf(Share::points));
    return searchCounterexample(store, predicate);
  }

  bool isInfeasible(FactStore &store, llvm::ArrayRef<Expr> around) {
    FuelSlice slice(store.getContext(), getFuelOf(Share::around));
    return searchIntegers(store, around, rowsOfQuestion) == Feasibility::Infeasible;
  }

  /// Does it hold in each alternative of a disjunction that is known?
  bool holdsInAlternatives(const FactStore &store) {
    unsigned tried = 0;
    return llvm::any_of(store.getDisjunctions(), [&](const FactStore::Disjunction &disjunction) {
      return (disjunction.symbolMask & symbolMask) && ++tried <= maximalChoices &&
             llvm::all_of(disjunction.predicate->operands, [&](const Predicate &alternative) {
               if (store.getContext().fuel == 0)
                 return false;
               FactStore attempt = store.makeHypothesis();
               return !assertTrue(attempt, alternative, getFuelOfCase()) || attempt.decide(predicate) == Verdict::Yes;
             });
    });
  }

  /// Does it hold in each case of its own maxima and quotients? Without the opposite, whose consequences cost effort.
  bool holdsInCases(FactStore &attempt, unsigned nesting) {
    if (attempt.getContext().fuel == 0)
      return false;
    llvm::SmallVector<Expr> differences;
    {
      FuelSlice slice(attempt.getContext(), getFuelOfCase());
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
    FuelSlice slice(refuted.getContext(), getFuelOf(Share::counterexample));
    return witnesses && witnesses->find(refuted, predicate.getSymbols(),
                                        [&](const Point &point) { return evaluateAt(predicate, point) == false; });
  }

  const Predicate &predicate;
  Witnesses *witnesses;
  const unsigned fuel;     ///< a third of what all ways to prove it have together
  uint64_t symbolMask = 0; ///< of its inner form
  unsigned cases = 0;
};
} // namespace

/// May no values make both sides equal, though ranges do not tell? `16*x == y + 1` where y is at most 5, `5*x + 7*y ==
/// 4`.
static bool mayNeverBeEqual(FactStore &store, const Predicate &predicate, llvm::ArrayRef<Expr> differences) {
  if (predicate.kind != Predicate::Kind::Equal && predicate.kind != Predicate::Kind::NotEqual)
    return false;
  return llvm::any_of(differences, [&](Expr difference) {
    Terms terms = dropConstant(getTerms(difference));
    auto isMultiple = [](const Term &term) { return !isUnit(term.coefficient); };
    auto hasSignOfFirst = [&](const Term &term) { return (term.coefficient < 0) == (terms[0].coefficient < 0); };
    auto hasUpper = [&](Expr symbol) { return store.getRange(symbol).hasUpper(); };
    return llvm::any_of(terms, isMultiple) &&
           (llvm::all_of(terms, hasSignOfFirst) || llvm::any_of(difference.getSymbols(), hasUpper));
  });
}

static bool isWrittenWhereItHasValues(Expr expr) {
  return hasAtom(expr, AtomKind::Bcast) || hasAtom(expr, AtomKind::ExactDiv);
}

static std::optional<FactStore> relateProducts(FactStore &store, const Predicate &predicate) {
  llvm::SmallVector<Expr> differences;
  collectDifferences(store, predicate, differences);
  FuelSlice slice(store.getContext(), SymbolicContext::Impl::fuelOfAttempt / 4);
  return store.relateProducts(differences);
}

/// Points have the same share of effort.
static void startQuestion(Witnesses &witnesses, unsigned fuelOfAttempt) {
  constexpr unsigned all = SymbolicContext::Impl::fuelOfAttempt;
  witnesses.startQuestion(all / std::clamp(fuelOfAttempt, 1u, all));
}

static Verdict prove(FactStore &store, const Predicate &given, Witnesses *witnesses, unsigned fuelOfAttempt,
                     std::optional<Witnesses::Seen> alreadySeen);

/// By two parts, for which the whole has been tried: what it takes for all of them to hold, or for none. `seen` is that
/// of the whole.
static Verdict proveParts(FactStore &store, const Predicate &joined, Witnesses *witnesses, unsigned fuelOfAttempt,
                          Witnesses::Seen seen) {
  bool isAnd = joined.kind == Predicate::Kind::And, isLeftOpen = false;
  return decideByParts(joined, [&](const Predicate &part) {
    // A point at which the whole has a truth has shown that of some parts. What no longer counts is not tried.
    Witnesses::Seen ofPart = witnesses ? witnesses->look(part) : Witnesses::Seen();
    (isAnd ? ofPart.isTrue : ofPart.isFalse) |= isAnd ? seen.isTrue : seen.isFalse;
    (isAnd ? ofPart.isFalse : ofPart.isTrue) |= isLeftOpen || (isAnd ? seen.isFalse : seen.isTrue);
    Verdict verdict = Verdict::Unknown;
    if (!ofPart.areBoth()) {
      store.forgetAnswers();
      store.getContext().refuel(fuelOfAttempt);
      verdict = store.decide(part);
      store.getContext().refuel(fuelOfAttempt);
      if (verdict == Verdict::Unknown)
        verdict = prove(store, part, witnesses, fuelOfAttempt, ofPart);
    }
    isLeftOpen |= verdict == Verdict::Unknown;
    return verdict;
  });
}

Verdict dyn::symbolic::decideWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses,
                                        unsigned fuelOfAttempt) {
  Verdict verdict = store.decide(predicate);
  return verdict == Verdict::Unknown ? proveWithSplits(store, predicate, witnesses, fuelOfAttempt) : verdict;
}

Verdict dyn::symbolic::proveWithSplits(FactStore &store, const Predicate &given, Witnesses *witnesses,
                                       unsigned fuelOfAttempt) {
  return prove(store, given, witnesses, fuelOfAttempt, std::nullopt);
}

bool dyn::symbolic::isTrueWithSplits(FactStore &store, const Predicate &predicate, Witnesses *witnesses,
                                     unsigned fuelOfAttempt) {
  if (Verdict verdict = store.decide(predicate); verdict != Verdict::Unknown)
    return verdict == Verdict::Yes;
  // As if a point had shown that it may be true.
  Witnesses::Seen seen;
  seen.isTrue = true;
  if (witnesses && isComplete(predicate)) {
    startQuestion(*witnesses, fuelOfAttempt);
    seen.isFalse = witnesses->lookAtEarlier(predicate).isFalse;
    if (!seen.isFalse)
      witnesses->vary(store, predicate, seen);
  }
  return !seen.isFalse && prove(store, predicate, witnesses, fuelOfAttempt, seen) == Verdict::Yes;
}

/// `alreadySeen` is what points have shown; nothing where they are to be looked for.
static Verdict prove(FactStore &store, const Predicate &given, Witnesses *witnesses, unsigned fuelOfAttempt,
                     std::optional<Witnesses::Seen> alreadySeen) {
  std::optional<Predicate> apart = takeFactorsApart(store, given);
  if (Verdict verdict = apart ? store.decide(*apart) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  std::optional<Predicate> maxima = takeMaxima(store, given);
  if (Verdict verdict = maxima ? store.decide(*maxima) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  const Predicate &predicate = apart ? *apart : given;
  if (!isComplete(predicate))
    return Verdict::Unknown;
  // An order of sums is decided by the store, or not at all, where there is nothing to split and nothing to combine
  // with.
  bool hasOnlyCases = predicate.operands.empty() && !store.hasOpenFactsAbout(predicate.lhs, predicate.rhs) &&
                      !isWrittenWhereItHasValues(predicate.lhs) && !isWrittenWhereItHasValues(predicate.rhs);
  if (hasOnlyCases) {
    llvm::SmallVector<Expr> differences;
    collectDifferences(store, predicate, differences);
    bool isAboutIntegers = mayNeverBeEqual(store, predicate, differences);
    if (!isAboutIntegers && findSplit(store, differences).empty())
      return Verdict::Unknown;
    hasOnlyCases = !isAboutIntegers && !hasLinearSplit(differences);
  }
  auto holds = [&](FactStore &near, const Predicate &question, unsigned fuel) {
    Proof proof(near, question, witnesses, fuel);
    return hasOnlyCases ? proof.holdsAlone(near) : proof.holdsIn(near);
  };
  NearFacts near(store, predicate);
  Witnesses::Seen seen = alreadySeen.value_or(Witnesses::Seen());
  if (witnesses && !alreadySeen) {
    startQuestion(*witnesses, fuelOfAttempt);
    if (witnesses->lookAtEarlier(predicate).areBoth())
      return Verdict::Unknown;
    witnesses->vary(store, predicate, seen);
  }
  std::optional<FactStore> related = relateProducts(near.get(), predicate);
  FactStore &known = related ? *related : near.get();
  if (Verdict verdict = related ? known.decide(predicate) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  if (given.operands.size() == 2) {
    bool isAnd = given.kind == Predicate::Kind::And;
    const Predicate &deciding = isAnd ? Predicate::negation(predicate) : predicate;
    bool isTried = !(isAnd ? seen.isTrue : seen.isFalse);
    if (isTried && holds(known, deciding, 2 * fuelOfAttempt / 3))
      return isAnd ? Verdict::No : Verdict::Yes;
    if (witnesses) {
      Witnesses::Seen later = witnesses->look(predicate);
      seen.isTrue |= later.isTrue, seen.isFalse |= later.isFalse;
    }
    return proveParts(known, given, witnesses, fuelOfAttempt / (isTried ? 4 : 2), seen);
  }
  // Most that is asked for holds, and what the first attempt leaves is for the second.
  unsigned fuelOfSecond = fuelOfAttempt / (seen.isFalse ? 2 : 5);
  if (!seen.isFalse) {
    // What has many cases as a whole may have few in parts. A slice is for what precedes the proof of a part.
    auto isTrue = [&](const Predicate &part) {
      FuelSlice slice(store.getContext(), fuelOfAttempt / 2);
      return isTrueWithSplits(store, part, /*witnesses=*/nullptr, fuelOfAttempt);
    };
    bool isEquation = given.kind == Predicate::Kind::Equal;
    bool isCommonFactorLeft = isEquation && apart && apart->kind == Predicate::Kind::Or;
    if ((isCommonFactorLeft && isTrue(apart->operands.front())) ||
        (isEquation && isEqualByParts(store, given, isTrue)) || holds(known, predicate, fuelOfAttempt))
      return Verdict::Yes;
    fuelOfSecond = std::max(fuelOfSecond, store.getContext().fuel / 3);
    // Where a point shows that it may be true, its opposite is not tried, which leaves something for either order.
    unsigned fuelOfOrder = fuelOfAttempt / 3;
    auto isAtMost = [&](Expr lhs, Expr rhs) {
      known.forgetAnswers();
      known.getContext().refuel(fuelOfOrder);
      return isTrueWithSplits(known, Predicate::lessEqual(lhs, rhs), /*witnesses=*/nullptr, fuelOfOrder);
    };
    if (isEquation && witnesses && seen.isTrue && hasValue(known, given.lhs) && hasValue(known, given.rhs) &&
        isAtMost(given.lhs, given.rhs) && isAtMost(given.rhs, given.lhs))
      return Verdict::Yes;
  }
  if (!seen.isTrue && witnesses)
    seen.isTrue = witnesses->look(predicate).isTrue;
  Predicate negation = Predicate::negation(predicate);
  if (!seen.isTrue && holds(known, negation, fuelOfSecond))
    return Verdict::No;
  return Verdict::Unknown;
}

bool dyn::symbolic::impliesWithSplits(FactStore &store, const Predicate &given, Witnesses &witnesses) {
  store.getContext().refuel();
  Verdict verdict = store.decide(given);
  if (verdict != Verdict::Unknown)
    return verdict == Verdict::Yes;
  std::optional<Predicate> apart = takeFactorsApart(store, given);
  if (apart && store.decide(*apart) == Verdict::Yes)
    return true;
  const Predicate &predicate = apart ? *apart : given;
  if (!isComplete(predicate))
    return false;
  witnesses.startQuestion();
  if (witnesses.lookAtEarlier(predicate).isFalse)
    return false;
  // Only where it is false is of interest.
  Witnesses::Seen seen;
  seen.isTrue = true;
  witnesses.vary(store, predicate, seen);
  if (seen.isFalse)
    return false;
  NearFacts near(store, predicate);
  std::optional<FactStore> related = relateProducts(near.get(), predicate);
  FactStore &known = related ? *related : near.get();
  return (related && known.decide(predicate) == Verdict::Yes) ||
         Proof(known, predicate, &witnesses, SymbolicContext::Impl::fuelOfAttempt).holdsIn(known);
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
