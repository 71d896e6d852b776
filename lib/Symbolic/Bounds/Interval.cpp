//===- Interval arithmetic that widens on overflow -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Bounds/Bounds.h"
#include <algorithm>

using namespace dyn::symbolic;

using Wide = __int128;
static constexpr int64_t minusInfinity = Interval::minusInfinity, plusInfinity = Interval::plusInfinity;

/// A lower bound above all finite values stays finite, which is weaker and therefore right.
static int64_t asLower(Wide value) {
  return value <= minusInfinity  ? minusInfinity
         : value >= plusInfinity ? plusInfinity - 1
                                 : static_cast<int64_t>(value);
}
static int64_t asUpper(Wide value) {
  return value >= plusInfinity    ? plusInfinity
         : value <= minusInfinity ? minusInfinity + 1
                                  : static_cast<int64_t>(value);
}

Interval dyn::symbolic::withFiniteEnds(Interval numbers) {
  return {std::min(numbers.lower, plusInfinity - 1), std::max(numbers.upper, minusInfinity + 1)};
}

static bool isInfinite(int64_t value) { return value == minusInfinity || value == plusInfinity; }

Interval dyn::symbolic::add(Interval lhs, Interval rhs) {
  Interval result;
  if (lhs.hasLower() && rhs.hasLower())
    result.lower = asLower(Wide(lhs.lower) + rhs.lower);
  if (lhs.hasUpper() && rhs.hasUpper())
    result.upper = asUpper(Wide(lhs.upper) + rhs.upper);
  return result;
}

/// With infinities, where 0 times infinity is 0: an end that is 0 is attained, one that is infinite is not.
static Wide multiplyEnds(int64_t lhs, int64_t rhs) {
  if (lhs == 0 || rhs == 0)
    return 0;
  if (isInfinite(lhs) || isInfinite(rhs))
    return (lhs < 0) == (rhs < 0) ? Wide(plusInfinity) * 2 : Wide(minusInfinity) * 2;
  return Wide(lhs) * rhs;
}

Interval dyn::symbolic::multiply(Interval lhs, Interval rhs) {
  if (lhs.lower >= 0 && rhs.lower >= 0 && !lhs.isEmpty() && !rhs.isEmpty())
    return {asLower(multiplyEnds(lhs.lower, rhs.lower)), asUpper(multiplyEnds(lhs.upper, rhs.upper))};
  Wide products[] = {multiplyEnds(lhs.lower, rhs.lower), multiplyEnds(lhs.lower, rhs.upper),
                     multiplyEnds(lhs.upper, rhs.lower), multiplyEnds(lhs.upper, rhs.upper)};
  return {asLower(*std::min_element(std::begin(products), std::end(products))),
          asUpper(*std::max_element(std::begin(products), std::end(products)))};
}

Interval dyn::symbolic::power(Interval base, unsigned exponent) {
  if (exponent == 1)
    return base;
  Interval result{1, 1};
  for (unsigned i = 0; i < exponent; ++i)
    result = multiply(result, base);
  if (exponent % 2 == 0)
    result.lower = std::max<int64_t>(result.lower, 0);
  return result;
}

/// Floor of quotients whose divisors are all positive.
static Interval floorDivPositive(Interval lhs, Interval rhs) {
  auto divide = [](int64_t value, int64_t divisor) -> Wide {
    if (value == 0)
      return 0;
    if (isInfinite(value))
      return value < 0 ? Wide(minusInfinity) * 2 : Wide(plusInfinity) * 2;
    if (divisor == plusInfinity)
      return value < 0 ? -1 : 0;
    return *checkedFloorDiv(value, divisor);
  };
  // The quotient falls with the divisor where the dividend is positive and rises where it is negative.
  return {asLower(std::min(divide(lhs.lower, rhs.lower), divide(lhs.lower, rhs.upper))),
          asUpper(std::max(divide(lhs.upper, rhs.lower), divide(lhs.upper, rhs.upper)))};
}

static Interval negate(Interval interval) {
  return withFiniteEnds(
      {interval.hasUpper() ? -interval.upper : minusInfinity, interval.hasLower() ? -interval.lower : plusInfinity});
}

Interval dyn::symbolic::floorDiv(Interval lhs, Interval rhs) {
  Interval positive = intersect(rhs, {1, plusInfinity}), negative = intersect(rhs, {minusInfinity, -1});
  if (positive.isEmpty() && negative.isEmpty())
    return {};
  if (negative.isEmpty())
    return floorDivPositive(lhs, positive);
  Interval flipped = floorDivPositive(negate(lhs), negate(negative));
  return positive.isEmpty() ? flipped : join(flipped, floorDivPositive(lhs, positive));
}

Interval dyn::symbolic::intersect(Interval lhs, Interval rhs) {
  return {std::max(lhs.lower, rhs.lower), std::min(lhs.upper, rhs.upper)};
}

Interval dyn::symbolic::join(Interval lhs, Interval rhs) {
  return {std::min(lhs.lower, rhs.lower), std::max(lhs.upper, rhs.upper)};
}
