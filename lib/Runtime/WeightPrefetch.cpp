//===- Weights on their way into memory ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WeightPrefetch.h"
#include "dyn/Runtime/LargePages.h"
#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <system_error>

using namespace dyn;
using namespace dyn::runtime;

/// Fewer are there before a thread has started.
static constexpr size_t kFewest = size_t(1) << 20;
/// Some milliseconds from a fast disk.
static constexpr size_t kPiece = size_t(8) << 20;

WeightPrefetch::WeightPrefetch(const char *begin, size_t bytes) {
  auto memory = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  if (bytes < kFewest || bytes > memory / 2)
    return;
  try {
    thread = std::thread([this, begin, bytes] { fetch(begin, bytes); });
  } catch (const std::system_error &) {
    // Then they come when they are read.
  }
}

WeightPrefetch::~WeightPrefetch() {
  stopping = true;
  if (thread.joinable())
    thread.join();
}

void WeightPrefetch::fetch(const char *begin, size_t bytes) {
#if defined(MADV_POPULATE_READ)
  constexpr int kAdvice = MADV_POPULATE_READ;
#else
  constexpr int kAdvice = MADV_WILLNEED;
#endif
  auto page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t address = uintptr_t(begin) / page * page, end = uintptr_t(begin) + bytes;
#if defined(MADV_HUGEPAGE)
  // What is not in memory yet is then read so that it comes to lie on large pages.
  uintptr_t large = (address + kLargePageBytes - 1) / kLargePageBytes * kLargePageBytes;
  if (large < end)
    (void)madvise(reinterpret_cast<void *>(large), end - large, MADV_HUGEPAGE);
#endif
  for (; address < end && !stopping; address += kPiece)
    // A kernel that knows no better advice does nothing, and so does this.
    if (madvise(reinterpret_cast<void *>(address), std::min<uintptr_t>(kPiece, end - address), kAdvice))
      return;
}
