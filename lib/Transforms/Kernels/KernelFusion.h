//===- Kernels of several ops -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_KERNELFUSION_H
#define DYN_LIB_TRANSFORMS_KERNELS_KERNELFUSION_H

#include "KernelGrouping.h"
#include "SizeFinder.h"

namespace dyn {

/// Merges groups of one op each, as `groupSeparately` makes them: contractions with the op that reads their result, and
/// reductions with what shares their rows.
llvm::SmallVector<KernelGroup> fuseGroups(llvm::ArrayRef<KernelGroup> groups, SizeFinder &sizes);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_KERNELFUSION_H
