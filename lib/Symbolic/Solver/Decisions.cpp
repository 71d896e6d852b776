//===- What facts decide without cases ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Expressions/FactorPairs.h"
#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// rule constant-not-multiple: c >= 2 and 0 < d < c |- c*X + d != 0
/// rule product-of-not-zeros: x != 0 and y != 0 |- x*y != 0
Verdict FactStore::decideZero(Expr expr) {
  if (!expr)
    return Verdict::Unknown;
  if (std::optional<int64_t> constant = expr.getConstant())
    return *constant == 0 ? Verdict::Yes : Verdict::No;
  Terms terms = getTerms(expr), variable = dropConstant(terms);
  int64_t content = getContent(variable), constant = getConstantTerm(terms);
  if (constant % content != 0)
    return Verdict::No;
  Expr primitive = content > 1 ? context.getExpr(divideCoefficients(terms, content)) : expr;
  if (contains(Disequality, primitive) || contains(Disequality, builder.scale(primitive, -1)))
    return Verdict::No;
  int64_t least = prover.getLowerUpTo(getTerms(primitive), 1), most = prover.getUpperDownTo(getTerms(primitive), -1);
  if (least > 0 || most < 0)
    return Verdict::No;
  if (least == 0 && most == 0)
    return Verdict::Yes;
  // Whether a quotient by a size is at least 1 is another question than whether it is at least 0.
  llvm::SmallVector<Expr> divisors = getSizesThatDivide(primitive);
  bool areDefined = llvm::all_of(divisors, [&](Expr divisor) { return prover.isNonZero(divisor); });
  Expr negated = builder.scale(primitive, -1);
  auto isAtLeastZero = [&](Expr side, int64_t bound) {
    return bound == 0 || (!divisors.empty() && prover.isAtLeast(side, 0)) || followsFromExcluded(side);
  };
  if (areDefined && negated && isAtLeastZero(primitive, least) && isAtLeastZero(negated, most))
    return Verdict::Yes;
  if (variable.size() == 1 && !variable[0].monomial->isOne()) {
    const Atom *atom = variable[0].monomial->getAtom();
    if (atom && atom->isSymbol()) {
      std::optional<int64_t> root = checkedFloorDiv(constant, variable[0].coefficient);
      if (root && *root != INT64_MIN && llvm::is_contained(look(atom).notEqual, -*root))
        return Verdict::No;
    }
  }
  if ((!open[Equation].empty() && isZeroByEquations(primitive)) || isZeroByHalves(primitive))
    return Verdict::Yes;
  if (Expr reduced = reduceByProducts(primitive); reduced != primitive)
    return decideZero(reduced);
  // A product is not zero where no factor is.
  const Monomial *common = getCommonMonomial(context, getTerms(primitive));
  if (!common->isOne()) {
    Expr rest = context.getExpr(divideMonomial(context, getTerms(primitive), common));
    bool factorsNonZero = llvm::all_of(
        common->getPowers(), [&](const Power &power) { return prover.isNonZero(context.getExpr(power.atom)); });
    if (factorsNonZero && decideZero(rest) == Verdict::No)
      return Verdict::No;
  }
  return Verdict::Unknown;
}

/// Does an excluded value lie right before, down to which it is known? `s >= t` and `s != t` say so of `s - t - 1`.
/// rule next-value: x >= 0 and x != 0 |- x - 1 >= 0
bool FactStore::followsFromExcluded(Expr expr) {
  if (!expr || open[Disequality].empty() || context.fuel == 0)
    return false;
  Expr before = builder.add(expr, context.getConstant(1)), negated = builder.scale(before, -1);
  context.spend(getTerms(expr).size());
  return (contains(Disequality, before) || contains(Disequality, negated)) &&
         (prover.isAtLeast(before, 0) || followsFromExcluded(before));
}

/// Are the factors of one product no larger than those of another one, which is all that the expression consists of?
/// Bounds of sums find that too, but take all there is to know of each factor.
///
/// rule order-of-products: a >= 0 and a <= b and c >= 0 and c <= d |- 0 <= b*d - a*c
bool FactStore::isOrderOfProducts(Expr expr) {
  constexpr uint32_t highestDegree = 3;
  Terms terms = getTerms(expr), products = dropConstant(terms);
  if (products.size() != 2 || getConstantTerm(terms) < 0)
    return false;
  const auto &[large, small] =
      products[0].coefficient > 0 ? std::pair(products[0], products[1]) : std::pair(products[1], products[0]);
  uint32_t degree = large.monomial->degree;
  if (large.coefficient <= 0 || small.coefficient >= 0 || small.coefficient < -large.coefficient || degree < 2 ||
      degree > highestDegree || small.monomial->degree != degree)
    return false;
  SymbolicContext::Impl::FuelSlice slice(context, context.fuel / 4);
  Factors most = listFactors(large.monomial), least = listFactors(small.monomial);
  auto isSize = [&](const Atom *factor) { return prover.isAtLeast(context.getExpr(factor), 0); };
  return llvm::all_of(most, isSize) && llvm::all_of(least, isSize) &&
         canPairFactors(least, most, [&](const Atom *smaller, const Atom *larger) {
           return prover.isAtLeast(builder.subtract(context.getExpr(larger), context.getExpr(smaller)), 0);
         });
}

Verdict FactStore::decideNonNegative(Expr expr) {
  if (!expr)
    return Verdict::Unknown;
  expr = builder.joinHalves(expr);
  if (isOrderOfProducts(expr) || prover.isAtLeast(expr, 0))
    return Verdict::Yes;
  if (prover.isAtMost(expr, -1))
    return Verdict::No;
  if (followsFromExcluded(expr))
    return Verdict::Yes;
  Expr opposite = builder.add(builder.scale(expr, -1), context.getConstant(-1));
  if (followsFromExcluded(opposite))
    return Verdict::No;
  if (Expr reduced = reduceByProducts(expr); reduced != expr)
    return decideNonNegative(reduced);
  if (!open[Equation].empty() && isNonNegativeByEquation(expr))
    return Verdict::Yes;
  // A hypothesis is near its question already.
  if (hypothetical || open[Inequality].empty())
    return Verdict::Unknown;
  if (followsFromChain(expr))
    return Verdict::Yes;
  return opposite && followsFromChain(opposite) ? Verdict::No : Verdict::Unknown;
}

Verdict FactStore::decide(const Predicate &predicate) {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
  case Kind::True:
    return Verdict::Yes;
  case Kind::False:
    return Verdict::No;
  case Kind::Not:
  case Kind::And:
  case Kind::Or:
    return decideByParts(predicate, [&](const Predicate &part) { return decide(part); });
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::LessEqual:
  case Kind::Less:
    break;
  }
  Expr difference = joinBroadcasts(getInner(builder.subtract(predicate.rhs, predicate.lhs)));
  switch (predicate.kind) {
  case Kind::Equal:
    return decideZero(difference);
  case Kind::NotEqual:
    return negate(decideZero(difference));
  case Kind::LessEqual:
    return decideNonNegative(difference);
  default:
    return decideNonNegative(builder.add(difference, context.getConstant(-1)));
  }
}

Interval FactStore::getMonomialRange(const Monomial *monomial) {
  Interval range{1, 1};
  for (const Power &factor : monomial->getPowers())
    range = multiply(range, power(prover.getAtomRange(factor.atom), factor.exponent));
  return range;
}

std::pair<int64_t, int64_t> FactStore::getCongruence(Expr expr) {
  int64_t constant = getConstantTerm(getTerms(expr)), modulus = getContent(dropConstant(getTerms(expr)));
  return modulus == 0 ? std::pair<int64_t, int64_t>(0, constant) : std::pair(modulus, floorMod(constant, modulus));
}
