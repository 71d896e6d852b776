//===- Inequalities and disequalities --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

static constexpr int64_t minusInfinity = Interval::minusInfinity;

//===----------------------------------------------------------------------===//
// Inequalities
//===----------------------------------------------------------------------===//

/// rule tighten: c >= 1 and c*E + d >= 0 |- E + floordiv(d, c) >= 0
/// rule positive-factor: m >= 1 and m*R >= 0 |- R >= 0
/// rule positive-common-factor: m >= 1 and m*R - 1 >= 0 |- R - 1 >= 0
/// rule max-below: R - max(x, y) >= 0 |- R - x >= 0 and R - y >= 0
/// rule max-above: R + max(x, y) >= 0 and R + x <= -1 |- R + y >= 0
/// rule quotient-above: Q >= 1 and floordiv(P, Q) + R >= 0 |- P + Q*R >= 0
/// rule quotient-below: Q >= 1 and R - floordiv(P, Q) >= 0 |- Q*R + Q - 1 - P >= 0
bool FactStore::assertNonNegative(Expr expr) {
  if (!expr)
    return true;
  Terms variable = dropConstant(getTerms(expr));
  int64_t constant = getConstantTerm(getTerms(expr));
  if (variable.empty())
    return constant >= 0 || contradict();
  MaybePoly divided = divideContent(context, getTerms(expr));
  if (!divided)
    return true;
  expr = context.getExpr(*divided);
  if (followsFromRanges(expr))
    return true;
  if (Expr reduced = reduceByProducts(expr); reduced != expr && prover.isAtMost(reduced, -1))
    return contradict();
  const Atom *symbol = getLinearSymbol(expr);
  // m*R >= 0 with m >= 1 says R >= 0.
  if (Expr rest = symbol ? expr : cancelNonZeroFactors(expr); rest != expr && constant == 0) {
    Expr factor =
        context.getExpr(Term{divide(context, getTerms(expr).front().monomial, getTerms(rest).front().monomial), 1});
    if (prover.isAtLeast(factor, 1))
      return assertNonNegative(rest);
  }
  // Of several terms: one product says of its factors what narrowFactors makes of it.
  if (const Monomial *factor = getCommonMonomial(context, dropConstant(getTerms(expr)));
      getConstantTerm(getTerms(expr)) == -1 && getTerms(expr).size() > 2 && !factor->isOne() &&
      prover.isAtLeast(Term{factor, 1}, 1)) {
    Poly quotient = divideMonomial(context, dropConstant(getTerms(expr)), factor);
    return assertNonNegative(builder.add(context.getExpr(quotient), context.getConstant(-1)));
  }
  Terms terms = getTerms(expr);
  variable = dropConstant(terms);
  constant = getConstantTerm(terms);
  int64_t most = prover.getUpperDownTo(terms, -1);
  if (most < 0)
    return contradict();
  bool isNew = !prover.isAtLeast(expr, 0);
  if (isNew && most == 0) {
    push(Task::Zero, expr);
    return true;
  }

  // The range of a symbol says it even where other facts do, which are not looked at wherever ranges are.
  if (symbol) {
    // The coefficient is 1 or -1, the content being out.
    Interval range;
    if (variable.front().coefficient > 0)
      range.lower = checkedSub(0, constant).value_or(minusInfinity);
    else
      range.upper = constant;
    return restrictRange(symbol, range);
  }
  if (isNew && !narrowFactors(expr))
    return false;
  for (const Term &term : isNew ? variable : Terms()) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || !isUnit(term.coefficient) || atom->isSymbol())
      continue;
    Expr rest = builder.subtract(expr, context.getExpr(term));
    if (!rest || mentions(getTerms(rest), atom))
      continue;
    // R - max(x...) >= 0 says R - x >= 0 of each.
    if (atom->kind == AtomKind::Max && term.coefficient < 0) {
      for (Expr operand : atom->operands)
        push(Task::NonNegative, builder.subtract(rest, operand));
      return true;
    }
    // R + max(x...) >= 0 says R + x >= 0 of an x, and of that x where all others are excluded.
    if (atom->kind == AtomKind::Max) {
      Expr possible;
      unsigned count = 0;
      for (Expr operand : atom->operands)
        if (Expr sum = builder.add(rest, operand); !sum || !prover.isAtMost(sum, -1)) {
          possible = sum;
          ++count;
        }
      if (count == 0)
        return contradict();
      if (count == 1 && possible) {
        push(Task::NonNegative, possible);
        return true;
      }
    }
    // floordiv(P, Q) + R >= 0 is P + Q*R >= 0; R - floordiv(P, Q) >= 0 is Q*R + Q - 1 - P >= 0.
    if (atom->kind == AtomKind::FloorDiv && prover.isAtLeast(atom->operands[1], 1)) {
      Expr product = builder.multiply(atom->operands[1], rest);
      Expr bound = term.coefficient > 0
                       ? builder.add(atom->operands[0], product)
                       : builder.subtract(builder.add(builder.add(product, atom->operands[1]), context.getConstant(-1)),
                                          atom->operands[0]);
      if (bound.isWithinBudget()) {
        push(Task::NonNegative, bound);
        // Products of the quotient with other sizes are told by what it is itself: `y*w + w <= (h floordiv 2)*w` by `y
        // < h floordiv 2`.
        constexpr size_t mostTerms = 3;
        bool isPlain = rest.getNode()->depth == 0 && atom->operands[1].getConstant();
        if (isPlain && variable.size() <= mostTerms && !contains(Inequality, expr)) {
          keep(Inequality, expr);
          changed();
          touch(expr);
        }
        return true;
      }
    }
  }
  if (isNew && !contains(Inequality, expr)) {
    keep(Inequality, expr);
    changed();
    touch(expr);
    revisitQuotients(expr);
    if (!learnOfAllFactors(Inequality, expr))
      return false;
  }
  return propagateBounds(expr);
}

/// Is it a sum of symbols that holds wherever these are in range? It narrows none of their ranges then.
/// rule sum-from-ranges: x >= a and y >= b and a + b >= 0 |- x + y >= 0
bool FactStore::followsFromRanges(Expr sum) const {
  std::optional<int64_t> lower = 0;
  for (const Term &term : getTerms(sum)) {
    const Atom *atom = term.monomial->getAtom();
    int64_t least = 1;
    if (!term.monomial->isOne()) {
      if (!atom || !atom->isSymbol())
        return false;
      Interval range = getSymbolRange(atom);
      if (term.coefficient > 0 ? !range.hasLower() : !range.hasUpper())
        return false;
      least = term.coefficient > 0 ? range.lower : range.upper;
    }
    std::optional<int64_t> part = checkedMul(term.coefficient, least);
    lower = part ? checkedAdd(*lower, *part) : std::nullopt;
    if (!lower)
      return false;
  }
  return *lower >= 0;
}

/// a*s + R >= 0 bounds s where R has an upper bound. With a product in place of s, its factors are bounded.
/// rule bound-below: a >= 1 and a*s + R >= 0 and R <= u |- s >= ceildiv(-u, a)
/// rule bound-above: a >= 1 and R - a*s >= 0 and R <= u |- s <= floordiv(u, a)
bool FactStore::propagateBounds(Expr inequality) {
  Poly terms(getTerms(inequality));
  for (const Term &term : dropConstant(terms)) {
    if (context.fuel == 0)
      break;
    if (term.monomial->degree > 1) {
      propagateToFactors(terms, term);
      continue;
    }
    const Atom *atom = term.monomial->getAtom();
    if (!atom->isSymbol() || look(atom).value)
      continue;
    Poly rest(terms);
    rest.erase(rest.begin() + (&term - terms.begin()));
    Interval range = prover.getRange(rest);
    std::optional<int64_t> least = range.hasUpper() ? checkedSub(0, range.upper) : std::nullopt;
    if (!least)
      continue;
    Interval bound;
    if (term.coefficient > 0)
      bound.lower = *checkedCeilDiv(*least, term.coefficient);
    else
      bound.upper = *checkedFloorDiv(range.upper, -term.coefficient);
    if (!restrictRange(atom, bound))
      return false;
  }
  return true;
}

/// a*m + R >= 0 for a product m of factors that are at least 0.
/// rule factors-not-zero: x >= 0 and y >= 0 and a >= 1 and a*x*y + R >= 0 and R <= -1 |- x >= 1 and y >= 1
/// rule factor-above: x >= 0 and y >= o >= 1 and a >= 1 and a*x*y <= R <= u |- x <= floordiv(floordiv(u, a), o)
void FactStore::propagateToFactors(Terms terms, const Term &product) {
  Poly rest(terms);
  rest.erase(rest.begin() + (&product - terms.begin()));
  for (const Power &power : product.monomial->getPowers())
    if (prover.getAtomRange(power.atom).lower < 0)
      return;
  Interval range = prover.getRange(rest);
  if (!range.hasUpper())
    return;
  if (product.coefficient > 0) {
    // The product is not zero.
    if (range.upper < 0)
      for (const Power &power : product.monomial->getPowers())
        push(Task::NonNegative, builder.add(context.getExpr(power.atom), context.getConstant(-1)));
    return;
  }
  int64_t most = *checkedFloorDiv(range.upper, -product.coefficient);
  for (const Power &factor : product.monomial->getPowers()) {
    Interval others{1, 1};
    for (const Power &power : product.monomial->getPowers())
      if (uint32_t exponent = power.exponent - (&power == &factor))
        others = multiply(others, symbolic::power(prover.getAtomRange(power.atom), exponent));
    if (others.lower >= 1)
      push(Task::NonNegative, builder.subtract(context.getConstant(most / others.lower), context.getExpr(factor.atom)));
  }
}

/// rule not-zero: x != 0 and x >= 0 |- x - 1 >= 0
/// rule product-not-zero: x*y != 0 |- x != 0 and y != 0
bool FactStore::assertNonZero(Expr expr) {
  if (!expr)
    return true;
  switch (decideZero(expr)) {
  case Verdict::Yes:
    return contradict();
  case Verdict::No:
    return true;
  case Verdict::Unknown:
    break;
  }
  Terms terms = getTerms(expr), variable = dropConstant(terms);
  int64_t content = getContent(variable), constant = getConstantTerm(terms);
  // decideZero has refused constants that the content does not divide.
  if (content > 1)
    expr = context.getExpr(divideCoefficients(terms, content));
  constant /= content;
  terms = getTerms(expr);
  variable = dropConstant(terms);
  if (variable.size() == 1 && isUnit(variable[0].coefficient) && constant != INT64_MIN)
    if (const Atom *atom = variable[0].monomial->getAtom(); atom && atom->isSymbol())
      return excludeValue(atom, variable[0].coefficient > 0 ? -constant : constant);
  if (terms.size() == 1) {
    for (const Power &power : terms[0].monomial->getPowers())
      push(Task::NonZero, context.getExpr(power.atom));
    if (terms[0].monomial->degree > 1)
      return true;
  }
  if (prover.isAtLeast(expr, 0)) {
    push(Task::NonNegative, builder.add(expr, context.getConstant(-1)));
    return true;
  }
  if (prover.isAtMost(expr, 0)) {
    push(Task::NonNegative, builder.add(builder.scale(expr, -1), context.getConstant(-1)));
    return true;
  }
  if (getTerms(expr).front().coefficient < 0)
    if (Expr negated = builder.scale(expr, -1))
      expr = negated;
  if (!contains(Disequality, expr)) {
    keep(Disequality, expr);
    touch(expr);
    changed();
  }
  return true;
}
