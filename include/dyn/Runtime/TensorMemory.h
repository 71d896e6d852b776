//===- Memory for tensors ---------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TENSORMEMORY_H
#define DYN_RUNTIME_TENSORMEMORY_H

#include "dyn/Runtime/LargePages.h"
#include <cstdlib>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dyn {

/// In bytes; for vector code.
inline constexpr size_t kTensorAlignment = 64;

/// Memory of undefined contents for at least `bytes`, which become those that there are: a multiple of the alignment,
/// and not zero. On large pages where it fills one and the system has them. Null, and `bytes` 0, if there is not
/// enough; free it with std::free.
inline void *allocateTensorMemory(size_t &bytes) {
  size_t rounded = (bytes / kTensorAlignment + (bytes % kTensorAlignment != 0 || !bytes)) * kTensorAlignment;
  bool isLarge = bytes >= kLargePageBytes;
  void *memory = nullptr;
  if (rounded < bytes || posix_memalign(&memory, isLarge ? kLargePageBytes : kTensorAlignment, rounded)) {
    bytes = 0;
    return nullptr;
  }
  bytes = rounded;
#if defined(MADV_HUGEPAGE)
  if (isLarge) // Advice: nothing depends on whether it is taken.
    (void)madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return memory;
}

} // namespace dyn

#endif // DYN_RUNTIME_TENSORMEMORY_H
