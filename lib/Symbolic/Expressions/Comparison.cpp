//===- Comparisons of values ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

using Kind = Predicate::Kind;

bool dyn::symbolic::isTotal(const Predicate &predicate) {
  auto isTotalSide = [](Expr side) { return side && isTotal(side); };
  bool isComparison = predicate.operands.empty() && predicate.kind != Kind::True && predicate.kind != Kind::False;
  return (!isComparison || (isTotalSide(predicate.lhs) && isTotalSide(predicate.rhs))) &&
         llvm::all_of(predicate.operands, [](const Predicate &operand) { return isTotal(operand); });
}

Predicate dyn::symbolic::mapSides(const Predicate &predicate, llvm::function_ref<Expr(Expr)> map) {
  Predicate result = predicate;
  result.lhs = map(predicate.lhs);
  result.rhs = map(predicate.rhs);
  for (Predicate &operand : result.operands)
    operand = mapSides(operand, map);
  return result;
}

/// Of each term that both have with the same sign, as much as both have.
static Poly getShared(Terms lhs, Terms rhs) {
  Poly shared;
  for (const Term &term : lhs) {
    int64_t other = getCoefficient(rhs, term.monomial);
    if (other != 0 && (term.coefficient < 0) == (other < 0)) {
      auto [least, most] = std::minmax(term.coefficient, other);
      shared.push_back({term.monomial, other < 0 ? most : least});
    }
  }
  return shared;
}

/// Adds each term to the side on which it is not taken away. Of an equation, which one is on the left goes by the first
/// term.
static void balance(Poly &lhs, Poly &rhs, int64_t &constant, const Poly &difference, bool isOrder) {
  // -2^63 is no coefficient, and no equation of it is turned round.
  bool isTurned = !isOrder && difference.front().coefficient < 0 && constant != INT64_MIN;
  constant = isTurned ? -constant : constant;
  lhs.clear(), rhs.clear();
  for (const Term &term : difference) {
    bool isLeft = (term.coefficient < 0) != isTurned;
    (isLeft ? lhs : rhs).push_back({term.monomial, std::abs(term.coefficient)});
  }
}

/// rule divide-order: g >= 1 and 0 <= g*P + c |- 0 <= P + floordiv(c, g)
/// rule multiply-order: g >= 1 and 0 <= P + floordiv(c, g) |- 0 <= g*P + c
/// rule divide-equation: g >= 1 and g*P + g*c == 0 |- P + c == 0
std::optional<Predicate> dyn::symbolic::shorten(const Predicate &comparison) {
  // Most questions are of two symbols.
  if (!comparison.lhs || !comparison.rhs || (comparison.lhs.isSymbol() && comparison.rhs.isSymbol()) ||
      !isTotal(comparison))
    return std::nullopt;
  bool isOrder = comparison.kind == Kind::Less || comparison.kind == Kind::LessEqual;
  Terms givenLhs = dropConstant(getTerms(comparison.lhs)), givenRhs = dropConstant(getTerms(comparison.rhs));
  // Each is looked for among the others.
  constexpr size_t mostTerms = 32;
  if (givenLhs.size() > mostTerms || givenRhs.size() > mostTerms)
    return std::nullopt;
  Poly shared = getShared(givenLhs, givenRhs);
  MaybePoly lhs = subtract(givenLhs, shared), rhs = subtract(givenRhs, shared);
  // lhs <= rhs + constant, or lhs == rhs + constant
  std::optional<int64_t> constant =
      checkedSub(getConstantTerm(getTerms(comparison.rhs)), getConstantTerm(getTerms(comparison.lhs)));
  if (constant && comparison.kind == Kind::Less)
    constant = checkedSub(*constant, 1);
  if (!lhs || !rhs || !constant || (lhs->empty() && rhs->empty()))
    return std::nullopt;
  // What else stands on one side may be one thing: `w - w floordiv 2` is `w ceildiv 2`.
  MaybePoly difference = subtract(*rhs, *lhs);
  if (difference && comparison.lhs.getNode()->depth == 0 && comparison.rhs.getNode()->depth == 0)
    balance(*lhs, *rhs, *constant, *difference, isOrder);
  int64_t content = std::gcd(getContent(*lhs), getContent(*rhs));
  if (isOrder || *constant % content == 0) {
    lhs = divideCoefficients(*lhs, content);
    rhs = divideCoefficients(*rhs, content);
    constant = checkedFloorDiv(*constant, content);
  }
  Predicate shorter = comparison;
  if (isOrder) {
    bool isStrict = *constant == -1 && !lhs->empty() && !rhs->empty();
    shorter.kind = isStrict ? Kind::Less : Kind::LessEqual;
    constant = isStrict ? 0 : *constant;
  }
  bool isOnTheRight = rhs->empty() || (constant > 0 && !lhs->empty());
  std::optional<int64_t> shown = isOnTheRight ? constant : checkedSub(0, *constant);
  SymbolicContext::Impl &context = comparison.lhs.getContext().getImpl();
  MaybePoly side = shown ? addConstant(context, isOnTheRight ? *rhs : *lhs, *shown) : std::nullopt;
  if (!side)
    return std::nullopt;
  shorter.lhs = context.getExpr(isOnTheRight ? *lhs : *side);
  shorter.rhs = context.getExpr(isOnTheRight ? *side : *rhs);
  return shorter == comparison ? std::nullopt : std::optional(std::move(shorter));
}
