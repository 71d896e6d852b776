//===- Packings of buffers at one choice of sizes -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_POINTPACKING_H
#define DYN_LIB_TRANSFORMS_MEMORY_POINTPACKING_H

#include "dyn/Transforms/Memory/ArenaPlan.h"
#include <vector>

namespace dyn {

/// Which buffer ends where another begins, found by packing at one point.
struct Packing {
  static constexpr unsigned bottom = ~0u;
  llvm::SmallVector<unsigned> support; ///< for each buffer; `bottom`: it begins at 0
  llvm::SmallVector<unsigned> order;   ///< a support comes before what it supports
  /// For each buffer the one, at least as large, in whose height the next begins above it: itself, or the largest of
  /// its class. Buffers of nearly the same size then fit in each other's places.
  llvm::SmallVector<unsigned> height;
  llvm::SmallVector<std::pair<unsigned, unsigned>> below; ///< of buffers needed at the same time: first, then second
  llvm::SmallVector<std::optional<int64_t>> sizes;        ///< at each point; nothing where buffers overlap
};

/// Packs buffers whose sizes in lines are known at some points: `lines[buffer][point]`.
class PointPacker {
public:
  PointPacker(llvm::ArrayRef<ArenaBuffer> buffers, const std::vector<std::vector<int64_t>> &lines)
      : buffers(buffers), lines(lines) {}

  /// The smallest of some packings at a point, or the first that needs no more than `enough` lines. There is a buffer.
  Packing pack(size_t point, int64_t enough) const;

private:
  llvm::SmallVector<unsigned> classify(size_t point, int64_t percent) const;
  Packing pack(size_t point, const std::vector<int64_t> &priority, llvm::ArrayRef<unsigned> height) const;
  void evaluate(Packing &packing) const;

  llvm::ArrayRef<ArenaBuffer> buffers;
  const std::vector<std::vector<int64_t>> &lines;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_POINTPACKING_H
