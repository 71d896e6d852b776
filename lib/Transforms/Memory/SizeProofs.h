//===- Which sizes are proved to be larger ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H
#define DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// Remembers what was asked of differences: places in an arena differ, but often by the same amount.
class SizeProofs {
public:
  explicit SizeProofs(symbolic::Solver &solver) : solver(solver) {}

  /// Is it proved that `larger` is at least `smaller` at all sizes?
  bool isAtLeast(symbolic::Expr larger, symbolic::Expr smaller) {
    symbolic::Expr difference = larger - smaller;
    if (!difference)
      return false;
    auto [entry, isNew] = isNonNegative.try_emplace(difference, false);
    // A range costs less than a verdict, which also splits cases that sizes do not have.
    if (isNew)
      entry->second = solver.getRange(difference).lower.value_or(-1) >= 0;
    return entry->second;
  }

private:
  symbolic::Solver &solver;
  llvm::DenseMap<symbolic::Expr, bool> isNonNegative;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_SIZEPROOFS_H
