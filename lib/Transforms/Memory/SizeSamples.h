//===- Sizes to try plans at --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_SIZESAMPLES_H
#define DYN_LIB_TRANSFORMS_MEMORY_SIZESAMPLES_H

#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/StringMap.h"

namespace dyn {

/// Values of symbols.
using SizePoint = llvm::StringMap<int64_t>;

/// Some hundred points at most, within the facts of each symbol that occurs in `exprs`; the likely ones first. Always
/// the same for the same facts.
std::vector<SizePoint> sampleSizes(llvm::ArrayRef<symbolic::Expr> exprs, symbolic::Solver &solver);

/// The same of points at which each size is 1, or one that the others have: what holds a broadcast of many sizes has a
/// value at hardly any other.
std::vector<SizePoint> sampleBroadcasts(llvm::ArrayRef<symbolic::Expr> exprs, symbolic::Solver &solver);

/// The value at a point; nothing where there is none.
std::optional<int64_t> evaluateAt(symbolic::Expr expr, const SizePoint &point);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_SIZESAMPLES_H
