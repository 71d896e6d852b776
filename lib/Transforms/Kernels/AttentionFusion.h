//===- Kernels of whole attentions ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_ATTENTIONFUSION_H
#define DYN_LIB_TRANSFORMS_KERNELS_ATTENTIONFUSION_H

#include "KernelGrouping.h"

namespace dyn {

/// Merges the groups that `fuseGroups` makes of scores, softmax and the product with values into one where the result
/// of each is read by the next alone. Keys and values that are repeated for several heads are read where they are once.
void fuseAttention(llvm::SmallVector<KernelGroup> &groups);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_ATTENTIONFUSION_H
