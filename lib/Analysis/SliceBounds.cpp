//===- Which part of a dim a slice takes ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Analysis/SliceBounds.h"
#include "ShortSizes.h"

using namespace dyn;
using namespace dyn::symbolic;

/// No memory holds a dim of that size.
static constexpr int64_t kBeyondDims = int64_t(1) << 60;

bool dyn::isEndOf32Bits(Expr bound) {
  std::optional<int64_t> constant = bound ? bound.getConstant() : std::nullopt;
  return constant == INT32_MAX || constant == INT32_MIN;
}

namespace {

/// Clamps that facts show to be needless are left out.
class Clamp {
public:
  explicit Clamp(Solver &solver) : solver(solver) {}

  Expr atMost(Expr value, Expr limit) {
    return isOrdered(value, limit) ? value : isOrdered(limit, value) ? limit : min({value, limit});
  }
  Expr atLeast(Expr value, Expr limit) {
    return isOrdered(limit, value) ? value : isOrdered(value, limit) ? limit : max({value, limit});
  }
  Expr constant(int64_t value) { return solver.getContext().getConstant(value); }

  /// `bound` as a place counted from the begin, if clamped to [low, high].
  Expr resolve(Expr bound, Expr dim, Expr low, Expr high) {
    Predicate isNegative = Predicate::less(bound, constant(0)), isCounted = Predicate::lessEqual(constant(0), bound);
    Expr fromEnd = bound + dim;
    // Where it is negative, both readings lie below: n - 1, which is -1 only for an empty dim.
    if (isKnown(isCounted) || isKnownEither(isCounted, Predicate::lessEqual(fromEnd, low)))
      return bound;
    // Where it is not negative, both readings lie above: -n, which is 0 only for an empty dim.
    if (isKnown(isNegative) || isKnownEither(isNegative, Predicate::lessEqual(high, bound)))
      return fromEnd;
    // 1 where it is negative, else 0. What lies far below is clamped first, so that the sum needs no more bits.
    Expr counted = atLeast(bound, low - dim), sign = min({max({-counted, constant(0)}), constant(1)});
    return counted + sign * dim;
  }

private:
  bool isKnown(const Predicate &predicate) { return solver.implies(predicate) == Verdict::Yes; }
  bool isKnownEither(Predicate lhs, Predicate rhs) {
    return isKnown(Predicate::disjunction({std::move(lhs), std::move(rhs)}));
  }
  bool isOrdered(Expr lower, Expr upper) { return lower && upper && solver.isLessEqual(lower, upper) == Verdict::Yes; }

  Solver &solver;
};

} // namespace

std::optional<SliceBounds> dyn::getSliceBounds(Expr dim, Expr start, Expr end, int64_t step, Solver &solver) {
  if (!dim || !start || !end || step == 0 || step == INT64_MIN)
    return std::nullopt;
  Clamp clamp(solver);
  Expr zero = clamp.constant(0), beforeFirst = clamp.constant(-1), last = dim - 1;
  bool forwards = step > 0;
  auto isOpen = [&](Expr bound, int64_t end, int64_t endOf32Bits) {
    std::optional<int64_t> constant = bound.getConstant();
    if (constant && (end > 0 ? *constant >= end : *constant <= end))
      return true;
    return constant == endOf32Bits && solver.isLessEqual(dim, clamp.constant(INT32_MAX)) == Verdict::Yes;
  };

  // The number of places is the same where a start behind the last place, or an end before the first, stays there: the
  // distance is negative then. Fewer clamps make sizes of slices of slices the ones that people write.
  auto place = [&](Expr bound, bool isStart, bool forSize) -> Expr {
    // Stepping back starts inside and may stop before the first place.
    Expr low = forwards || isStart ? zero : beforeFirst, high = forwards ? dim : last;
    if (isOpen(bound, kBeyondDims, INT32_MAX))
      return high;
    // Below every place of an empty dim the last place is the lower one.
    if (isOpen(bound, -kBeyondDims, INT32_MIN))
      return clamp.atMost(low, high);
    Expr resolved = clamp.resolve(bound, dim, low, high);
    if (!resolved)
      return {};
    if (forwards && forSize)
      return isStart ? clamp.atLeast(resolved, low) : clamp.atMost(resolved, high);
    return clamp.atMost(clamp.atLeast(resolved, low), high);
  };
  Expr first = place(start, /*isStart=*/true, /*forSize=*/false);
  Expr from = place(start, /*isStart=*/true, /*forSize=*/true), stop = place(end, /*isStart=*/false, /*forSize=*/true);
  if (!first || !from || !stop)
    return std::nullopt;
  Expr distance = forwards ? stop - from : from - stop;
  Expr size = clamp.atLeast(ceilDiv(distance, forwards ? step : -step), zero);
  if (!size)
    return std::nullopt;
  SliceBounds bounds{solver.simplify(first), findShortForm(solver.simplify(size), solver)};
  if (!bounds.offset || !bounds.size)
    return std::nullopt;
  return bounds;
}
