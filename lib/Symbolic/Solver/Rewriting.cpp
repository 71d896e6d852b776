//===- Equations that rewrite --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Total degree of the atoms of that depth.
static uint32_t getDegree(const Monomial *monomial, uint16_t depth) {
  uint32_t degree = 0;
  for (const Power &power : monomial->getPowers())
    degree += power.atom->depth == depth ? power.exponent : 0;
  return degree;
}

/// Which of two monomials does an equation rewrite? The one with the most deeply nested atoms, so that rewriting inside
/// of atoms too comes to an end: b == max(b, t) + floordiv(s, b) does not rewrite b. Then the one of higher degree,
/// then that of the less important symbols. The order is compatible with multiplication.
bool FactStore::isRewrittenRather(const Monomial *a, const Monomial *b, uint16_t depth) {
  for (int level = depth; level > 0; --level)
    if (uint32_t first = getDegree(a, level), second = getDegree(b, level); first != second)
      return first > second;
  if (a->degree != b->degree)
    return a->degree > b->degree;
  const Atom *least = nullptr;
  for (const Monomial *monomial : {a, b})
    for (const Power &power : monomial->getPowers())
      if (power.atom->isSymbol() && a->getExponent(power.atom) != b->getExponent(power.atom) &&
          (!least || isPreferred(least, power.atom)))
        least = power.atom;
  return least ? a->getExponent(least) > b->getExponent(least) : compare(a, b) < 0;
}

Term FactStore::getRewrittenTerm(Expr equation) {
  Terms terms = getTerms(equation);
  const Term *best = &terms.front();
  for (const Term &term : terms.drop_front())
    if (isRewrittenRather(term.monomial, best->monomial, equation.getNode()->depth))
      best = &term;
  return *best;
}

/// Rewrites products by the equations that could not be solved: with B*S == 12*D, 3*B*S becomes 36*D.
/// rule rewrite: M + R == 0 |- c*f*M + S == S - c*f*R
Expr FactStore::reduceByEquations(Expr expr) {
  constexpr unsigned maximalRewrites = 32;
  for (unsigned step = 0; expr && step < maximalRewrites; ++step) {
    Expr next;
    visitEquations(getTerms(expr), [&](Expr equation, Term leading) {
      context.spend(1 + getTerms(expr).size());
      if (!isUnit(leading.coefficient))
        return false;
      for (const Term &term : getTerms(expr)) {
        const Monomial *factor = divide(context, term.monomial, leading.monomial);
        if (!factor)
          continue;
        MaybePoly multiple = multiply(context, getTerms(equation), Term{factor, term.coefficient});
        MaybePoly difference =
            multiple ? combine(getTerms(expr), 1, *multiple, leading.coefficient > 0 ? -1 : 1) : std::nullopt;
        if (difference) {
          next = context.getExpr(*difference);
          return true;
        }
      }
      return false;
    });
    if (!next)
      return expr;
    expr = next;
  }
  return expr;
}

/// As above, where leading coefficients are no units: a multiple of the expression is reduced.
/// rule multiple-is-zero: a != 0 and a*X + b*E == 0 and E == 0 |- X == 0
bool FactStore::isZeroByEquations(Expr expr) {
  constexpr unsigned maximalRewrites = 16;
  Poly rest(getTerms(expr));
  for (unsigned step = 0; step < maximalRewrites; ++step) {
    bool reduced = visitEquations(rest, [&](Expr equation, Term leading) {
      context.spend(1 + rest.size());
      for (const Term &term : rest) {
        const Monomial *factor = divide(context, term.monomial, leading.monomial);
        if (!factor)
          continue;
        int64_t common = getContent({Term{nullptr, term.coefficient}, Term{nullptr, leading.coefficient}});
        MaybePoly multiple = multiply(context, getTerms(equation), Term{factor, term.coefficient / common});
        std::optional<int64_t> negated = checkedMul(leading.coefficient / common, -1);
        MaybePoly difference = multiple && negated ? combine(rest, *negated, *multiple, 1) : std::nullopt;
        if (!difference)
          continue;
        rest = std::move(*difference);
        return true;
      }
      return false;
    });
    if (rest.empty())
      return true;
    if (!reduced)
      return false;
  }
  return false;
}

/// Quotients by 2*a come in pairs: floordiv(P, 2*a) + floordiv(P + a, 2*a) == floordiv(P, a). The one with the larger
/// constant is replaced.
/// rule halves: a >= 1 |- floordiv(P, 2*a) + floordiv(P + a, 2*a) == floordiv(P, a)
bool FactStore::isZeroByHalves(Expr expr) {
  constexpr unsigned maximalRewrites = 16;
  ExprBuilder factFree(context);
  auto isLargerHalf = [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    std::optional<int64_t> divisor =
        atom && atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
    return divisor && *divisor > 0 && *divisor % 2 == 0 && getConstantTerm(getTerms(atom->operands[0])) >= *divisor / 2;
  };
  for (unsigned step = 0; expr && step < maximalRewrites && context.fuel > 0; ++step) {
    Terms terms = getTerms(expr);
    const Term *larger = llvm::find_if(terms, isLargerHalf);
    if (larger == terms.end())
      return terms.empty();
    context.spend(2 * ExprBuilder::costOfAtom);
    const Atom *atom = larger->monomial->getAtom();
    Expr half = context.getConstant(*atom->operands[1].getConstant() / 2);
    Expr smaller = factFree.subtract(atom->operands[0], half);
    Expr sum = factFree.subtract(factFree.floorDiv(smaller, half), factFree.floorDiv(smaller, atom->operands[1]));
    Expr rest = factFree.subtract(expr, context.getExpr(*larger));
    expr = factFree.add(rest, factFree.scale(sum, larger->coefficient));
  }
  return false;
}
