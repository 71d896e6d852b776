//===- Deciding by cases ---------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Cases/EqualParts.h"
#include "Solver/Cases/Proof.h"
#include "Solver/Cases/QuestionForms.h"
#include "Solver/Cases/Splits.h"
#include "Solver/Integers/RemainderSearch.h"
#include "Solver/NearFacts.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace dyn::symbolic;

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
  SymbolicContext::Impl::FuelSlice slice(store.getContext(), SymbolicContext::Impl::fuelOfAttempt / 4);
  return store.relateProducts(differences);
}

/// Points have the same share of effort.
static void startQuestion(Witnesses &witnesses, unsigned fuelOfAttempt) {
  constexpr unsigned all = SymbolicContext::Impl::fuelOfAttempt;
  witnesses.startQuestion(all / std::clamp(fuelOfAttempt, 1u, all));
}

/// What the form decides, it decides with little.
static Verdict decideDistributed(FactStore &store, const Predicate &question, unsigned fuel) {
  SymbolicContext::Impl::FuelSlice slice(store.getContext(), fuel);
  std::optional<Predicate> distributed = distributeQuotients(store, question);
  return distributed ? store.decide(*distributed) : Verdict::Unknown;
}

/// Of an order, by multiples in which quotients are bounded, and without products that others are no smaller than.
static Verdict decideOrder(FactStore &store, const Predicate &order, unsigned fuel) {
  std::optional<Predicate> multiple = multiplyByDivisors(store, order);
  if (Verdict verdict = multiple ? store.decide(*multiple) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  SymbolicContext::Impl::FuelSlice slice(store.getContext(), fuel);
  std::optional<Predicate> left = dropSmallerProducts(store, multiple ? *multiple : order);
  return left && store.decide(*left) == Verdict::Yes ? Verdict::Yes : Verdict::Unknown;
}

static Verdict tryRemainders(FactStore &store, const Predicate &question, unsigned fuel) {
  SymbolicContext::Impl::FuelSlice slice(store.getContext(), fuel);
  return decideByRemainders(store, question);
}

static Verdict prove(FactStore &store, const Predicate &given, Witnesses *witnesses, unsigned fuelOfAttempt,
                     std::optional<Witnesses::Seen> alreadySeen);

/// By its few parts, for which the whole has been tried: what it takes for all of them to hold, or for none. `seen` is
/// that of the whole.
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

namespace {
/// Proves what the store leaves open: in another form, by its parts, as a whole, and by its opposite.
class SplitProof {
public:
  SplitProof(FactStore &store, const Predicate &given, Witnesses *witnesses, unsigned fuel)
      : store(store), given(given), witnesses(witnesses), fuel(fuel), limit(store.getContext(), 13 * fuel / 4),
        apart(takeFactorsApart(store, given)), predicate(apart ? *apart : given) {}

  Verdict run(std::optional<Witnesses::Seen> alreadySeen);

private:
  Verdict decideByForms();
  /// Is an order of sums decided by the store, or not at all, because there is nothing to split and nothing to combine
  /// with? Else tells whether it is about its own cases only.
  bool isFutile();
  bool holds(FactStore &near, const Predicate &question, unsigned fuelOfProof) {
    return isProved(near, question, witnesses, fuelOfProof, /*isAlone=*/hasOnlyCases);
  }
  Verdict proveConjunction(FactStore &known);
  Verdict proveByWholeAndParts(FactStore &known);
  bool holdsByImplication(FactStore &known, unsigned fuelOfPart);
  Verdict proveAsAWhole(FactStore &known);
  bool holdsAsAWhole(FactStore &known);
  /// Is neither side larger?
  bool holdsInBothOrders(FactStore &known);
  /// What is left without the factor is a question of its own.
  bool isCommonFactorLeft() const {
    return given.kind == Predicate::Kind::Equal && apart && apart->kind == Predicate::Kind::Or;
  }

  FactStore &store;
  const Predicate &given;
  Witnesses *witnesses;
  const unsigned fuel;
  /// Attempts at parts, at the opposite and at either order add up. What is proved at all is proved with that; what is
  /// not takes all of it.
  SymbolicContext::Impl::WorkLimit limit;
  std::optional<Predicate> apart;
  const Predicate &predicate; ///< the form that is proved
  bool hasOnlyCases = false;
  Witnesses::Seen seen;
};
} // namespace

Verdict SplitProof::decideByForms() {
  if (Verdict verdict = apart ? store.decide(*apart) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  std::optional<Predicate> maxima = takeMaxima(store, given);
  if (Verdict verdict = maxima ? store.decide(*maxima) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  if (Verdict verdict = decideOrder(store, given, fuel / 4); verdict != Verdict::Unknown)
    return verdict;
  // Without what its terms share, a quotient may stand alone.
  std::vector<Predicate> parts;
  if (apart)
    parts = apart->kind == Predicate::Kind::Or ? apart->operands : std::vector<Predicate>{*apart};
  if (llvm::any_of(parts, [&](const Predicate &part) { return decideOrder(store, part, fuel / 4) == Verdict::Yes; }))
    return Verdict::Yes;
  return decideDistributed(store, given, fuel / 2);
}

bool SplitProof::isFutile() {
  hasOnlyCases = predicate.operands.empty() && !store.hasOpenFactsAbout(predicate.lhs, predicate.rhs) &&
                 !isWrittenWhereItHasValues(predicate.lhs) && !isWrittenWhereItHasValues(predicate.rhs);
  if (!hasOnlyCases)
    return false;
  llvm::SmallVector<Expr> differences;
  collectDifferences(store, predicate, differences);
  bool isAboutIntegers = mayNeverBeEqual(store, predicate, differences);
  // A quotient by a large number has no cases, but may have few values.
  auto hasQuotient = [](Expr difference) { return hasAtom(difference, AtomKind::FloorDiv); };
  hasOnlyCases = !isAboutIntegers && !hasLinearSplit(differences);
  return !isAboutIntegers && findSplit(store, differences).empty() && llvm::none_of(differences, hasQuotient);
}

/// Where few values are left, no point may have shown that all parts hold, though each is easy to prove.
Verdict SplitProof::proveConjunction(FactStore &known) {
  Verdict verdict = proveParts(known, given, witnesses, fuel, seen);
  bool isRefuted =
      verdict == Verdict::Unknown && !seen.isTrue && holds(known, Predicate::negation(predicate), 2 * fuel / 3);
  return isRefuted ? Verdict::No : verdict;
}

Verdict SplitProof::proveByWholeAndParts(FactStore &known) {
  bool isTried = !seen.isFalse;
  if (isTried && holds(known, predicate, 2 * fuel / 3))
    return Verdict::Yes;
  if (witnesses) {
    Witnesses::Seen later = witnesses->look(predicate);
    seen.isTrue |= later.isTrue, seen.isFalse |= later.isFalse;
  }
  // The whole leaves something for the parts.
  unsigned fuelOfPart = fuel / (isTried ? 2 : 1);
  if (given.kind == Predicate::Kind::Or && !seen.isFalse) {
    if (holdsByImplication(known, fuelOfPart))
      return Verdict::Yes;
    // A part that holds alone would have been found, mostly.
    seen.isFalse = true;
  }
  return proveParts(known, given, witnesses, fuelOfPart, seen);
}

/// Does a part hold wherever the other one does not?
bool SplitProof::holdsByImplication(FactStore &known, unsigned fuelOfPart) {
  for (auto [assumed, asked] : {std::pair(0, 1), std::pair(1, 0)}) {
    known.forgetAnswers();
    store.getContext().refuel(fuelOfPart);
    FactStore attempt = known.makeHypothesis();
    if (!attempt.assertTrue(Predicate::negation(given.operands[assumed])))
      return true;
    store.getContext().refuel(fuelOfPart);
    if (isTrueWithSplits(attempt, given.operands[asked], /*witnesses=*/nullptr, fuelOfPart))
      return true;
  }
  return false;
}

/// What has many cases as a whole may have few in parts.
bool SplitProof::holdsAsAWhole(FactStore &known) {
  auto isTrue = [&](const Predicate &part) {
    // For what precedes the proof of a part.
    SymbolicContext::Impl::FuelSlice slice(store.getContext(), fuel / 2);
    return isTrueWithSplits(store, part, /*witnesses=*/nullptr, fuel);
  };
  if (isCommonFactorLeft() && isTrue(apart->operands.front()))
    return true;
  // Leaves something for either order.
  SymbolicContext::Impl::WorkLimit limitOfWhole(store.getContext(), 11 * fuel / 4);
  return (given.kind == Predicate::Kind::Equal && isEqualByParts(store, given, isTrue)) ||
         holds(known, predicate, fuel);
}

bool SplitProof::holdsInBothOrders(FactStore &known) {
  unsigned fuelOfOrder = fuel / 3;
  auto isAtMost = [&](Expr lhs, Expr rhs) {
    known.forgetAnswers();
    known.getContext().refuel(fuelOfOrder);
    return isTrueWithSplits(known, Predicate::lessEqual(lhs, rhs), /*witnesses=*/nullptr, fuelOfOrder);
  };
  // Where a point shows that it may be true, its opposite is not tried.
  return given.kind == Predicate::Kind::Equal && witnesses && seen.isTrue && hasValue(known, given.lhs) &&
         hasValue(known, given.rhs) && isAtMost(given.lhs, given.rhs) && isAtMost(given.rhs, given.lhs);
}

Verdict SplitProof::proveAsAWhole(FactStore &known) {
  // Most that is asked for holds, and what the first attempt leaves is for the second.
  unsigned fuelOfSecond = seen.isFalse ? fuel : fuel / 5;
  if (!seen.isFalse) {
    if (holdsAsAWhole(known))
      return Verdict::Yes;
    fuelOfSecond = std::max(fuelOfSecond, store.getContext().fuel / 3);
    if (holdsInBothOrders(known))
      return Verdict::Yes;
  }
  if (!seen.isTrue && witnesses)
    seen.isTrue = witnesses->look(predicate).isTrue;
  return !seen.isTrue && holds(known, Predicate::negation(predicate), fuelOfSecond) ? Verdict::No : Verdict::Unknown;
}

Verdict SplitProof::run(std::optional<Witnesses::Seen> alreadySeen) {
  if (Verdict verdict = decideByForms(); verdict != Verdict::Unknown)
    return verdict;
  if (!isComplete(predicate))
    return Verdict::Unknown;
  if (isCommonFactorLeft())
    limit.extend(3 * fuel / 4);
  if (isFutile())
    return Verdict::Unknown;
  NearFacts near(store, predicate);
  if (Verdict verdict = tryRemainders(near.get(), predicate, fuel / 2); verdict != Verdict::Unknown)
    return verdict;
  seen = alreadySeen.value_or(Witnesses::Seen());
  if (witnesses && !alreadySeen) {
    startQuestion(*witnesses, fuel);
    if (witnesses->lookAtEarlier(predicate).areBoth())
      return Verdict::Unknown;
    witnesses->vary(store, predicate, seen);
  }
  std::optional<FactStore> related = relateProducts(near.get(), predicate);
  FactStore &known = related ? *related : near.get();
  if (Verdict verdict = related ? known.decide(predicate) : Verdict::Unknown; verdict != Verdict::Unknown)
    return verdict;
  // Three that are broadcastable, or joined by or in another way, are for the whole.
  bool isAnd = given.kind == Predicate::Kind::And;
  if (given.operands.size() != 2 && !(isAnd && given.operands.size() == 3))
    return proveAsAWhole(known);
  limit.extend(5 * fuel / 4);
  return isAnd ? proveConjunction(known) : proveByWholeAndParts(known);
}

/// `alreadySeen` is what points have shown; nothing where they are to be looked for.
static Verdict prove(FactStore &store, const Predicate &given, Witnesses *witnesses, unsigned fuelOfAttempt,
                     std::optional<Witnesses::Seen> alreadySeen) {
  return SplitProof(store, given, witnesses, fuelOfAttempt).run(alreadySeen);
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
         isProved(known, predicate, &witnesses, SymbolicContext::Impl::fuelOfAttempt, /*isAlone=*/false);
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
