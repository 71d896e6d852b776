//===- Bounds of products by one known inequality after another ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Places in flattened tensors, such as `(i*m + j)*p + k` for i < n, j < m and k < p,
// are below the number of elements n*m*p. The search for several inequalities tries
// each of them times each product, and does not get that deep. Here the leading
// products go one after another: n*m*p - i*m*p by n - i - 1, which leaves m*p, and so
// on.
//
//===----------------------------------------------------------------------===//

#include "Bounds/BoundSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// What is to get smaller: the degree, how many products have it, and how many terms there are.
static std::tuple<uint32_t, size_t, size_t> measure(Terms terms) {
  uint32_t degree = terms.empty() ? 0 : terms.front().monomial->degree;
  size_t leading = llvm::count_if(terms, [&](const Term &term) { return term.monomial->degree == degree; });
  return {degree, leading, terms.size()};
}

/// What quotients of one dividend say of each other: that of the row is that of the plane times h, and less than h.
/// rule nested-quotient: q >= 1 and h >= 1 |- floordiv(P, q) - h*floordiv(P, q*h) >= 0
/// rule nested-quotient-below: q >= 1 and h >= 1 |- floordiv(P, q) - h*floordiv(P, q*h) <= h - 1
void BoundProver::Search::addNestedQuotients(Terms terms, llvm::SmallVectorImpl<Expr> &facts) {
  llvm::SmallVector<const Atom *, 8> quotients = getAtoms(terms);
  llvm::erase_if(quotients, [](const Atom *atom) {
    return atom->kind != AtomKind::FloorDiv || getTerms(atom->operands[1]).size() != 1;
  });
  auto isPositive = [&](const Term &term) { return term.coefficient > 0 && getInterval(term.monomial).lower >= 1; };
  for (const Atom *inner : quotients)
    for (const Atom *outer : quotients) {
      const Term &small = getTerms(inner->operands[1])[0], &large = getTerms(outer->operands[1])[0];
      if (inner == outer || inner->operands[0] != outer->operands[0] || !isPositive(small) ||
          large.coefficient % small.coefficient != 0)
        continue;
      const Monomial *ratio = divide(context, large.monomial, small.monomial);
      if (!ratio || !isPositive({ratio, large.coefficient / small.coefficient}))
        continue;
      context.spend(16);
      Term height{ratio, large.coefficient / small.coefficient};
      MaybePoly product = multiply(context, getTerms(context.getExpr(outer)), height);
      MaybePoly row = product ? combine(getTerms(context.getExpr(inner)), 1, *product, -1) : std::nullopt;
      MaybePoly least = row ? combine(height, 1, *row, -1) : std::nullopt;
      MaybePoly rest = least ? combine(*least, 1, Term{context.getOne(), 1}, -1) : std::nullopt;
      if (!rest)
        continue;
      facts.push_back(context.getExpr(*row));
      facts.push_back(context.getExpr(*rest));
    }
}

/// Calls `visit` with what a multiple of a fact leaves of the terms without one of their leading products, for each
/// that there is, as long as there is effort.
/// rule reduce-by-multiple: F >= 0 and b >= 0 and q >= 0 |- T >= T - b*q*F
void BoundProver::Search::forEachReduction(Terms terms, llvm::ArrayRef<Expr> facts,
                                           llvm::function_ref<void(Poly &rest)> visit) {
  uint32_t degree = terms.front().monomial->degree;
  for (const Term &term : terms) {
    if (term.monomial->degree < degree)
      break;
    for (Expr fact : facts) {
      if (isOutOfFuel())
        return;
      context.spend(1);
      for (const Term &factTerm : dropConstant(getTerms(fact))) {
        bool hasSameSign = (term.coefficient < 0) == (factTerm.coefficient < 0);
        if (!hasSameSign || term.coefficient == INT64_MIN || term.coefficient % factTerm.coefficient != 0 ||
            (factTerm.monomial->getSymbolMask() & ~term.monomial->getSymbolMask()) != 0)
          continue;
        const Monomial *factor = divide(context, term.monomial, factTerm.monomial);
        if (!factor || getInterval(factor).lower < 0)
          continue;
        context.spend(2 + terms.size() + getTerms(fact).size());
        MaybePoly multiple = multiply(context, getTerms(fact), Term{factor, term.coefficient / factTerm.coefficient});
        MaybePoly rest = multiple ? combine(terms, 1, *multiple, -1) : std::nullopt;
        if (rest)
          visit(*rest);
      }
    }
  }
}

/// With one multiple after another, as long as what is left gets smaller.
int64_t BoundProver::Search::reduceProducts(Terms terms, int64_t goal) {
  constexpr unsigned maximalSteps = 8, levelOfRest = 2;
  llvm::SmallVector<Expr> found, facts;
  addNestedQuotients(terms, facts);
  llvm::append_range(facts, prover.facts->getInequalities(terms, found));
  Poly current(terms);
  auto findSmaller = [&](Terms from) {
    std::optional<Poly> least;
    forEachReduction(from, facts, [&](Poly &rest) {
      if (measure(rest) < measure(least ? Terms(*least) : Terms(current)))
        least = std::move(rest);
    });
    return least;
  };
  unsigned steps = maximalSteps;
  auto reduce = [&](std::optional<Poly> next) {
    for (; next && !isOutOfFuel(); next = findSmaller(current)) {
      current = std::move(*next);
      if (--steps == 0 || isConstant(current))
        break;
    }
    return isOutOfFuel() ? Interval::minusInfinity : getLower(current, goal, levelOfRest);
  };
  int64_t bound = Interval::minusInfinity;
  if (std::optional<Poly> next = findSmaller(current))
    bound = reduce(std::move(next));
  if (bound >= goal || steps == 0 || isConstant(current) || isOutOfFuel())
    return bound;
  std::optional<Poly> next = exchangeProducts(current, facts, findSmaller);
  return next ? std::max(bound, reduce(std::move(next))) : bound;
}

/// What gets smaller only after other products have come in for leading ones: of n*m*p - x, where x has a name and is
/// less than (i*m + j + 1)*p, i*m*p comes in for n*m*p by n - i - 1, and goes by what is known of x.
std::optional<Poly> BoundProver::Search::exchangeProducts(Terms terms, llvm::ArrayRef<Expr> facts,
                                                          llvm::function_ref<std::optional<Poly>(Terms)> findSmaller) {
  constexpr size_t maximalExchanges = 8, maximalTerms = 4, maximalFacts = 12;
  auto [degree, leading, size] = measure(terms);
  if (degree < 2 || size > maximalTerms || facts.size() > maximalFacts)
    return std::nullopt;
  std::vector<Poly> exchanged;
  auto exchange = [&, degree = degree, leading = leading](Terms from) {
    forEachReduction(from, facts, [&](Poly &rest) {
      auto [degreeOfRest, leadingOfRest, sizeOfRest] = measure(rest);
      if (degreeOfRest == degree && leadingOfRest == leading && exchanged.size() < maximalExchanges)
        exchanged.push_back(std::move(rest));
    });
  };
  exchange(terms);
  for (size_t index = 0; index < exchanged.size(); ++index) {
    Poly other = exchanged[index];
    if (std::optional<Poly> smaller = findSmaller(other))
      return smaller;
    if (exchanged.size() < maximalExchanges)
      exchange(other);
  }
  return std::nullopt;
}

/// Of quotients by one size, times that size: each is less than 1 off, and all of them are integers.
/// rule common-divisor: q >= 1 and P - R + q*S >= 0 |- floordiv(P, q) - floordiv(R, q) + S >= 0
/// rule common-divisor-of-sum: q >= 1 and P + R - q + 1 + q*S >= 0 |- floordiv(P, q) + floordiv(R, q) + S >= 0
int64_t BoundProver::Search::multiplyByDivisor(Terms terms, int64_t goal) {
  constexpr unsigned levelOfProduct = 2;
  auto getDivisor = [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    bool isQuotient = atom && atom->kind == AtomKind::FloorDiv && !atom->operands[1].getConstant();
    return isQuotient ? atom->operands[1] : Expr();
  };
  llvm::SmallVector<Expr, 2> divisors;
  for (const Term &term : terms)
    if (Expr divisor = getDivisor(term); divisor && !llvm::is_contained(divisors, divisor))
      divisors.push_back(divisor);
  for (Expr divisor : divisors) {
    Terms q = getTerms(divisor);
    context.spend(8 * terms.size());
    if (getIntervalLower(q) < 1)
      continue;
    // What is left and the goal, times q; the quotients, as low as they may be; and q - 1, since q*T > -q makes T >= 0.
    MaybePoly sum = combine(q, 1, Term{context.getOne(), 1}, -1);
    Poly rest;
    for (const Term &term : terms) {
      if (getDivisor(term) != divisor) {
        rest.push_back(term);
        continue;
      }
      sum = sum ? combine(*sum, 1, getTerms(term.monomial->getAtom()->operands[0]), term.coefficient) : sum;
      if (sum && term.coefficient > 0 && (sum = combine(*sum, 1, q, -term.coefficient)))
        sum = combine(*sum, 1, Term{context.getOne(), 1}, term.coefficient);
    }
    MaybePoly above = combine(rest, 1, Term{context.getOne(), 1}, -goal);
    MaybePoly product = above ? multiply(context, *above, q) : above;
    sum = sum && product ? combine(*sum, 1, *product, 1) : std::nullopt;
    if (sum && getLower(*sum, 0, levelOfProduct) >= 0)
      return goal;
  }
  return Interval::minusInfinity;
}

/// Of two quotients of one dividend the one by the smaller divisor is larger, or as large. Below 0 that is so of -1
/// alone: `a ceildiv b` has `(a - 1) floordiv b` in it.
///
/// rule smaller-divisor: Q >= 1 and D >= Q and P >= -1 |- floordiv(P, Q) - floordiv(P, D) >= 0
int64_t BoundProver::Search::compareDivisors(Terms terms, int64_t goal) {
  constexpr unsigned levelOfPart = 2;
  auto getQuotient = [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return atom && atom->kind == AtomKind::FloorDiv ? atom : nullptr;
  };
  for (const Term &larger : terms)
    for (const Term &smaller : terms) {
      const Atom *above = getQuotient(larger), *below = getQuotient(smaller);
      if (!above || !below || above == below || larger.coefficient <= 0 || smaller.coefficient != -larger.coefficient ||
          above->operands[0] != below->operands[0])
        continue;
      Terms divisor = getTerms(above->operands[1]), dividend = getTerms(above->operands[0]);
      MaybePoly difference = combine(getTerms(below->operands[1]), 1, divisor, -1);
      context.spend(8 * terms.size());
      if (!difference || getIntervalLower(divisor) < 1 || getLower(*difference, 0, levelOfPart) < 0 ||
          getLower(dividend, -1, levelOfPart) < -1)
        continue;
      Poly rest;
      for (const Term &term : terms)
        if (&term != &larger && &term != &smaller)
          rest.push_back(term);
      return getLower(rest, goal, levelOfPart) >= goal ? goal : Interval::minusInfinity;
    }
  return Interval::minusInfinity;
}

/// A quotient is at least a size where its dividend is at least that many divisors, and at most where it is less than
/// one divisor more. So it goes without anything being lost; another one by the same size may be what it is compared
/// with.
/// rule quotient-at-least: q >= 1 and P + q*S >= 0 |- floordiv(P, q) + S >= 0
/// rule quotient-at-most: q >= 1 and q*S + q - 1 - P >= 0 |- S - floordiv(P, q) >= 0
int64_t BoundProver::Search::compareQuotients(Terms terms, int64_t goal) {
  constexpr unsigned levelOfProduct = 3, maximalQuotients = 4;
  unsigned quotients = 0;
  for (const Term &term : terms) {
    const Atom *atom = term.monomial->getAtom();
    bool isQuotient = atom && atom->kind == AtomKind::FloorDiv && isUnit(term.coefficient);
    if (!isQuotient || atom->operands[1].getConstant() || quotients == maximalQuotients)
      continue;
    Terms divisor = getTerms(atom->operands[1]), dividend = getTerms(atom->operands[0]);
    bool isElsewhere =
        llvm::any_of(terms, [&](const Term &other) { return &other != &term && mentions(Poly{other}, atom); });
    context.spend(8 * terms.size());
    if (isElsewhere || getIntervalLower(divisor) < 1)
      continue;
    ++quotients;
    Poly rest(terms);
    rest.erase(rest.begin() + (&term - terms.begin()));
    MaybePoly above = combine(rest, 1, Term{context.getOne(), 1}, -goal);
    MaybePoly product = above ? multiply(context, *above, divisor) : std::nullopt;
    MaybePoly sum = product ? combine(*product, 1, dividend, term.coefficient) : std::nullopt;
    if (sum && term.coefficient < 0 && (sum = combine(*sum, 1, divisor, 1)))
      sum = addConstant(context, *sum, -1);
    if (sum && getLower(*sum, 0, levelOfProduct) >= 0)
      return goal;
  }
  return Interval::minusInfinity;
}
