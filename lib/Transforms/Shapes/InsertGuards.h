//===- Where guards stand -------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_INSERTGUARDS_H
#define DYN_LIB_TRANSFORMS_SHAPES_INSERTGUARDS_H

#include "dyn/Analysis/ShapeAnalysis.h"

namespace dyn {

/// Requires what guards say at the start of the block, or behind the op that gives the last of their sizes a value, if
/// data determine some. With `leavesOut`, not those of a size that no value has as a dim.
void insertGuards(mlir::Block &block, llvm::ArrayRef<ShapeGuard> guards, ShapeAnalysis &analysis, bool leavesOut);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_INSERTGUARDS_H
