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

namespace dyn {

/// Remembers what was asked of differences: places in an arena differ, but often by the same amount.
class SizeProofs {
public:
  /// So many proofs are tried; what is asked afterwards and not refuted is not proved. Models of many sizes that are
  /// rounded differently (a pyramid of features, say) would take tens of thousands; most take some hundred.
  static constexpr size_t maxProofs = 4000;

  explicit SizeProofs(symbolic::Solver &solver) : solver(solver) {}

  /// Points that are asked first: what is wrong at one of them is not tried to be proved, which takes much longer.
  void refuteAt(std::vector<SizePoint> sizes) { points = std::move(sizes); }

  /// Is it proved that `larger` is at least `smaller` at all sizes?
  bool isAtLeast(symbolic::Expr larger, symbolic::Expr smaller) {
    symbolic::Expr difference = larger - smaller;
    if (!difference)
      return false;
    auto [entry, isNew] = isNonNegative.try_emplace(difference, false);
    if (isNew && numProofs < maxProofs &&
        llvm::none_of(points, [&](const SizePoint &point) { return evaluateAt(difference, point).value_or(0) < 0; })) {
      ++numProofs;
      // A range costs less than a verdict, which also splits cases that sizes do not have.
      entry->second = solver.getRange(difference).lower.value_or(-1) >= 0;
    }
    return entry->second;
  }

private:
  symbolic::Solver &solver;
  std::vector<SizePoint> points;
  size_t numProofs = 0;
  llvm::DenseMap<symbolic::Expr, bool> isNonNegative;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H
