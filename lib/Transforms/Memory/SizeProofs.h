//===- Which sizes are proved to be larger ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H
#define DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H

#include "SizeSamples.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <unordered_map>

namespace dyn {

/// Remembers what was asked of differences: places in an arena differ, but often by the same amount.
class SizeProofs {
public:
  /// So many proofs are tried; what is asked afterwards and not refuted is not proved. Models of many sizes that are
  /// rounded differently (a pyramid of features, say) would take tens of thousands; most take some hundred.
  static constexpr size_t maxProofs = 4000;

  explicit SizeProofs(symbolic::Solver &solver) : solver(solver) {}

  /// Points that are asked first: what is wrong at one of them is not tried to be proved, which takes much longer.
  void refuteAt(std::vector<SizePoint> sizes) { llvm::append_range(points, sizes); }

  /// The sum of two. Its values at the points are the sums of theirs: places in an arena are sums of many sizes, of
  /// which each may be a broadcast of many others.
  symbolic::Expr add(symbolic::Expr lhs, symbolic::Expr rhs) {
    symbolic::Expr sum = lhs + rhs;
    if (!sum || values.count(sum.getNode()))
      return sum;
    std::vector<int64_t> sums = getValues(lhs);
    for (auto [value, other] : llvm::zip_equal(sums, getValues(rhs)))
      if (value == none || other == none || __builtin_add_overflow(value, other, &value))
        value = none;
    values[sum.getNode()] = std::move(sums);
    return sum;
  }

  /// Is it proved that `larger` is at least `smaller` at all sizes?
  bool isAtLeast(symbolic::Expr larger, symbolic::Expr smaller) {
    for (auto [value, other] : llvm::zip_equal(getValues(larger), getValues(smaller)))
      if (value != none && other != none && value < other)
        return false;
    symbolic::Expr difference = larger - smaller;
    if (!difference)
      return false;
    auto [entry, isNew] = isNonNegative.try_emplace(difference, false);
    if (isNew && numProofs < maxProofs) {
      ++numProofs;
      // A bound costs less than a verdict, which also splits cases that sizes do not have.
      entry->second = solver.hasLowerBound(difference, 0);
    }
    return entry->second;
  }

private:
  static constexpr int64_t none = std::numeric_limits<int64_t>::min(); ///< no value

  const std::vector<int64_t> &getValues(symbolic::Expr expr) {
    auto [entry, isNew] = values.try_emplace(expr.getNode());
    if (isNew)
      for (const SizePoint &point : points)
        entry->second.push_back(evaluateAt(expr, point).value_or(none));
    return entry->second;
  }

  symbolic::Solver &solver;
  std::vector<SizePoint> points;
  size_t numProofs = 0;
  std::unordered_map<const symbolic::ExprNode *, std::vector<int64_t>> values; ///< at the points
  llvm::DenseMap<symbolic::Expr, bool> isNonNegative;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H
