//===- Fork-join threads of one model ---------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_THREADPOOL_H
#define DYN_LIB_RUNTIME_THREADPOOL_H

#include "dyn/Runtime/ArtefactABI.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dyn::runtime {

/// Threads that wait for parallel regions, for some microseconds awake and then asleep. One region runs at a time; a
/// caller that finds the pool busy with another run's region works through its own alone, so that concurrent runs never
/// wait for each other. Regions do not nest: work functions start none.
class ThreadPool {
public:
  /// `threads` counts the caller: 1 means no thread of the pool's own. Where the system refuses threads, there are
  /// fewer.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();

  /// With the caller.
  unsigned getNumThreads() const { return unsigned(threads.size()) + 1; }
  /// False in a process that was forked from the one that made the pool: the threads stayed there, and neither may the
  /// pool be used nor destroyed.
  bool isUsable() const { return process == getpid(); }

  /// As DynRunContext.parallelFor.
  void run(DynRunContext *context, const DynLaunch *launches, int64_t numLaunches);

  /// Which of its pool's threads calls this, from 1 on; 0 for one that is no pool's.
  static size_t getCallingThread();

private:
  /// Launches, cut into chunks that are numbered through.
  struct Region {
    DynRunContext *context;
    const DynLaunch *launches;
    int64_t numLaunches;
    int64_t items[DYN_MAX_CONCURRENT_LAUNCHES];    ///< in each chunk but the last of a launch
    int64_t endChunk[DYN_MAX_CONCURRENT_LAUNCHES]; ///< of each launch
    std::atomic<int64_t> next{0};

    Region(DynRunContext *context, const DynLaunch *launches, int64_t numLaunches, int64_t chunksEach);
    int64_t getNumChunks() const { return endChunk[numLaunches - 1]; }
    void help();
  };
  void loop(size_t number);

  std::vector<std::thread> threads;
  std::mutex regionMutex; ///< held by the caller whose region the pool works at
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::atomic<uint64_t> generation{0}; ///< counts regions; workers wait for it to change
  Region *region = nullptr;            ///< guarded by `mutex`; null when there is none to join
  std::atomic<unsigned> helping{0};    ///< workers inside the region; changes under `mutex`
  bool stopping = false;               ///< guarded by `mutex`
  const pid_t process = getpid();
};

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_THREADPOOL_H
