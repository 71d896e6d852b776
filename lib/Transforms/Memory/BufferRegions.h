//===- Which values show bytes that others show, too -------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_BUFFERREGIONS_H
#define DYN_LIB_TRANSFORMS_MEMORY_BUFFERREGIONS_H

#include "SizeProofs.h"
#include "dyn/Transforms/Memory/SizeExprs.h"

namespace dyn {

/// The bytes of a buffer that a value shows. A part is one piece of memory, so that they lie one behind the other.
struct BufferRegion {
  /// Stands for the buffer: the value that all of its views begin with, where the plan has put it the offset in the
  /// arena.
  mlir::Value place;
  symbolic::Expr begin, end; ///< counted from where the buffer begins; null where they may be all of it

  bool mayBeAll() const { return !begin || !end; }
  bool operator==(const BufferRegion &other) const {
    return place == other.place && begin == other.begin && end == other.end;
  }
};

/// Finds the regions of a function's buffers, and remembers what it has proved of them.
class BufferRegions {
public:
  /// `sizes` must know the function's facts if it has parts of buffers.
  explicit BufferRegions(SizeExprs &sizes) : sizes(sizes), proofs(sizes.getSolver()) {}

  BufferRegion get(mlir::Value value);
  /// May the two have a byte in common? False only if it is proved that they have none, at any sizes.
  bool mayMeet(const BufferRegion &lhs, const BufferRegion &rhs);

private:
  SizeExprs &sizes;
  SizeProofs proofs;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_BUFFERREGIONS_H
