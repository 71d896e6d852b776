//===- Threads of one model ---------------------------------------*- C++ -*-===//
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

class LaunchQueue;

/// Threads that wait for a queue of launches, for some microseconds awake and then asleep. They work at one queue at a
/// time. Work functions submit nothing.
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

  /// Which of its pool's threads calls this, from 1 on; 0 for one that is no pool's.
  static size_t getCallingThread();

  /// Guards the queue that threads work at.
  std::mutex &getMutex() { return mutex; }

  // With the mutex held:

  /// Has the threads work at a queue; false if they work at another one.
  bool offer(LaunchQueue &offered);
  /// No thread works at the queue.
  void withdraw() { queue = nullptr; }
  /// Has up to so many threads look at the queue, and all that are awake.
  void call(int64_t useful);
  /// Returns when a thread has called `tellEnd` since the lock was taken; without the lock meanwhile.
  void waitForEnd(std::unique_lock<std::mutex> &lock);
  /// A launch of the queue has ended.
  void tellEnd();

private:
  void loop(size_t number);

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable wake, ended;
  std::atomic<uint64_t> numCalls{0}; ///< threads wait for it to change; changes under `mutex`
  std::atomic<uint64_t> numEnds{0};  ///< the queue's owner waits for it to change; changes under `mutex`
  LaunchQueue *queue = nullptr;      ///< guarded by `mutex`; null when there is none to work at
  bool stopping = false;             ///< guarded by `mutex`
  const pid_t process = getpid();
};

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_THREADPOOL_H
