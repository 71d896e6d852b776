//===- Reshapes move out of the way ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_VIEWS_LOOPSPLITTING_H
#define DYN_LIB_TRANSFORMS_KERNELS_VIEWS_LOOPSPLITTING_H

#include "../SizeFinder.h"

namespace dyn {

/// Rewrites generics so that views don't keep them apart from what they read or are read by: a loop over a dim that a
/// view joins, or divides, becomes one loop for each of the view's dims. Loops that ops share are divided in all of
/// them or in none. Extents are sizes that views name; nothing is ever divided to find one, so sizes may be 0.
void splitLoopsAtViews(mlir::Block &block, SizeFinder &sizes);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_VIEWS_LOOPSPLITTING_H
