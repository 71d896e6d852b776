//===- Sizes on the way through floats ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Exporters write ceildiv(s, 8) as Cast, Div, Ceil, Cast. What floats give there is
// an exact quotient if no rounding moves it over, to or from a multiple of 1/2,
// because that is all that rounding to integers looks at. Let P be the bits of the
// type's mantissa (24 or 53) and N / D the exact quotient of integers.
//
// - If D is a power of two and |N| <= 2^P, the type holds N / D.
// - Rounded once, N / D is off by at most |N| / D * 2^-P. What is not a multiple of
//   1/2 is at least 1 / (2 * D) away from one, which is more if |N| < 2^(P-1).
//   Multiples of 1/2 are held by the type, and rounding keeps the order.
// - A constant c that is the nearest float of p / q, off by a factor of at most
//   1 + 2^-(P+1), adds half as much again: |N| < 2^(P-2) is enough. A multiple of
//   1/2 is then off by less than half the distance to the next float.
//
// The bounds of N are required where a size depends on the quotient.
//
// A target T divided by a symbolic size S and multiplied by S again, which is how
// scales of Resize are made and used, is rounded four times, S twice to the same
// float. It is off from T by less than T / 2^22, so that cut to an integer it may be
// T - 1, as 1 / 41 * 41 is 0 in f32; not T, unless T is a multiple of S.
//
//===----------------------------------------------------------------------===//

#include "ElementEvaluator.h"
#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dyn;
using namespace dyn::relations;
using namespace dyn::symbolic;
using Kind = ElementValue::Kind;

namespace {
struct Fraction {
  int64_t numerator, denominator;
};
} // namespace

/// Larger powers of two below the line, and larger denominators of decimal fractions, are not looked for.
static constexpr int64_t mostParts = int64_t(1) << 20, mostDecimalParts = 1000;

/// The value of a float, where it is a fraction of few bits.
static std::optional<Fraction> getFraction(double value, int64_t limit) {
  int64_t denominator = 1;
  while (value != std::trunc(value) && denominator < mostParts) {
    value *= 2;
    denominator *= 2;
  }
  if (value != std::trunc(value) || !(std::fabs(value) <= static_cast<double>(limit)))
    return std::nullopt;
  return Fraction{static_cast<int64_t>(value), denominator};
}

/// The fraction of small parts that a positive float stands for, such as 1/10.
static std::optional<Fraction> getMeantFraction(double value, int64_t limit) {
  if (!(value >= 1.0 / mostDecimalParts && value <= mostDecimalParts))
    return std::nullopt;
  for (int64_t denominator = 3; denominator <= mostDecimalParts; ++denominator) {
    double numerator = std::round(value * static_cast<double>(denominator));
    double error = std::fabs(std::fma(value, static_cast<double>(denominator), -numerator));
    if (numerator >= 1 && error <= numerator / (2.0 * static_cast<double>(limit)))
      return Fraction{static_cast<int64_t>(numerator), denominator};
  }
  return std::nullopt;
}

ElementValue ElementEvaluator::getQuotient(const ElementValue &element, Type type) {
  std::optional<int64_t> limit = getExactLimit(type);
  if (!limit || element.kind == Kind::Quotient)
    return limit ? element : ElementValue();
  if (element.isInteger()) {
    ElementValue quotient = ElementValue::getQuotient(element.integer, 1, /*isExact=*/true);
    quotient.addMagnitudes({{element.integer, *limit}});
    return quotient;
  }
  std::optional<Fraction> fraction = element.kind == Kind::Number ? getFraction(element.number, *limit) : std::nullopt;
  return fraction ? ElementValue::getQuotient(constant(fraction->numerator), fraction->denominator, true)
                  : ElementValue();
}

ElementValue ElementEvaluator::scale(const ElementValue &factor, Expr by, int64_t divisor, int64_t limit,
                                     bool isExact) {
  if (divisor < 0)
    by = -by, divisor = -divisor;
  std::optional<int64_t> common = by ? by.getConstant() : std::nullopt;
  if (common && *common != 0) {
    int64_t shared = std::gcd(*common, divisor);
    by = constant(*common / shared);
    divisor /= shared;
  }
  if (divisor > mostParts || factor.getDivisor() > mostParts)
    return {};
  ElementValue result = ElementValue::getQuotient(factor.integer * by, factor.getDivisor() * divisor, isExact);
  result.addMagnitudes(factor.getMagnitudes());
  result.addMagnitudes({{result.integer, limit}});
  return result;
}

ElementValue ElementEvaluator::evaluateQuotients(const ElementValue &lhs, const ElementValue &rhs) {
  ElementValue l = getQuotient(lhs, elementType), r = getQuotient(rhs, elementType);
  std::optional<int64_t> limit = getExactLimit(elementType);
  if (!limit || (l.isUnknown() && r.isUnknown()))
    return {};
  if (isa<MulOp, DivOp>(op)) {
    bool isSwapped = isa<MulOp>(op) && l.isUnknown();
    if (isSwapped)
      std::swap(l, r);
    const ElementValue &other = isSwapped ? lhs : rhs;
    if (l.isUnknown() || !l.isExact)
      return {};
    // By a constant that is meant to be a fraction.
    if (r.isUnknown()) {
      double value = other.kind == Kind::Number ? other.number : 0;
      std::optional<Fraction> meant = getMeantFraction(std::fabs(value), *limit);
      if (!meant)
        return {};
      if (isa<DivOp>(op))
        std::swap(meant->numerator, meant->denominator);
      int64_t sign = value < 0 ? -1 : 1;
      return scale(l, constant(sign * meant->numerator), meant->denominator, *limit / 4 - 1, /*isExact=*/false);
    }
    if (!r.isExact)
      return {};
    if (isa<MulOp>(op)) {
      ElementValue result = scale(l, r.integer, r.getDivisor(), *limit, /*isExact=*/true);
      result.addMagnitudes(r.getMagnitudes());
      return result;
    }
    std::optional<int64_t> divisor = r.integer.getConstant();
    if (!divisor)
      return divideWhole(l, r, *limit);
    if (*divisor == 0)
      return {};
    bool isExact = llvm::isPowerOf2_64(std::abs(*divisor));
    return scale(l, constant(r.getDivisor()), *divisor, isExact ? *limit : *limit / 2 - 1, isExact);
  }
  if (!isa<AddOp, SubOp, MinOp, MaxOp>(op) || l.isUnknown() || r.isUnknown() || l.getDivisor() > mostParts ||
      r.getDivisor() > mostParts || (isa<AddOp, SubOp>(op) && !(l.isExact && r.isExact)))
    return {};
  int64_t divisor = std::lcm(l.getDivisor(), r.getDivisor());
  Expr first = l.integer * (divisor / l.getDivisor()), second = r.integer * (divisor / r.getDivisor());
  Expr integer = isa<AddOp>(op)      ? first + second
                 : isa<SubOp>(op)    ? first - second
                 : !first || !second ? Expr()
                 : isa<MinOp>(op)    ? symbolic::min({first, second})
                                     : symbolic::max({first, second});
  ElementValue result = ElementValue::getQuotient(integer, divisor, l.isExact && r.isExact);
  result.addMagnitudes(l.getMagnitudes());
  result.addMagnitudes(r.getMagnitudes());
  if (isa<AddOp, SubOp>(op))
    result.addMagnitudes({{integer, *limit}});
  return result;
}

bool ElementEvaluator::isPositiveSize(Expr divisor) {
  if (isAtLeast(divisor, 1))
    return true;
  return relations.decidesSizes(op->getResult(0)) && relations.areKnownAtEntry(divisor) && isPositive(divisor);
}

ElementValue ElementEvaluator::divideWhole(const ElementValue &lhs, const ElementValue &rhs, int64_t limit) {
  Expr times = exactDiv(lhs.integer, rhs.integer);
  // An exact division claims what is asked here: times its divisor it is the dividend, whatever that is.
  if (!times || getTree(times)->contains(ExprTree::Kind::ExactDiv) ||
      !relations.isKnownEqual(times * rhs.integer, lhs.integer) || !isPositiveSize(rhs.integer))
    return {};
  ElementValue factor = lhs;
  factor.integer = times;
  ElementValue result = scale(factor, constant(rhs.getDivisor()), 1, limit, /*isExact=*/true);
  result.addMagnitudes(rhs.getMagnitudes());
  return result;
}

/// What becomes of `target / size` and of that times `size` again, as exporters compute scales and Resize its sizes.
ElementValue ElementEvaluator::evaluateRatios(const ElementValue &lhs, const ElementValue &rhs) {
  if (isa<DivOp>(op)) {
    std::optional<int64_t> limit = getExactLimit(elementType);
    Expr target = getWhole(lhs, limit.value_or(0), relations), size = rhs.getInteger();
    if (!limit || !target || !size || !isAtLeast(target, 0) || !isAtLeast(size, 0))
      return {};
    return ElementValue::getRatio(target, size);
  }
  if (!isa<MulOp>(op) || (lhs.kind != Kind::Ratio && rhs.kind != Kind::Ratio))
    return {};
  const ElementValue &ratio = lhs.kind == Kind::Ratio ? lhs : rhs;
  const ElementValue &other = lhs.kind == Kind::Ratio ? rhs : lhs;
  if (!other.isInteger() || !relations.isKnownEqual(other.integer, ratio.getOver()) || !isPositiveSize(ratio.getOver()))
    return {};
  ElementValue result = ratio;
  result.kind = Kind::Near;
  return result;
}

ElementValue ElementEvaluator::evaluateNear(const ElementValue &operand) {
  if (isa<FloorOp>(op))
    return operand;
  // Up to here it is off by less than 1/4.
  constexpr int64_t limit = int64_t(1) << 20;
  if (!isa<RoundOp>(op))
    return {};
  ElementValue result = ElementValue::getQuotient(operand.integer, 1, /*isExact=*/true);
  result.addMagnitudes({{operand.integer, limit}});
  return result;
}

/// The integer nearest to `numerator / divisor`, of two the even one.
static Expr roundQuotient(Expr numerator, Expr divisor) {
  Expr up = floorDiv(numerator * 2 + divisor, divisor * 2), down = ceilDiv(numerator * 2 - divisor, divisor * 2);
  return up - (up - down) * mod(up, up.getContext().getConstant(2));
}

ElementValue ElementEvaluator::evaluateQuotient(const ElementValue &operand) {
  Expr divisor = constant(operand.getDivisor()), integer;
  if (isa<NegOp>(op)) {
    // As far from what it stands for as before.
    ElementValue result = ElementValue::getQuotient(-operand.integer, operand.getDivisor(), operand.isExact);
    result.addMagnitudes(operand.getMagnitudes());
    return result;
  }
  if (isa<FloorOp>(op))
    integer = floorDiv(operand.integer, divisor);
  else if (isa<CeilOp>(op))
    integer = ceilDiv(operand.integer, divisor);
  else if (isa<RoundOp>(op))
    integer = operand.getDivisor() == 1 ? operand.integer : roundQuotient(operand.integer, divisor);
  else
    return {};
  ElementValue result = ElementValue::getQuotient(integer, 1, /*isExact=*/true);
  result.addMagnitudes(operand.getMagnitudes());
  return result;
}

ElementValue ElementEvaluator::truncate(const ElementValue &quotient) {
  if (quotient.isUnknown())
    return {};
  Expr divisor = constant(quotient.getDivisor()), value = floorDiv(quotient.integer, divisor);
  if (quotient.getDivisor() != 1 && !isAtLeast(quotient.integer, 0))
    value = symbolic::max({value, symbolic::min({ceilDiv(quotient.integer, divisor), constant(0)})});
  ElementValue result = integer(value);
  for (const auto &[magnitude, limit] : quotient.getMagnitudes()) {
    Verdict isHeld = isWithin(magnitude, {-limit, limit}, relations);
    if (isHeld == Verdict::Yes)
      continue;
    if (isHeld == Verdict::No || !relations.decidesSizes(op->getResult(0)) || !relations.areKnownAtEntry(magnitude))
      return {};
    if (!result.isUnknown())
      magnitudes.emplace_back(magnitude, limit);
  }
  return result;
}

ElementValue ElementEvaluator::castFloat(const ElementValue &operand, Type from) {
  std::optional<int64_t> limit = getExactLimit(elementType);
  ElementValue quotient = getQuotient(operand, from);
  if (!limit || quotient.isUnknown())
    return {};
  if (*limit < *getExactLimit(from)) {
    if (!quotient.isExact)
      return {};
    quotient.addMagnitudes({{quotient.integer, *limit}});
  }
  return quotient;
}
