//===- Places for buffers of symbolic size ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Packing by proof: no IR, only sizes, lifetimes and a solver.
//
// Example: x: B*S*768 floats, needed at 0..1; y: B*S*3072 floats, at 1..2; z: B*S*768 floats, at 2..3. At typical sizes
// y is the biggest and goes to 0. x overlaps y in time, so 0 is not free; the end of y is. z may not touch y either,
// but x is dead by then: its place is the end of y again. The arena has B*S*3840 floats, for all B and S.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_MEMORY_ARENAPLAN_H
#define DYN_TRANSFORMS_MEMORY_ARENAPLAN_H

#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace dyn {

/// A buffer that holds `bytes` bytes from position `first` to `last` of a program, both included.
struct ArenaBuffer {
  symbolic::Expr bytes;
  unsigned first, last;
  /// Places of those that it is needed together with, too, because work at other positions may go on meanwhile.
  llvm::SmallSetVector<unsigned, 2> beside = {};
};

/// Are two of the buffers needed at the same time?
inline bool areNeededTogether(llvm::ArrayRef<ArenaBuffer> buffers, unsigned lhs, unsigned rhs) {
  return (buffers[lhs].first <= buffers[rhs].last && buffers[rhs].first <= buffers[lhs].last) ||
         buffers[lhs].beside.contains(rhs);
}

/// Marks buffers as needed beside each other that launches use which may run at the same time. Launch i uses the
/// buffers `uses[i]`; `isBefore(i, j)`: it has ended whenever launch j, which is less than `window` behind it, begins.
void addBeside(llvm::MutableArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<llvm::SmallVector<unsigned>> uses,
               size_t window, llvm::function_ref<bool(unsigned, unsigned)> isBefore);

/// Buffers each of which is needed together with each other one: those that are needed at the position where buffer
/// `index` begins, and of those that are needed beside that one, in their order, all that this holds for.
llvm::SmallVector<unsigned> getLiveSet(llvm::ArrayRef<ArenaBuffer> buffers, unsigned index);

/// Offsets of the buffers and the size of all, in lines of `bytesPerLine` bytes.
struct ArenaPlan {
  static constexpr int64_t bytesPerLine = 64;
  llvm::SmallVector<symbolic::Expr> offsets;
  symbolic::Expr lines;
};

/// No plan only if coefficients of an offset do not fit in 64 bits.
std::optional<ArenaPlan> planArena(llvm::ArrayRef<ArenaBuffer> buffers, symbolic::Solver &solver);

} // namespace dyn

#endif // DYN_TRANSFORMS_MEMORY_ARENAPLAN_H
