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
  for (unsigned step = 0; expr && step < maximalRewrites && context.fuel > 0; ++step) {
    Expr next;
    visitEquations(getTerms(expr), [&](Expr equation, Term leading) {
      context.spend(1 + getTerms(expr).size());
      if (!isUnit(leading.coefficient))
        return false;
      for (const Term &term : getTerms(expr)) {
        const Monomial *factor = divide(context, term.monomial, leading.monomial);
        if (!factor)
          continue;
        context.spend(2 * (getTerms(expr).size() + getTerms(equation).size()));
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

/// Given `heads*d == 768`, 768 floordiv d is `heads`; given `2*p == k*d`, (2*p + 1) floordiv d is `k + 1 floordiv d`. A
/// multiple of an equation is added so that what does not mention the divisor is gone.
///
/// rule divide-by-equation: Q != 0 and E == 0 and P + c*E == Q*K + R |- floordiv(P, Q) == K + floordiv(R, Q)
Expr FactStore::divideByEquation(AtomKind kind, llvm::ArrayRef<Expr> operands) {
  if (kind != AtomKind::FloorDiv || open[Equation].empty() || !operands[0] || !operands[1] ||
      operands[1].getConstant() || !prover.isNonZero(operands[1]))
    return {};
  Expr dividend = operands[0], divisor = operands[1], result;
  visitEquations(getTerms(divisor), [&](Expr equation, Term) {
    Terms terms = getTerms(equation);
    context.spend(1 + terms.size());
    // What has no symbol of the divisor in the equation is to cancel a multiple of it in the dividend.
    auto isFree = [&](const Term &term) { return !(term.monomial->getSymbolMask() & divisor.getNode()->symbolMask); };
    const Term *free = llvm::find_if(terms, isFree);
    if (free == terms.end())
      return false;
    // Without the least number, whose quotient by -1 leaves 64 bits.
    const Term *same = llvm::find_if(getTerms(dividend), [&](const Term &term) {
      return term.coefficient != INT64_MIN && term.coefficient % free->coefficient == 0 &&
             divide(context, term.monomial, free->monomial);
    });
    if (same == getTerms(dividend).end())
      return false;
    std::optional<int64_t> factor = checkedMul(same->coefficient / free->coefficient, -1);
    const Monomial *monomial = divide(context, same->monomial, free->monomial);
    MaybePoly multiple = factor ? multiply(context, terms, Term{monomial, *factor}) : std::nullopt;
    Expr sum = multiple ? builder.add(dividend, context.getExpr(*multiple)) : Expr();
    Expr quotient = sum ? builder.floorDiv(sum, divisor) : Expr();
    size_t all = getTerms(dividend).size(), mostLeft = all - std::min<size_t>(all, llvm::count_if(terms, isFree));
    // What is left over is divided by the same; that it becomes shorter is worth another form.
    auto isShorter = [&](const Atom *atom) {
      return atom->kind != AtomKind::FloorDiv || atom->operands[1] != divisor ||
             getTerms(atom->operands[0]).size() <= mostLeft;
    };
    bool isExact = quotient && builder.multiply(quotient, divisor) == sum;
    if (!quotient || (!isExact && !llvm::all_of(getAtoms(getTerms(quotient)), isShorter)))
      return false;
    result = quotient;
    return true;
  });
  return result;
}

/// Given that p - n*w, which is a place in a row, is known to be at least 0 and below w, p floordiv w is the row n.
///
/// rule divide-between: Q >= 1 and P - K*Q >= 0 and K*Q + Q - 1 - P >= 0 |- floordiv(P, Q) == K
Expr FactStore::divideByInequality(AtomKind kind, llvm::ArrayRef<Expr> operands) {
  if (kind != AtomKind::FloorDiv || open[Inequality].empty() || !operands[0] || !operands[1] ||
      operands[1].isConstant(0))
    return {};
  constexpr size_t maximalTries = 16;
  Terms dividend = getTerms(operands[0]), divisor = getTerms(operands[1]);
  // What is left over stands in the inequality as it is.
  const Term *left = llvm::find_if(
      dividend, [&](const Term &term) { return !divide(context, term.monomial, divisor.front().monomial); });
  if (left == dividend.end())
    return {};
  llvm::SmallVector<Expr> found;
  for (Expr inequality : getInequalities(dividend, found).take_front(maximalTries)) {
    if (!llvm::is_contained(getTerms(inequality), *left))
      continue;
    MaybePoly rest = symbolic::subtract(dividend, getTerms(inequality));
    MaybePoly quotient = rest && !rest->empty() ? divideExactly(context, *rest, divisor) : std::nullopt;
    if (!quotient)
      continue;
    context.spend(rest->size());
    MaybePoly above = symbolic::subtract(divisor, getTerms(inequality));
    above = above ? addConstant(context, *above, -1) : std::nullopt;
    // A search for a bound would take more than a quotient is worth.
    if (above && contains(Inequality, context.getExpr(*above)) && prover.isAtLeast(operands[1], 1))
      return context.getExpr(*quotient);
  }
  return {};
}

/// Given `b*s*d == 768` and d >= 2, b*s is at most 384: what is subtracted is taken times the factor that the equation
/// has beside it, all else times the least value of that, and a multiple of the equation is added.
///
/// rule times-factor: c >= 0 and l >= 1 and k >= l and M >= 0 and E == 0 and l*R - c*k*M + d*E >= 0 |- R - c*M >= 0
bool FactStore::isNonNegativeByEquation(Expr expr) {
  constexpr unsigned maximalTries = 8;
  Terms terms = getTerms(expr);
  auto isSubtracted = [](const Term &term) { return term.coefficient < 0 && !term.monomial->isOne(); };
  auto isSize = [&](const Term &term) { return prover.isAtLeast(Term{term.monomial, 1}, 0); };
  auto replace = [&](const Monomial *factor) -> MaybePoly {
    int64_t least = prover.getRange(Term{factor, 1}).lower;
    if (least < 1 || !llvm::all_of(llvm::make_filter_range(terms, isSubtracted), isSize))
      return std::nullopt;
    Poly larger;
    for (const Term &term : terms) {
      std::optional<int64_t> coefficient = checkedMul(term.coefficient, isSubtracted(term) ? 1 : least);
      if (!coefficient)
        return std::nullopt;
      const Monomial *monomial = isSubtracted(term) ? context.multiply(term.monomial, factor) : term.monomial;
      larger.push_back({monomial, *coefficient});
    }
    return normalize(std::move(larger));
  };
  unsigned tries = 0;
  return visitEquations(terms, [&](Expr equation, Term) {
    context.spend(1 + terms.size());
    for (const Term &term : llvm::make_filter_range(terms, isSubtracted))
      for (const Term &product : getTerms(equation)) {
        bool isMultiple = product.monomial != term.monomial && term.coefficient % product.coefficient == 0;
        const Monomial *factor = isMultiple ? divide(context, product.monomial, term.monomial) : nullptr;
        if (!factor || ++tries > maximalTries)
          continue;
        MaybePoly larger = replace(factor);
        MaybePoly sum =
            larger ? combine(*larger, 1, getTerms(equation), -(term.coefficient / product.coefficient)) : std::nullopt;
        if (sum && prover.isAtLeast(*sum, 0))
          return true;
      }
    return false;
  });
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

/// Quotients by n*a of n dividends that are a apart make one by a, taken as often as all of them are there: of P, which
/// is a*(n*q + k) + r, they are q, and q + 1 for the last k. A prime n is enough: six are three pairs.
///
/// rule parts: 0 <= r < a and 0 <= j < n and 0 <= k < n |- floordiv(a*(n*q + k + j) + r, n*a) == q + floordiv(j + k, n)
Expr FactStore::joinParts(Expr expr) {
  constexpr int64_t primes[] = {2, 3, 5, 7, 11, 13};
  ExprBuilder factFree(context);
  Terms terms = getTerms(expr);
  for (const Term &first : terms) {
    const Atom *atom = first.monomial->getAtom();
    std::optional<int64_t> divisor =
        atom && atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
    if (!divisor || *divisor < 2 || first.coefficient == INT64_MIN)
      continue;
    int64_t quotients = llvm::count_if(terms, [&](const Term &term) {
      const Atom *other = term.monomial->getAtom();
      return other && other->kind == AtomKind::FloorDiv && other->operands[1] == atom->operands[1];
    });
    for (int64_t count : primes) {
      if (*divisor % count != 0 || quotients < count)
        continue;
      context.spend(terms.size());
      Expr step = context.getConstant(*divisor / count), dividend = atom->operands[0], parts = context.getExpr(atom);
      int64_t coefficient = first.coefficient;
      for (int64_t place = 1; place < count && coefficient != 0; ++place) {
        dividend = factFree.add(dividend, step);
        const Term *found = llvm::find_if(terms, [&](const Term &term) {
          const Atom *other = term.monomial->getAtom();
          return other && other->kind == AtomKind::FloorDiv && other->operands[0] == dividend &&
                 other->operands[1] == atom->operands[1] && (term.coefficient < 0) == (coefficient < 0);
        });
        bool isFound = found != terms.end() && found->coefficient != INT64_MIN;
        coefficient = !isFound                                               ? 0
                      : std::abs(found->coefficient) < std::abs(coefficient) ? found->coefficient
                                                                             : coefficient;
        parts = isFound ? factFree.add(parts, context.getExpr(found->monomial->getAtom())) : parts;
      }
      Expr joined = coefficient != 0 ? factFree.floorDiv(atom->operands[0], step) : Expr();
      if (Expr difference = joined && parts ? factFree.subtract(joined, parts) : Expr())
        return factFree.add(expr, factFree.scale(difference, coefficient));
    }
  }
  return expr;
}

/// Quotients by 2*a come in pairs: floordiv(P, 2*a) + floordiv(P + a, 2*a) == floordiv(P, a). The one with the larger
/// constant is replaced.
/// rule halves: a >= 1 |- floordiv(P, 2*a) + floordiv(P + a, 2*a) == floordiv(P, a)
bool FactStore::isZeroByHalves(Expr expr) {
  constexpr unsigned maximalRewrites = 16;
  ExprBuilder factFree(context);
  for (unsigned step = 0; expr && step < maximalRewrites && context.fuel > 0; ++step) {
    Expr joined = joinParts(expr);
    if (joined == expr)
      break;
    expr = joined;
  }
  auto isLargerHalf = [](const Atom *atom) {
    std::optional<int64_t> divisor = atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
    return divisor && *divisor > 0 && *divisor % 2 == 0 && getConstantTerm(getTerms(atom->operands[0])) >= *divisor / 2;
  };
  for (unsigned step = 0; expr && step < maximalRewrites && context.fuel > 0; ++step) {
    llvm::SmallVector<const Atom *, 8> atoms = getAtoms(getTerms(expr));
    const auto *larger = llvm::find_if(atoms, isLargerHalf);
    if (larger == atoms.end())
      return getTerms(expr).empty();
    context.spend(2 * ExprBuilder::costOfAtom + getTerms(expr).size());
    std::optional<LinearSplit> split = splitLinear(context, getTerms(expr), *larger);
    if (!split)
      return false;
    Expr half = context.getConstant(*(*larger)->operands[1].getConstant() / 2);
    Expr smaller = factFree.subtract((*larger)->operands[0], half);
    Expr sum = factFree.subtract(factFree.floorDiv(smaller, half), factFree.floorDiv(smaller, (*larger)->operands[1]));
    expr = factFree.add(context.getExpr(split->rest), factFree.multiply(context.getExpr(split->coefficient), sum));
  }
  return false;
}
