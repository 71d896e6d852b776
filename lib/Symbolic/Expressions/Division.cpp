//===- Canonical divisions by an expression -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Builder.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;
using Operation = SymbolicContext::Impl::Operation;

//===----------------------------------------------------------------------===//
// By an expression
//===----------------------------------------------------------------------===//

/// rule cancel-factor: x != 0 and Q != 0 |- floordiv(x*P, x*Q) == floordiv(P, Q)
/// rule cancel-sign: Q != 0 |- floordiv(-P, -Q) == floordiv(P, Q)
bool ExprBuilder::cancelCommonFactors(Poly &dividend, Poly &divisor, llvm::function_ref<bool(const Atom *)> mayCancel) {
  bool changed = false;
  int64_t content = std::gcd(getContent(dividend), getContent(divisor));
  if (content > 1) {
    dividend = divideCoefficients(dividend, content);
    divisor = divideCoefficients(divisor, content);
    changed = true;
  }
  const Monomial *common =
      getCommonMonomial(context, getCommonMonomial(context, dividend), getCommonMonomial(context, divisor));
  llvm::SmallVector<Power, 4> powers;
  for (const Power &power : common->getPowers())
    if (mayCancel(power.atom))
      powers.push_back(power);
  if (!powers.empty()) {
    common = context.getMonomial(powers);
    dividend = divideMonomial(context, dividend, common);
    divisor = divideMonomial(context, divisor, common);
    changed = true;
  }
  if (divisor.front().coefficient < 0 && !prover.isAtLeast(divisor, 1)) {
    MaybePoly negatedDividend = symbolic::scale(dividend, -1), negatedDivisor = symbolic::scale(divisor, -1);
    if (negatedDividend && negatedDivisor) {
      dividend = std::move(*negatedDividend);
      divisor = std::move(*negatedDivisor);
      changed = true;
    }
  }
  return changed;
}

/// Null where no term of the dividend is known to be a multiple of the divisor, and where that may be 0.
/// rule known-multiple: Q != 0 and s == Q*k |- floordiv(s*A + B, Q) == A*floordiv(s, Q) + floordiv(B, Q)
Expr ExprBuilder::extractKnownMultiples(Expr dividend, Expr divisor) {
  for (const Term &term : getTerms(dividend)) {
    const Monomial *multiple = prover.findMultiple(term.monomial, divisor);
    // The multiple alone is the quotient that stands in all others.
    if (!multiple || (getTerms(dividend).size() == 1 && term.monomial == multiple && term.coefficient == 1))
      continue;
    if (!prover.isNonZero(divisor))
      return {};
    Expr quotient = makeAtom(AtomKind::FloorDiv, {context.getExpr(Term{multiple, 1}), divisor});
    const Monomial *others = divide(context, term.monomial, multiple);
    return add(multiply(context.getExpr(Term{others, term.coefficient}), quotient),
               floorDiv(subtract(dividend, context.getExpr(term)), divisor));
  }
  return {};
}

/// rule divide-zero: Q != 0 |- floordiv(0, Q) == 0
/// rule divide-by-leading-term: Q != 0 |- floordiv(A*Q + B, Q) == A + floordiv(B, Q)
/// rule small-dividend: 0 <= P < Q |- floordiv(P, Q) == 0
/// rule small-negative-dividend: -Q <= P < 0 |- floordiv(P, Q) == -1
/// rule nested-by-expressions: a >= 1 and Q >= 1 |- floordiv(floordiv(y, a), Q) == floordiv(y, a*Q)
/// rule content-by-expression: g >= 1 and Q >= 1 |- floordiv(g*A + c, g*Q) == floordiv(A + floordiv(c, g), Q)
/// rule content-of-divisor: g >= 1 and Q >= 1 |- floordiv(P, g*Q) == floordiv(floordiv(P, Q), g)
/// rule negative-expression: Q <= -1 |- floordiv(P, Q) == floordiv(-P, -Q)
/// rule orient-by-expression: Q >= 1 |- floordiv(-P, Q) == -floordiv(P + Q - 1, Q)
Expr ExprBuilder::floorDivByTerms(Expr dividend, Expr divisor) {
  if (divisor.isConstant(0))
    return makeAtom(AtomKind::FloorDiv, {dividend, divisor});
  if (dividend.isConstant(0) && prover.isNonZero(divisor))
    return dividend;
  if (!dividend.isConstant(0)) {
    Poly top(getTerms(dividend)), bottom(getTerms(divisor));
    // A factor that may be 0 stays: the quotient has no value there.
    auto isNonZeroAtom = [&](const Atom *atom) { return prover.isNonZero(context.getExpr(atom)); };
    if (cancelCommonFactors(top, bottom, isNonZeroAtom))
      return floorDiv(context.getExpr(top), context.getExpr(bottom));
    // By a positive leading term: what is left has no negative multiple of it, which would be turned round below.
    int64_t sign = bottom.front().coefficient < 0 ? -1 : 1;
    MaybePoly leading = symbolic::scale(bottom, sign);
    std::optional<Division> division = leading ? divideByLeadingTerm(context, top, *leading) : std::nullopt;
    if (division && !division->quotient.empty() && prover.isNonZero(divisor))
      return add(scale(context.getExpr(division->quotient), sign),
                 floorDiv(context.getExpr(division->remainder), divisor));
    if (Expr extracted = extractKnownMultiples(dividend, divisor))
      return extracted;
    if (auto smaller = divideBroadcast(dividend, divisor); smaller && prover.isNonZero(divisor))
      return floorDiv(smaller->first, smaller->second);
  }
  bool positive = prover.isAtLeast(divisor, 1);
  if (positive) {
    // 0 <= P < Q and -Q <= P < 0.
    MaybePoly difference = symbolic::subtract(getTerms(dividend), getTerms(divisor));
    MaybePoly sum = symbolic::add(getTerms(dividend), getTerms(divisor));
    if (difference && prover.isAtMost(*difference, -1) && prover.isAtLeast(dividend, 0))
      return context.getConstant(0);
    if (sum && prover.isAtLeast(*sum, 0) && prover.isAtMost(dividend, -1))
      return context.getConstant(-1);
    // floordiv(floordiv(y, a), Q) = floordiv(y, a*Q), but where y is split by Q, which may lead back.
    const Atom *atom = getTerms(dividend).size() == 1 && getTerms(dividend)[0].coefficient == 1
                           ? getTerms(dividend)[0].monomial->getAtom()
                           : nullptr;
    if (atom && atom->kind == AtomKind::FloorDiv && prover.isAtLeast(atom->operands[1], 1))
      if (std::optional<Division> division =
              divideByLeadingTerm(context, getTerms(atom->operands[0]), getTerms(divisor));
          division && division->quotient.empty())
        if (Expr product = multiply(atom->operands[1], divisor))
          return floorDiv(atom->operands[0], product);
    // Constants divide last: what is known of quotients by constants is exact.
    if (int64_t content = getContent(getTerms(divisor)); content > 1) {
      int64_t common = std::gcd(getContent(dropConstant(getTerms(dividend))), content);
      std::optional<int64_t> constant = checkedFloorDiv(getConstantTerm(getTerms(dividend)), common);
      MaybePoly reduced =
          addConstant(context, divideCoefficients(dropConstant(getTerms(dividend)), common), constant.value_or(0));
      Expr primitive = context.getExpr(divideCoefficients(getTerms(divisor), content));
      return reduced ? floorDiv(floorDiv(context.getExpr(*reduced), primitive), context.getConstant(content / common))
                     : Expr();
    }
    // floordiv(-P, Q) = -floordiv(P + Q - 1, Q)
    if (!dividend.isConstant(0) && getTerms(dividend).front().coefficient < 0) {
      MaybePoly negated = symbolic::subtract(getTerms(divisor), getTerms(dividend));
      negated = negated ? addConstant(context, *negated, -1) : std::nullopt;
      if (negated && negated->front().coefficient > 0)
        return scale(floorDiv(context.getExpr(*negated), divisor), -1);
    }
  }
  if (!positive && prover.isAtMost(divisor, -1))
    return floorDiv(scale(dividend, -1), scale(divisor, -1));
  Interval range = symbolic::floorDiv(prover.getRange(dividend), prover.getRange(divisor));
  if (range.isSingleton() && prover.isNonZero(divisor))
    return context.getConstant(range.lower);
  return makeAtom(AtomKind::FloorDiv, {dividend, divisor});
}

/// rule negative-divisor: q <= -1 |- floordiv(P, q) == floordiv(-P, -q)
Expr ExprBuilder::floorDiv(Expr dividend, Expr divisor) {
  if (!dividend || !divisor)
    return {};
  auto compute = [&]() -> Expr {
    std::optional<int64_t> constant = divisor.getConstant();
    if (!constant || *constant == 0 || *constant == INT64_MIN)
      return floorDivByTerms(dividend, divisor);
    if (*constant > 0)
      return intern(floorDivByConstant(getTerms(dividend), *constant));
    MaybePoly negated = symbolic::scale(getTerms(dividend), -1);
    return negated ? intern(floorDivByConstant(*negated, -*constant)) : Expr();
  };
  return usesFacts() ? compute() : context.remember(Operation::FloorDiv, dividend, divisor, compute);
}

/// rule ceildiv: q != 0 |- ceildiv(P, q) == -floordiv(-P, q)
Expr ExprBuilder::ceilDiv(Expr dividend, Expr divisor) { return scale(floorDiv(scale(dividend, -1), divisor), -1); }

/// rule mod: q != 0 |- mod(P, q) == P - q*floordiv(P, q)
Expr ExprBuilder::mod(Expr dividend, Expr divisor) {
  // By 0 there is no remainder, though nothing is left of the product.
  if (dividend && divisor && divisor.isConstant(0))
    return add(dividend, floorDiv(divisor, divisor));
  return subtract(dividend, multiply(divisor, floorDiv(dividend, divisor)));
}

//===----------------------------------------------------------------------===//
// Exact
//===----------------------------------------------------------------------===//

/// rule bcast-is-multiple: y != 0 |- mod(bcast(x, y), y) == 0
/// rule factor-by-factor: y != 0 and Q != 0 and s == y*k |- floordiv(s*A, y*Q) == floordiv(k*A, Q)
std::optional<std::pair<Expr, Expr>> ExprBuilder::divideBroadcast(Expr dividend, Expr divisor) {
  if (divisor.getConstant())
    return std::nullopt;
  const Monomial *common = getCommonMonomial(context, getTerms(dividend));
  for (const Power &power : common->getPowers()) {
    if (power.atom->kind != AtomKind::Bcast)
      continue;
    const Monomial *bcast = context.getMonomial(power.atom);
    for (Expr operand : power.atom->operands) {
      if (operand.getConstant())
        continue;
      MaybePoly rest = divideExactly(context, getTerms(divisor), getTerms(operand));
      if (!rest)
        continue;
      Expr quotient = makeAtom(AtomKind::ExactDiv, {context.getExpr(power.atom), operand});
      Poly others = divideMonomial(context, getTerms(dividend), bcast);
      return std::pair(multiply(context.getExpr(others), quotient), context.getExpr(*rest));
    }
  }
  return std::nullopt;
}

/// rule exact-by-constant: Q != 0 and P == Q*k |- floordiv(P, Q) == k
/// rule exact-cancel: x*Q != 0 and x*P == x*Q*k |- P == Q*k
/// rule exact-leading-term: Q != 0 and A*Q + B == Q*k |- B == Q*(k - A)
Expr ExprBuilder::exactDiv(Expr dividend, Expr divisor) {
  if (!dividend || !divisor)
    return {};
  if (divisor.isConstant(0))
    return makeAtom(AtomKind::ExactDiv, {dividend, divisor});
  // The two agree where exactdiv has a value, and floordiv has more rules.
  if (divisor.getConstant())
    return floorDiv(dividend, divisor);
  if (dividend.isConstant(0))
    return dividend;
  auto compute = [&]() -> Expr {
    Poly top(getTerms(dividend)), bottom(getTerms(divisor));
    if (cancelCommonFactors(top, bottom, [](const Atom *) { return true; }))
      return exactDiv(context.getExpr(top), context.getExpr(bottom));
    if (std::optional<Division> division = divideByLeadingTerm(context, top, bottom))
      if (!division->quotient.empty())
        return add(context.getExpr(division->quotient), exactDiv(context.getExpr(division->remainder), divisor));
    // exactdiv(bcast(x, y), y) itself is an atom.
    if (auto smaller = divideBroadcast(dividend, divisor))
      return smaller->second.isConstant(1) ? smaller->first : exactDiv(smaller->first, smaller->second);
    return makeAtom(AtomKind::ExactDiv, {dividend, divisor});
  };
  return usesFacts() ? compute() : context.remember(Operation::ExactDiv, dividend, divisor, compute);
}
