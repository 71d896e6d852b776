//===- Launches of a run that have not ended --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_RUNTIME_LAUNCHQUEUE_H
#define DYN_LIB_RUNTIME_LAUNCHQUEUE_H

#include "dyn/Runtime/ArtefactABI.h"
#include <atomic>
#include <mutex>

namespace dyn::runtime {

class ThreadPool;

/// The launches of one run, from the first that has not ended to the last that was submitted. Each begins when those
/// that it is after have ended; whatever else there is goes on beside it.
///
/// As long as there is no more than a grain of work that may begin, the run's own thread does all of it, and nothing is
/// locked. Then the queue is shared with the pool's threads, unless another run's is: concurrent runs never wait for
/// each other. While it is shared, members are guarded by the pool's mutex.
class LaunchQueue {
public:
  LaunchQueue(ThreadPool &pool, DynRunContext &context) : pool(pool), context(context) {}

  /// As DynRunContext.submit and .finish, in the run's own thread.
  void submit(const DynLaunch &launch);
  void finish();

  /// For the pool's threads, which hold `lock` on its mutex: works at a launch, if there is more than a grain that may
  /// begin, and without the lock meanwhile. False if there is nothing to do.
  bool help(std::unique_lock<std::mutex> &lock);

private:
  static constexpr unsigned kPlaces = DYN_LAUNCH_WINDOW;
  using Places = uint32_t; ///< a bit for each

  /// A launch, cut into chunks.
  struct Task {
    const DynLaunch *launch = nullptr;
    Places waits = 0; ///< for these, which have not ended
    double grains = 0;
    int64_t items = 1, numChunks = 0; ///< items in each chunk but the last
    std::atomic<int64_t> nextChunk{0};
    unsigned numThreads = 0; ///< that work at it
  };

  void add(const DynLaunch &launch);
  /// Brings the oldest launch nearer to its end, or waits for threads that do.
  void advance();
  void advanceShared();
  /// Has the pool's threads look at the queue; false if they are busy with another run's.
  bool share();
  void unshare();
  /// Works at a launch that has chunks left, the oldest first; false if none that may begin has.
  bool work(std::unique_lock<std::mutex> &lock);
  void runChunks(Task &task);
  /// What waited for a launch that has ended no longer does; those that have no work end with it.
  void end(unsigned place);
  /// Calls threads if there is more than a grain that may begin.
  void announce();
  /// Grains of launches that have begun or may begin, and have not ended.
  double getReadyGrains() const;
  bool isOpen(unsigned place) const { return getOpen() >> place & 1; }
  /// The run's own thread may ask without the lock: what it finds ended has ended, with all that was written.
  Places getOpen() const { return open.load(std::memory_order_acquire); }
  void setOpen(Places places) { open.store(places, std::memory_order_release); }

  ThreadPool &pool;
  DynRunContext &context;
  Task tasks[kPlaces]; ///< launch n at n modulo their number
  uint64_t numSubmitted = 0;
  std::atomic<Places> open{0}; ///< have not ended
  bool isShared = false;
};

} // namespace dyn::runtime

#endif // DYN_LIB_RUNTIME_LAUNCHQUEUE_H
