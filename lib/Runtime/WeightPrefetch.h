//===- Weights on their way into memory -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_WEIGHTPREFETCH_H
#define DYN_LIB_RUNTIME_WEIGHTPREFETCH_H

#include <atomic>
#include <cstddef>
#include <thread>
#include <unistd.h>

namespace dyn::runtime {

/// Loading only maps weights: their pages come when they are read first, from the disk or at the cost of a fault each.
/// This brings them in one after the other in a thread of its own, while the caller gets ready for the first run.
class WeightPrefetch {
public:
  /// Does nothing for few weights, and for more than half of the machine's memory.
  WeightPrefetch(const char *begin, size_t bytes);
  /// Stops at the next piece.
  ~WeightPrefetch();

  /// False in a process that was forked meanwhile: the thread is not there, and this may not be destroyed.
  bool isUsable() const { return process == getpid(); }

private:
  void fetch(const char *begin, size_t bytes);

  std::atomic<bool> stopping{false};
  const pid_t process = getpid();
  std::thread thread;
};

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_WEIGHTPREFETCH_H
