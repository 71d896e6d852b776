//===- Questions where a side has no value ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/MissingValues.h"
#include "Expressions/Polynomial.h"
#include "Solver/Integers/PointSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// Does it divide by what is 0? Asked of what was given: an inner form may have lost the division.
static bool hasNoValue(Expr given, llvm::function_ref<Expr(Expr)> getInner) {
  if (!given || given.getNode()->depth == 0)
    return false;
  return llvm::any_of(getAtoms(getTerms(given)), [&](const Atom *atom) {
    if (atom->kind == AtomKind::FloorDiv)
      if (Expr divisor = getInner(atom->operands[1]); divisor && divisor.isConstant(0))
        return true;
    return llvm::any_of(atom->operands, [&](Expr operand) { return hasNoValue(operand, getInner); });
  });
}

bool dyn::symbolic::hasNoValue(const Predicate &fact, llvm::function_ref<Expr(Expr)> getInner, bool isNegated) {
  using Kind = Predicate::Kind;
  if (fact.kind == Kind::Not)
    return hasNoValue(fact.operands.front(), getInner, !isNegated);
  auto hasNone = [&](const Predicate &operand) { return hasNoValue(operand, getInner, isNegated); };
  if (fact.kind == (isNegated ? Kind::And : Kind::Or))
    return !fact.operands.empty() && llvm::all_of(fact.operands, hasNone);
  return ::hasNoValue(fact.lhs, getInner) || ::hasNoValue(fact.rhs, getInner) || llvm::any_of(fact.operands, hasNone);
}

/// Does it say that sides are equal?
static bool isEquation(const Predicate &predicate, bool isNegated) {
  return predicate.kind == (isNegated ? Predicate::Kind::NotEqual : Predicate::Kind::Equal);
}

/// Of the opposite of a statement if `isNegated`.
static std::optional<bool> holdsWithoutValues(FactStore &store, const Predicate &predicate, bool isNegated) {
  using Kind = Predicate::Kind;
  if (predicate.kind == Kind::Not)
    return holdsWithoutValues(store, predicate.operands.front(), !isNegated);
  if (predicate.kind == Kind::And || predicate.kind == Kind::Or) {
    // By one operand that decides, or else by all.
    bool deciding = (predicate.kind == Kind::Or) != isNegated, areAll = true;
    for (const Predicate &operand : predicate.operands) {
      std::optional<bool> holds = holdsWithoutValues(store, operand, isNegated);
      if (holds == deciding)
        return deciding;
      areAll &= holds.has_value();
    }
    return areAll && !predicate.operands.empty() ? std::optional(!deciding) : std::nullopt;
  }
  auto getInner = [&](Expr divisor) { return store.getInner(divisor); };
  bool hasNoLeft = hasNoValue(predicate.lhs, getInner), hasNoRight = hasNoValue(predicate.rhs, getInner);
  if (!hasNoLeft && !hasNoRight)
    return std::nullopt;
  return !isEquation(predicate, isNegated) || hasNoLeft == hasNoRight;
}

std::optional<bool> dyn::symbolic::holdsWithoutValues(FactStore &store, const Predicate &predicate) {
  return ::holdsWithoutValues(store, predicate, /*isNegated=*/false);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

namespace {
/// What a side divides by, as factors: it has no value where one of them is 0.
using Divisors = llvm::SmallSetVector<Expr, 4>;

/// What an answer says: comparisons joined by `and` or `or`, and what their sides divide by.
struct Claim {
  Predicate comparison; ///< or a constant
  bool isEquation = false, isConjunction = false;
  Divisors left, right;
  std::vector<Claim> operands;
};
} // namespace

static void addFactors(FactStore &store, Expr divisor, Divisors &divisors) {
  SymbolicContext::Impl &context = store.getContext();
  if (Expr inner = store.getInner(divisor))
    divisor = inner;
  if (std::optional<int64_t> constant = divisor.getConstant()) {
    if (*constant == 0)
      divisors.insert(divisor);
    return;
  }
  const Monomial *common = getCommonMonomial(context, getTerms(divisor));
  for (const Power &power : common->getPowers())
    divisors.insert(context.getExpr(power.atom));
  Poly rest = divideMonomial(context, getTerms(divisor), common);
  if (isConstant(rest))
    return;
  if (MaybePoly positive = rest.front().coefficient < 0 ? scale(rest, -1) : MaybePoly(rest))
    rest = divideCoefficients(*positive, getContent(*positive));
  divisors.insert(context.getExpr(rest));
}

static Claim makeClaim(FactStore &store, const Predicate &given, const Predicate &asked, bool isNegated,
                       llvm::function_ref<Expr(Expr)> translate) {
  using Kind = Predicate::Kind;
  if (given.kind == Kind::Not)
    return makeClaim(store, given.operands.front(), asked.operands.front(), !isNegated, translate);
  Claim claim;
  if (given.kind == Kind::And || given.kind == Kind::Or) {
    claim.isConjunction = isNegated != (given.kind == Kind::And);
    for (auto [operand, askedOperand] : llvm::zip_equal(given.operands, asked.operands))
      claim.operands.push_back(makeClaim(store, operand, askedOperand, isNegated, translate));
    return claim;
  }
  claim.comparison = isNegated ? Predicate::negation(asked) : asked;
  claim.isEquation = isEquation(given, isNegated);
  auto collect = [&](Expr side, Expr askedSide, Divisors &divisors) {
    visitDivisors(side, [&](Expr divisor) { addFactors(store, translate(divisor), divisors); });
    // A symbol that stands for a quotient has a value where that has one.
    if (claim.isEquation)
      visitDivisors(store.getInner(askedSide), [&](Expr divisor) { addFactors(store, divisor, divisors); });
  };
  collect(given.lhs, asked.lhs, claim.left);
  collect(given.rhs, asked.rhs, claim.right);
  return claim;
}

static Verdict decideVanishing(FactStore &store, Expr divisor) {
  return store.decide(Predicate::equal(divisor, store.getContext().getConstant(0)));
}

static bool mayVanish(FactStore &store, Expr divisor) { return decideVanishing(store, divisor) != Verdict::No; }

/// Those of one side only.
static void collectOneSided(const Claim &claim, Divisors &divisors) {
  for (const Claim &operand : claim.operands)
    collectOneSided(operand, divisors);
  if (!claim.isEquation)
    return;
  for (auto [side, other] : {std::pair(&claim.left, &claim.right), std::pair(&claim.right, &claim.left)})
    for (Expr divisor : *side)
      if (!other->contains(divisor))
        divisors.insert(divisor);
}

/// Also where a divisor is 0.
static bool holds(FactStore &store, const Claim &claim) {
  auto holdsToo = [&](const Claim &operand) { return holds(store, operand); };
  if (!claim.operands.empty())
    return claim.isConjunction ? llvm::all_of(claim.operands, holdsToo) : llvm::any_of(claim.operands, holdsToo);
  auto vanishes = [&](Expr divisor) { return decideVanishing(store, divisor) == Verdict::Yes; };
  bool hasNoLeft = llvm::any_of(claim.left, vanishes), hasNoRight = llvm::any_of(claim.right, vanishes);
  if (hasNoLeft || hasNoRight)
    return !claim.isEquation || hasNoLeft == hasNoRight;
  Divisors oneSided;
  collectOneSided(claim, oneSided);
  return llvm::none_of(oneSided, [&](Expr divisor) { return mayVanish(store, divisor); }) &&
         store.decide(claim.comparison) == Verdict::Yes;
}

/// Of what holds wherever both sides have values.
static bool holdsWhereDivisorsVanish(FactStore &store, const Claim &claim) {
  Divisors oneSided;
  collectOneSided(claim, oneSided);
  return llvm::all_of(oneSided, [&](Expr divisor) {
    if (!mayVanish(store, divisor))
      return true;
    FactStore vanishing = store.makeHypothesis();
    return !vanishing.assertTrue(Predicate::equal(divisor, store.getContext().getConstant(0))) ||
           holds(vanishing, claim);
  });
}

/// May both sides have values? An equation says something where neither has one, too.
static bool mayHaveValues(FactStore &store, const Claim &claim) {
  auto mayHaveToo = [&](const Claim &operand) { return mayHaveValues(store, operand); };
  if (!claim.operands.empty())
    return claim.isConjunction ? llvm::all_of(claim.operands, mayHaveToo) : llvm::any_of(claim.operands, mayHaveToo);
  if (claim.isEquation)
    return true;
  std::vector<Predicate> gaps;
  for (const Divisors *side : {&claim.left, &claim.right})
    for (Expr divisor : *side) {
      if (divisor.getConstant())
        return false;
      if (mayVanish(store, divisor))
        gaps.push_back(Predicate::equal(divisor, store.getContext().getConstant(0)));
    }
  if (gaps.empty())
    return true;
  Predicate hasNone = Predicate::disjunction(std::move(gaps));
  return searchCounterexample(store, hasNone) != Feasibility::Infeasible &&
         store.makeHypothesis().assertTrue(Predicate::negation(hasNone));
}

bool dyn::symbolic::mayDivideByZero(const Predicate &predicate) {
  auto mayDivide = [](Expr side) { return side && dyn::symbolic::mayDivideByZero(side); };
  return mayDivide(predicate.lhs) || mayDivide(predicate.rhs) ||
         llvm::any_of(predicate.operands, [](const Predicate &operand) { return mayDivideByZero(operand); });
}

llvm::SmallVector<Expr, 4> dyn::symbolic::getDivisors(const Predicate &predicate) {
  Divisors divisors;
  for (Expr side : {predicate.lhs, predicate.rhs})
    visitDivisors(side, [&](Expr divisor) { divisors.insert(divisor); });
  for (const Predicate &operand : predicate.operands)
    divisors.insert_range(getDivisors(operand));
  return divisors.takeVector();
}

bool dyn::symbolic::isTrueWithoutValues(FactStore &store, const Predicate &given, const Predicate &asked,
                                        Verdict verdict, llvm::function_ref<Expr(Expr)> translate) {
  store.forgetAnswers();
  store.getContext().refuel(3 * SymbolicContext::Impl::fuelOfAttempt / 2);
  Claim claim = makeClaim(store, given, asked, verdict == Verdict::No, translate);
  return mayHaveValues(store, claim) && holdsWhereDivisorsVanish(store, claim);
}

bool dyn::symbolic::isTrueWithoutValues(FactStore &store, const Predicate &given, Verdict verdict) {
  return !mayDivideByZero(given) ||
         isTrueWithoutValues(store, given, given, verdict, [](Expr divisor) { return divisor; });
}
