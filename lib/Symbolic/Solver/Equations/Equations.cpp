//===- Solving equations --------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// rule indivisible: c >= 2 and 0 < d < c |- c*X + d != 0
/// rule primitive: c >= 1 and c*X == 0 |- X == 0
bool FactStore::assertZero(Expr expr) {
  if (!expr || getTerms(expr).empty())
    return true;
  // As values have them, before more is learnt from what is longer. Of both sides that are the same, nothing is left.
  expr = joinBroadcasts(builder.joinHalves(cancelNonZeroFactors(expr)));
  if (getTerms(expr).empty())
    return true;
  Terms variable = dropConstant(getTerms(expr));
  if (variable.empty())
    return contradict();
  int64_t content = getContent(variable), constant = getConstantTerm(getTerms(expr));
  if (constant % content != 0)
    return contradict();
  if (content > 1)
    expr = context.getExpr(divideCoefficients(getTerms(expr), content));
  if (!namesValue(expr) && (prover.isAtLeast(expr, 1) || prover.isAtMost(expr, -1)))
    return contradict();

  using Way = Solved (FactStore::*)(Expr);
  for (Way way : {&FactStore::solveDivisorsOfPowers, &FactStore::solveForSymbol, &FactStore::solveRemainder,
                  &FactStore::solveMultiple, &FactStore::nameQuotient, &FactStore::solveSumOfOneSign,
                  &FactStore::solveTwoSymbols, &FactStore::solveLinear, &FactStore::solvePowers,
                  &FactStore::solveFactors, &FactStore::solveForAtom, &FactStore::solveFactoring})
    if (Solved solved = (this->*way)(expr))
      return *solved;
  if (!learnFactors(expr))
    return contradict();
  learnModuli(expr);
  learnSizeModuli(expr);
  learnMultiple(expr);
  if (contradictory || !learnResidues(expr))
    return contradict();
  // A symbol of the equation may be gone now.
  if (Expr inner = getInner(expr); inner != expr) {
    push(Task::Zero, expr);
    return true;
  }
  return store(expr);
}

/// Is there a symbol that it may be solved for, and that no value mentions? It or another one gets a value: that this
/// is in range is told then, and what else is known of it is told again.
bool FactStore::namesValue(Expr equation) const {
  Terms terms = getTerms(equation);
  return llvm::any_of(terms, [&](const Term &term) {
    const Atom *symbol = getSymbolAtom(term);
    return symbol && isUnit(term.coefficient) && countUses(symbol) == 0 && llvm::none_of(terms, [&](const Term &other) {
             return &other != &term && (other.monomial->getSymbolMask() & symbol->symbolMask);
           });
  });
}

bool FactStore::store(Expr equation) {
  if (!equation || contains(Equation, equation))
    return true;
  keep(Equation, equation);
  changed();
  // Others do not rewrite.
  if (isUnit(rewritten.back().coefficient))
    refreshValues(rewritten.back());
  // An equation that rewrites needs no inequalities beside it, but for what they say about ranges.
  Expr negated = builder.scale(equation, -1);
  if (!isUnit(rewritten.back().coefficient)) {
    push(Task::NonNegative, equation);
    push(Task::NonNegative, negated);
  } else if (negated && !(propagateBounds(equation) && propagateBounds(negated))) {
    return contradict();
  }
  // Other facts may become simpler by it.
  touch(equation);
  return (learnFromProducts(equation) && learnOfAllFactors(Equation, equation)) || contradict();
}

/// Divides by the common monomial as far as its factors are not zero.
/// rule cancel-in-equation: x != 0 and x*R == 0 |- R == 0
Expr FactStore::cancelNonZeroFactors(Expr expr) {
  const Monomial *common = getCommonMonomial(context, getTerms(expr));
  llvm::SmallVector<Power, 4> powers;
  for (const Power &power : common->getPowers())
    if (prover.isNonZero(context.getExpr(power.atom)))
      powers.push_back(power);
  if (powers.empty())
    return expr;
  return context.getExpr(divideMonomial(context, getTerms(expr), context.getMonomial(powers)));
}

//===----------------------------------------------------------------------===//
// Linear equations
//===----------------------------------------------------------------------===//

/// s + R == 0 gives s the value -R.
/// rule solve: s + R == 0 |- s == -R
FactStore::Solved FactStore::solveForSymbol(Expr expr) {
  Terms terms = getTerms(expr);
  const Atom *best = nullptr;
  Poly bestRest;
  int64_t bestSign = 0;
  for (const Term &term : terms) {
    const Atom *symbol = getSymbolAtom(term);
    if (!symbol || !isUnit(term.coefficient) || (best && isLeftRather(symbol, best)))
      continue;
    Poly rest(terms);
    rest.erase(rest.begin() + (&term - terms.begin()));
    if (mentions(rest, symbol))
      continue;
    best = symbol;
    bestRest = std::move(rest);
    bestSign = term.coefficient;
  }
  if (!best)
    return std::nullopt;
  // What stays may have to be expressed by what goes (2*i == s with s the user's): then it becomes a parameter.
  for (const Atom *atom : getAtoms(bestRest)) {
    if (!atom->isSymbol() || look(atom).isParameter || !isPreferred(best, atom) ||
        look(best).symbolClass == SymbolClass::Internal)
      continue;
    const Atom *parameter = createParameter(atom, context.getExpr(atom));
    if (!assign(atom, context.getExpr(parameter)))
      return false;
  }
  Expr value = getInner(builder.scale(context.getExpr(bestRest), -bestSign));
  if (!value)
    return std::nullopt;
  // The equation was not in its last form.
  if (mentions(getTerms(value), best)) {
    push(Task::Zero, builder.subtract(context.getExpr(best), value));
    return true;
  }
  return assign(best, value);
}

/// a*x == b*y: x = (b/g)*k, y = (a/g)*k
/// rule two-symbols: u*a + v*b == 1 and a*x == b*y |- x == b*(u*y + v*x) and y == a*(u*y + v*x)
FactStore::Solved FactStore::solveTwoSymbols(Expr expr) {
  Terms terms = getTerms(expr);
  if (terms.size() != 2)
    return std::nullopt;
  const Atom *x = getSymbolAtom(terms[0]), *y = getSymbolAtom(terms[1]);
  int64_t a = terms[0].coefficient, b = terms[1].coefficient;
  if (!x || !y || (a < 0) == (b < 0))
    return std::nullopt;
  int64_t common = std::gcd(a, b);
  Expr definition = builder.floorDiv(context.getExpr(x), context.getConstant(std::abs(b) / common));
  Expr parameter = context.getExpr(createParameter(isPreferred(x, y) ? x : y, definition));
  return assign(x, builder.scale(parameter, std::abs(b) / common)) &&
         assign(y, builder.scale(parameter, std::abs(a) / common));
}

/// Makes the smallest coefficient smaller: c*s + R == 0 with t = s + floordiv(R, c), coefficient by coefficient, is
/// c*t + (R mod c) == 0.
/// rule smaller-coefficient: t == s + K and c*s + R == 0 |- c*t + R - c*K == 0
FactStore::Solved FactStore::solveLinear(Expr expr) {
  Terms terms = getTerms(expr);
  const Term *least = nullptr;
  for (const Term &term : dropConstant(terms)) {
    const Atom *symbol = getSymbolAtom(term);
    if (!symbol)
      return std::nullopt;
    int64_t size = std::abs(term.coefficient), leastSize = least ? std::abs(least->coefficient) : INT64_MAX;
    if (!least || size < leastSize || (size == leastSize && isLeftRather(getSymbolAtom(*least), symbol)))
      least = &term;
  }
  if (isUnit(least->coefficient))
    return std::nullopt;
  if (dropConstant(terms).size() == 1) {
    // The constant is a multiple: assertZero has seen to that.
    return assign(getSymbolAtom(*least), context.getConstant(-getConstantTerm(terms) / least->coefficient));
  }
  const Atom *symbol = getSymbolAtom(*least);
  Poly quotient;
  for (const Term &term : terms)
    if (term.monomial != least->monomial)
      if (std::optional<int64_t> q = checkedFloorDiv(term.coefficient, least->coefficient); q && *q != 0)
        quotient.push_back({term.monomial, *q});
  Expr definition = builder.add(context.getExpr(symbol), context.getExpr(quotient));
  Expr parameter = context.getExpr(createParameter(symbol, definition));
  Expr value = builder.subtract(parameter, context.getExpr(quotient));
  if (!value || !assign(symbol, value))
    return false;
  push(Task::Zero, expr);
  return true;
}
