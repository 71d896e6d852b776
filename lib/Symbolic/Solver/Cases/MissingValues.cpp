//===- Questions where a side has no value ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/MissingValues.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace dyn::symbolic;

/// Does it divide by what is 0? Asked of what was given: an inner form may have lost the division.
static bool hasNoValue(FactStore &store, Expr given) {
  if (!given || given.getNode()->depth == 0)
    return false;
  return llvm::any_of(getAtoms(getTerms(given)), [&](const Atom *atom) {
    if (atom->kind == AtomKind::FloorDiv)
      if (Expr divisor = store.getInner(atom->operands[1]); divisor && divisor.isConstant(0))
        return true;
    return llvm::any_of(atom->operands, [&](Expr operand) { return hasNoValue(store, operand); });
  });
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
  bool hasNoLeft = hasNoValue(store, predicate.lhs), hasNoRight = hasNoValue(store, predicate.rhs);
  if (!hasNoLeft && !hasNoRight)
    return std::nullopt;
  return !isEquation(predicate, isNegated) || hasNoLeft == hasNoRight;
}

std::optional<bool> dyn::symbolic::holdsWithoutValues(FactStore &store, const Predicate &predicate) {
  return ::holdsWithoutValues(store, predicate, /*isNegated=*/false);
}

using Divisors = llvm::SmallSetVector<Expr, 4>;

/// Of quotients, those inside of divisors among them.
static void collectDivisors(Expr given, Divisors &divisors) {
  if (!given || given.getNode()->depth == 0)
    return;
  for (const Atom *atom : getAtoms(getTerms(given))) {
    if (atom->kind == AtomKind::FloorDiv && !atom->operands[1].getConstant())
      divisors.insert(atom->operands[1]);
    for (Expr operand : atom->operands)
      collectDivisors(operand, divisors);
  }
}

/// Divisors of one side of an equation only.
static void collectDivisorsOfOneSide(const Predicate &predicate, bool isNegated, Divisors &divisors) {
  for (const Predicate &operand : predicate.operands)
    collectDivisorsOfOneSide(operand, isNegated != (predicate.kind == Predicate::Kind::Not), divisors);
  if (!isEquation(predicate, isNegated))
    return;
  Divisors left, right;
  collectDivisors(predicate.lhs, left);
  collectDivisors(predicate.rhs, right);
  for (auto [side, other] : {std::pair(&left, &right), std::pair(&right, &left)})
    for (Expr divisor : *side)
      if (!other->contains(divisor))
        divisors.insert(divisor);
}

bool dyn::symbolic::isEqualWhereDivisorsVanish(FactStore &store, const Predicate &predicate) {
  Divisors divisors;
  collectDivisorsOfOneSide(predicate, /*isNegated=*/false, divisors);
  Expr zero = store.getContext().getConstant(0);
  return llvm::all_of(divisors, [&](Expr divisor) {
    if (store.decide(Predicate::notEqual(divisor, zero)) == Verdict::Yes)
      return true;
    FactStore vanishing = store.makeHypothesis();
    if (!vanishing.assertTrue(Predicate::equal(divisor, zero)))
      return true;
    std::optional<bool> holds = holdsWithoutValues(vanishing, predicate);
    // Of a disjunction, another alternative may hold there.
    return holds ? *holds : !predicate.operands.empty() && vanishing.decide(predicate) == Verdict::Yes;
  });
}
