//===- Large pages ----------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_LARGEPAGES_H
#define DYN_RUNTIME_LARGEPAGES_H

#include <cstddef>

namespace dyn {

/// Of x86-64 and, with small pages of 4 KiB, AArch64. Weights and tensors in small pages need more places in the
/// processor's tables of pages than there are; each miss is several reads, and many more in a virtual machine.
inline constexpr size_t kLargePageBytes = size_t(2) << 20;

} // namespace dyn

#endif // DYN_RUNTIME_LARGEPAGES_H
