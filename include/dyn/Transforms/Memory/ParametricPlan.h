//===- Plans for an arena that follow its sizes -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Where buffers fit into gaps between others depends on their sizes: no one plan is good at all of them. Packing at
// one choice of sizes says which buffer lies on which; read as sums, that is a plan for all sizes at which no two
// buffers that are needed at the same time overlap. A few such plans, each with the predicate that says so, cover most
// sizes; the plan of `planArena`, which is right everywhere, is for the others.
//
// Example: x: S*S, z: 100*S, never needed together; y: 50*S, with both. At S = 200, x is biggest and y begins at its
// end: right where 100*S <= S*S. At S = 50, z is: y begins at 100*S, right where S*S <= 100*S. Both are as small as
// can be.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_MEMORY_PARAMETRICPLAN_H
#define DYN_TRANSFORMS_MEMORY_PARAMETRICPLAN_H

#include "dyn/Transforms/Memory/ArenaPlan.h"

namespace dyn {

/// A plan, and the sizes at which it is right.
struct ArenaChoice {
  symbolic::Predicate valid;
  ArenaPlan plan;
};

struct ParametricPlan {
  /// The first is right at all sizes. Of those that are right, the smallest is the one to take.
  llvm::SmallVector<ArenaChoice> choices;
  /// Of the buffers, in lines of `ArenaPlan::bytesPerLine`.
  llvm::SmallVector<symbolic::Expr> lines;
  /// Sums of lines of buffers that are needed at the same time: no arena is smaller than any. At the sizes that were
  /// tried, one of them is the greatest that there is.
  llvm::SmallVector<symbolic::Expr> live;
  /// Were there sizes for which no choice is close to that bound?
  bool leavesGaps = false;
};

/// Nothing only if coefficients of an offset in bytes do not fit in 64 bits.
std::optional<ParametricPlan> planArenaForRanges(llvm::ArrayRef<ArenaBuffer> buffers, symbolic::Solver &solver);

} // namespace dyn

#endif // DYN_TRANSFORMS_MEMORY_PARAMETRICPLAN_H
