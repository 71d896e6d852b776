//===- Canonical divisions by a constant --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// floordiv(P, q) with constant q keeps: q >= 2; coefficients of P in (-q/2, q/2],
// the first one that is not q/2 positive; the constant in [0, q); no common factor;
// no floordiv with coefficient 1 inside.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Builder.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

static Poly getConstantPoly(SymbolicContext::Impl &context, int64_t value) {
  return value == 0 ? Poly() : Poly(1, Term{context.getOne(), value});
}

/// rule extract-multiples: q >= 1 |- floordiv(q*A + B, q) == A + floordiv(B, q)
ExprBuilder::Rewritten ExprBuilder::extractMultiples(Terms dividend, int64_t divisor) {
  Poly quotient, rest;
  for (const Term &term : dividend) {
    int64_t remainder = floorMod(term.coefficient, divisor);
    // A remainder above q/2 is a smaller negative one; the constant stays in [0, q).
    if (!term.monomial->isOne() && remainder > divisor / 2)
      remainder -= divisor;
    // Never overflows: the remainder has the sign of the coefficient or is smaller than the divisor.
    std::optional<int64_t> difference = checkedSub(term.coefficient, remainder);
    if (!difference)
      return MaybePoly();
    if (int64_t multiple = *difference / divisor)
      quotient.push_back({term.monomial, multiple});
    if (remainder != 0)
      rest.push_back({term.monomial, remainder});
  }
  if (quotient.empty())
    return {};
  MaybePoly rounded = floorDivByConstant(rest, divisor);
  return rounded ? symbolic::add(quotient, *rounded) : MaybePoly();
}

/// rule reduce-by-content: g >= 1 and q >= 1 |- floordiv(g*A + c, g*q) == floordiv(A + floordiv(c, g), q)
ExprBuilder::Rewritten ExprBuilder::reduceByContent(Terms dividend, int64_t divisor) {
  Terms variable = dropConstant(dividend);
  int64_t common = std::gcd(getContent(variable), divisor);
  if (common == 1)
    return {};
  MaybePoly reduced =
      addConstant(context, divideCoefficients(variable, common), *checkedFloorDiv(getConstantTerm(dividend), common));
  return reduced ? floorDivByConstant(*reduced, divisor / common) : MaybePoly();
}

/// rule flatten-by-expression: Q >= 1 and q >= 1 |- floordiv(floordiv(y, Q), q) == floordiv(y, q*Q)
/// rule flatten-nested: a >= 1 and q >= 1 |- floordiv(floordiv(y, a) + W, q) == floordiv(y + a*W, a*q)
/// rule flatten-negated: a >= 1 and q >= 1 |- floordiv(W - floordiv(y, a), q) == -floordiv(y + a*(q - 1 - W), a*q)
ExprBuilder::Rewritten ExprBuilder::flattenNested(Terms dividend, int64_t divisor) {
  for (const Term &term : dividend) {
    const Atom *atom = term.monomial->getAtom();
    if (!isUnit(term.coefficient) || !atom || atom->kind != AtomKind::FloorDiv)
      continue;
    std::optional<int64_t> inner = atom->operands[1].getConstant();
    if (!inner && dividend.size() == 1 && term.coefficient == 1 && prover.isAtLeast(atom->operands[1], 1) &&
        std::gcd(getContent(dropConstant(getTerms(atom->operands[0]))), divisor) > 1) {
      Expr quotient = floorDiv(atom->operands[0], scale(atom->operands[1], divisor));
      return quotient ? MaybePoly(Poly(getTerms(quotient))) : MaybePoly();
    }
    std::optional<int64_t> product = inner && *inner > 0 ? checkedMul(*inner, divisor) : std::nullopt;
    if (!product)
      continue;
    int64_t sign = term.coefficient;
    MaybePoly rest = Poly(dividend);
    rest->erase(rest->begin() + (&term - dividend.begin()));
    if (sign < 0)
      rest = addConstant(context, *rest, 1 - divisor);
    MaybePoly flat = rest ? combine(getTerms(atom->operands[0]), 1, *rest, sign * *inner) : std::nullopt;
    if (MaybePoly rounded = flat ? floorDivByConstant(*flat, *product) : std::nullopt)
      return symbolic::scale(*rounded, sign);
  }
  return {};
}

/// rule orient: q >= 1 |- floordiv(-P, q) == -floordiv(P + q - 1, q)
/// rule orient-half: True |- floordiv(x + 1, 2) == x - floordiv(x, 2)
/// rule half-of-either-sign: a >= 1 |- floordiv(P + a*x, 2*a) == x + floordiv(P - a*x, 2*a)
ExprBuilder::Rewritten ExprBuilder::orient(Terms dividend, int64_t divisor) {
  bool flip = false, onlyHalves = true;
  for (const Term &term : dropConstant(dividend)) {
    // q/2 and -q/2 are the same remainder, so the sign of such a term says nothing.
    if (divisor % 2 == 0 && term.coefficient == divisor / 2)
      continue;
    flip = term.coefficient < 0;
    onlyHalves = false;
    break;
  }
  // With no other terms the divisor is 2, the content being out: floordiv(x + 1, 2) = x - floordiv(x, 2)
  flip |= onlyHalves && getConstantTerm(dividend) != 0;
  if (!flip)
    return {};
  MaybePoly negated = symbolic::scale(dividend, -1);
  negated = negated ? addConstant(context, *negated, divisor - 1) : std::nullopt;
  MaybePoly rounded = negated ? floorDivByConstant(*negated, divisor) : std::nullopt;
  return rounded ? symbolic::scale(*rounded, -1) : MaybePoly();
}

/// rule fold-by-range: q >= 1 and l <= P <= u and floordiv(l, q) == floordiv(u, q) |- floordiv(P, q) == floordiv(l, q)
ExprBuilder::Rewritten ExprBuilder::foldByRange(Terms dividend, int64_t divisor) {
  std::optional<int64_t> quotient = prover.getOnlyQuotient(dividend, 0, divisor);
  return quotient ? Rewritten(getConstantPoly(context, *quotient)) : std::nullopt;
}

/// A coefficient and the one that is `divisor` away give the same quotient but for a multiple of the monomial, and a
/// range may show with the other one only: x - 4*floordiv(x, 4), whose -4 is 4 modulo 8, lies in [0, 3].
/// rule fold-variants: q >= 1 |- floordiv(P, q) == floordiv(P + q*M, q) - M
ExprBuilder::Rewritten ExprBuilder::foldVariants(Terms dividend, int64_t divisor) {
  llvm::SmallVector<Term, 4> choices;
  for (const Term &term : dropConstant(dividend)) {
    bool compound =
        llvm::any_of(term.monomial->getPowers(), [](const Power &power) { return !power.atom->isSymbol(); });
    Term choice{term.monomial, term.coefficient > 0 ? -1 : 1};
    // Facts about symbols show more as long as there is effort for it, and where no other term has to make up for it.
    auto isSmall = [&] {
      Interval range = prover.getRange(Terms(choice), /*usesInequalities=*/false);
      Interval moved =
          symbolic::multiply(range, {divisor - std::abs(term.coefficient), divisor - std::abs(term.coefficient)});
      return moved.hasAtMost(divisor);
    };
    if (compound || (usesFacts() && context.fuel > 0 && isSmall()))
      choices.push_back(choice);
  }
  // Which of many would go by their order, which names decide.
  constexpr size_t maximalChoices = 3;
  if (choices.size() > maximalChoices)
    choices.clear();
  for (unsigned set = 0; set < 1u << choices.size(); ++set) {
    Poly moved;
    for (const auto &[index, choice] : llvm::enumerate(choices))
      if (set >> index & 1)
        moved.push_back(choice);
    MaybePoly variant = combine(dividend, 1, moved, divisor);
    if (!variant)
      continue;
    Rewritten folded = foldByRange(*variant, divisor);
    if (!folded)
      folded = dropSmallPart(*variant, divisor);
    if (folded)
      return *folded ? symbolic::subtract(**folded, moved) : MaybePoly();
  }
  return {};
}

/// rule drop-small-part: g >= 1 and h >= 1 and g*k <= B < g*k + g |- floordiv(g*A + B, g*h) == floordiv(g*A + g*k, g*h)
ExprBuilder::Rewritten ExprBuilder::dropSmallPart(Terms dividend, int64_t divisor) {
  llvm::SmallVector<int64_t, 4> factors;
  for (const Term &term : dividend)
    if (int64_t factor = std::gcd(term.coefficient, divisor); factor > 1 && !llvm::is_contained(factors, factor))
      factors.push_back(factor);
  for (int64_t factor : factors)
    // Divisions belong to either part: in y - 4*floordiv(y, 4), which is small, the second term is a multiple of 4.
    for (bool divisionsAreSmall : {false, true}) {
      Poly multiples, rest;
      for (const Term &term : dropConstant(dividend)) {
        const Atom *atom = term.monomial->getAtom();
        bool isDivision = atom && atom->kind == AtomKind::FloorDiv;
        bool isMultiple = term.coefficient % factor == 0 && !(divisionsAreSmall && isDivision);
        (isMultiple ? multiples : rest).push_back(term);
      }
      if (rest.empty() || multiples.empty())
        continue;
      // The constant goes with the small part as far as it is no multiple.
      int64_t constant = getConstantTerm(dividend), remainder = floorMod(constant, factor);
      std::optional<int64_t> block = prover.getOnlyQuotient(rest, remainder, factor);
      if (!block)
        continue;
      std::optional<int64_t> offset = checkedMul(*block, factor);
      offset = offset ? checkedAdd(*offset, constant - remainder) : std::nullopt;
      if (MaybePoly reduced = offset ? addConstant(context, multiples, *offset) : std::nullopt)
        return floorDivByConstant(*reduced, divisor);
    }
  return {};
}

static size_t countQuotients(Terms terms) {
  return llvm::count_if(terms, [](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return atom && atom->kind == AtomKind::FloorDiv;
  });
}

/// Half of a sum that is `y ceildiv 2` is `y - y floordiv 2`, so what named sizes stand for may be a sum of quotients
/// where one says the same: of `y == x ceildiv 2` and `z == y ceildiv 2`, z is `x ceildiv 4`.
///
/// rule join-halves: a >= 1 |- floordiv(P, a) - floordiv(P, 2*a) == floordiv(P + a, 2*a)
MaybePoly ExprBuilder::joinHalves(Terms terms) {
  for (const Term &term : terms) {
    const Atom *atom = term.monomial->getAtom();
    std::optional<int64_t> divisor =
        atom && atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
    if (!divisor || *divisor < 4 || *divisor % 2 != 0 || term.coefficient == INT64_MIN)
      continue;
    // Without facts, by which the same would be looked for in each of many quotients.
    Expr half = ExprBuilder(context).floorDiv(atom->operands[0], context.getConstant(*divisor / 2));
    MaybePoly rest = combine(terms, 1, term, -1);
    rest = half && rest ? combine(*rest, 1, getTerms(half), term.coefficient) : std::nullopt;
    if (!rest || countQuotients(*rest) + 1 >= countQuotients(terms))
      continue;
    MaybePoly shifted = addConstant(context, getTerms(atom->operands[0]), *divisor / 2);
    MaybePoly other = shifted ? floorDivByConstant(*shifted, *divisor) : std::nullopt;
    return other ? combine(*rest, 1, *other, -term.coefficient) : std::nullopt;
  }
  return std::nullopt;
}

Expr ExprBuilder::joinHalves(Expr expr) {
  constexpr unsigned maximalSteps = 8;
  for (unsigned step = 0; step < maximalSteps && countQuotients(getTerms(expr)) > 1; ++step) {
    MaybePoly joined = joinHalves(getTerms(expr));
    Expr next = joined ? intern(joined) : Expr();
    if (!next)
      break;
    expr = next;
  }
  return expr;
}

/// rule divide-by-one: True |- floordiv(P, 1) == P
MaybePoly ExprBuilder::floorDivByConstant(Terms dividend, int64_t divisor) {
  if (isConstant(dividend)) {
    std::optional<int64_t> quotient = checkedFloorDiv(getConstantTerm(dividend), divisor);
    return quotient ? getConstantPoly(context, *quotient) : MaybePoly();
  }
  if (divisor == 1)
    return Poly(dividend);
  if (countQuotients(dividend) > 1)
    if (MaybePoly joined = joinHalves(dividend))
      return floorDivByConstant(*joined, divisor);
  // 1 and -1 are the same remainder of 2, but not the same nested quotient: halving a ceildiv gives a ceildiv.
  if (divisor == 2)
    if (Rewritten result = flattenNested(dividend, divisor))
      return *result;
  if (Rewritten result = extractMultiples(dividend, divisor))
    return *result;
  if (Rewritten result = reduceByContent(dividend, divisor))
    return *result;
  if (Rewritten result = flattenNested(dividend, divisor))
    return *result;
  if (Rewritten result = orient(dividend, divisor))
    return *result;
  if (Rewritten result = foldVariants(dividend, divisor))
    return *result;
  Expr atom = makeAtom(AtomKind::FloorDiv, {context.getExpr(dividend), context.getConstant(divisor)});
  return atom ? Poly(getTerms(atom)) : MaybePoly();
}
