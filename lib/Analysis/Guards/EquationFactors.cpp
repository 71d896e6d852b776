//===- Equations of products as equations of their factors ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "EquationFactors.h"
#include "dyn/Symbolic/Factors.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn;
using namespace dyn::symbolic;

Predicate dyn::splitFactors(const Predicate &predicate, Solver &facts) {
  Expr difference = predicate.kind == Predicate::Kind::Equal ? predicate.lhs - predicate.rhs : Expr();
  if (!difference)
    return predicate;
  // A common factor alone is what the equation shows already.
  llvm::SmallVector<Expr, 4> factors = getFactors(difference);
  auto isSum = [](Expr factor) { return !factor.isSymbol(); };
  if (llvm::count_if(factors, isSum) < 2 || !getDefinedness(predicate).empty())
    return predicate;
  // In the words of what is known by now, which may have chosen between operands of maxima.
  for (Expr &factor : factors)
    factor = facts.simplify(factor);
  Expr zero = difference.getContext().getConstant(0);
  std::vector<Predicate> cases;
  for (Expr factor : llvm::reverse(factors)) {
    Predicate isZero = Predicate::equal(factor, zero);
    if (facts.isZero(factor) != Verdict::No && !llvm::is_contained(cases, isZero))
      cases.push_back(std::move(isZero));
  }
  // None may be 0: let the equation itself be refused.
  if (cases.empty())
    return predicate;
  return cases.size() == 1 ? cases.front() : Predicate::disjunction(std::move(cases));
}
