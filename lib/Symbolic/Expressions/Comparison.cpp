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

namespace {
/// lhs <= rhs + constant, or lhs == rhs + constant; no constant is in the sides.
struct Sides {
  Poly lhs, rhs;
  int64_t constant;
};
} // namespace

/// Puts each term where it is added. Of an equation, which side is on the left goes by the first term.
static Sides balance(const Sides &sides, const Poly &difference, bool isOrder) {
  // -2^63 has no opposite.
  bool isTurned = !isOrder && difference.front().coefficient < 0 && sides.constant != INT64_MIN;
  Sides balanced{{}, {}, isTurned ? -sides.constant : sides.constant};
  for (const Term &term : difference) {
    bool isLeft = (term.coefficient < 0) != isTurned;
    (isLeft ? balanced.lhs : balanced.rhs).push_back({term.monomial, std::abs(term.coefficient)});
  }
  return balanced;
}

/// Without what both share, nor a factor that all terms have.
///
/// rule divide-order: g >= 1 and 0 <= g*P + c |- 0 <= P + floordiv(c, g)
/// rule multiply-order: g >= 1 and 0 <= P + floordiv(c, g) |- 0 <= g*P + c
/// rule divide-equation: g >= 1 and g*P + g*c == 0 |- P + c == 0
static std::optional<Sides> getSides(const Predicate &comparison, bool isOrder) {
  Terms lhs = dropConstant(getTerms(comparison.lhs)), rhs = dropConstant(getTerms(comparison.rhs));
  // Each is looked for among the others.
  constexpr size_t mostTerms = 32;
  if (lhs.size() > mostTerms || rhs.size() > mostTerms)
    return std::nullopt;
  Poly shared = getShared(lhs, rhs);
  MaybePoly left = subtract(lhs, shared), right = subtract(rhs, shared);
  MaybePoly difference = left && right ? subtract(*right, *left) : std::nullopt;
  std::optional<int64_t> constant =
      checkedSub(getConstantTerm(getTerms(comparison.rhs)), getConstantTerm(getTerms(comparison.lhs)));
  if (constant && comparison.kind == Kind::Less)
    constant = checkedSub(*constant, 1);
  if (!difference || !constant || difference->empty())
    return std::nullopt;
  Sides sides{*std::move(left), *std::move(right), *constant};
  // What else stands on one side may be one thing: `w - w floordiv 2` is `w ceildiv 2`.
  if (comparison.lhs.getNode()->depth == 0 && comparison.rhs.getNode()->depth == 0)
    sides = balance(sides, *difference, isOrder);
  int64_t content = std::gcd(getContent(sides.lhs), getContent(sides.rhs));
  if (isOrder || sides.constant % content == 0)
    sides = {divideCoefficients(sides.lhs, content), divideCoefficients(sides.rhs, content),
             *checkedFloorDiv(sides.constant, content)};
  return sides;
}

std::optional<Predicate> dyn::symbolic::shorten(const Predicate &comparison) {
  // Most questions are of two symbols.
  if (!comparison.lhs || !comparison.rhs || (comparison.lhs.isSymbol() && comparison.rhs.isSymbol()) ||
      !isTotal(comparison))
    return std::nullopt;
  bool isOrder = comparison.kind == Kind::Less || comparison.kind == Kind::LessEqual;
  std::optional<Sides> sides = getSides(comparison, isOrder);
  if (!sides)
    return std::nullopt;
  auto &[lhs, rhs, constant] = *sides;
  Predicate shorter = comparison;
  if (isOrder) {
    bool isStrict = constant == -1 && !lhs.empty() && !rhs.empty();
    shorter.kind = isStrict ? Kind::Less : Kind::LessEqual;
    constant += isStrict;
  }
  bool isOnTheRight = rhs.empty() || (constant > 0 && !lhs.empty());
  std::optional<int64_t> shown = isOnTheRight ? constant : checkedSub(0, constant);
  SymbolicContext::Impl &context = comparison.lhs.getContext().getImpl();
  MaybePoly side = shown ? addConstant(context, isOnTheRight ? rhs : lhs, *shown) : std::nullopt;
  if (!side)
    return std::nullopt;
  shorter.lhs = context.getExpr(isOnTheRight ? lhs : *side);
  shorter.rhs = context.getExpr(isOnTheRight ? *side : rhs);
  return shorter == comparison ? std::nullopt : std::optional(std::move(shorter));
}
