//===- Fork-join threads of one model -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"
#include <algorithm>
#include <chrono>
#include <system_error>

using namespace dyn::runtime;

/// How long a thread looks before it sleeps: the gap between kernels, and what it costs to be woken.
static constexpr std::chrono::microseconds kAwake(50);
/// Chunks for each thread: enough that a slow one does not hold up the others, few enough to cost nothing.
static constexpr int64_t kChunksPerThread = 4;

static thread_local size_t callingThread = 0;

/// Tells the processor that its sibling may go ahead.
static void yieldToSibling() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits a little for something to happen, but not at the cost of threads that have no processor.
template <typename Condition>
static bool stayAwakeFor(Condition happened) {
  auto end = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int i = 0; i < 32; ++i) {
      if (happened())
        return true;
      yieldToSibling();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

ThreadPool::ThreadPool(unsigned count) {
  try {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([this, i] { loop(i); });
  } catch (const std::system_error &) {
    // Those that there are will do.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    ++generation;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

size_t ThreadPool::getCallingThread() { return callingThread; }

ThreadPool::Region::Region(DynRunContext *context, const DynLaunch *launches, int64_t numLaunches, int64_t chunksEach)
    : context(context), launches(launches), numLaunches(numLaunches) {
  int64_t chunks = 0;
  for (int64_t i = 0; i < numLaunches; ++i) {
    int64_t count = std::max(launches[i].count, int64_t(0));
    items[i] = std::max({launches[i].grain, count / chunksEach, int64_t(1)});
    chunks += count / items[i] + (count % items[i] != 0);
    endChunk[i] = chunks;
  }
}

void ThreadPool::Region::help() {
  int64_t launch = 0;
  // Numbers only grow, and with them the launch.
  for (int64_t chunk = next.fetch_add(1); chunk < getNumChunks(); chunk = next.fetch_add(1)) {
    while (chunk >= endChunk[launch])
      ++launch;
    const DynLaunch &current = launches[launch];
    int64_t begin = (chunk - (launch ? endChunk[launch - 1] : 0)) * items[launch];
    int64_t left = current.count - begin;
    current.work(context, current.arguments, begin, begin + std::min(items[launch], left));
  }
}

/// Is it more than a grain altogether?
static bool isWorthThreads(const DynLaunch *launches, int64_t numLaunches) {
  double grains = 0;
  for (int64_t i = 0; i < numLaunches; ++i)
    if (launches[i].count > 0)
      grains += double(launches[i].count) / double(std::max(launches[i].grain, int64_t(1)));
  return grains > 1;
}

void ThreadPool::run(DynRunContext *context, const DynLaunch *launches, int64_t numLaunches) {
  std::unique_lock<std::mutex> owner(regionMutex, std::defer_lock);
  if (threads.empty() || !isWorthThreads(launches, numLaunches) || !owner.try_lock()) {
    for (int64_t i = 0; i < numLaunches; ++i)
      if (launches[i].count > 0)
        launches[i].work(context, launches[i].arguments, 0, launches[i].count);
    return;
  }
  Region current(context, launches, numLaunches, kChunksPerThread * int64_t(threads.size() + 1));
  {
    std::lock_guard<std::mutex> lock(mutex);
    region = &current;
    ++generation;
  }
  // No more than there is work for. Those that are awake come by themselves.
  int64_t useful = current.getNumChunks() - 1;
  if (useful >= int64_t(threads.size()))
    wake.notify_all();
  else
    for (int64_t i = 0; i < useful; ++i)
      wake.notify_one();
  current.help();
  {
    std::lock_guard<std::mutex> lock(mutex);
    region = nullptr;
  }
  auto isDone = [this] { return helping.load(std::memory_order_acquire) == 0; };
  if (stayAwakeFor(isDone))
    return;
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, isDone);
}

void ThreadPool::loop(size_t number) {
  callingThread = number;
  uint64_t seen = 0;
  while (true) {
    stayAwakeFor([&] { return generation.load(std::memory_order_relaxed) != seen; });
    std::unique_lock<std::mutex> lock(mutex);
    wake.wait(lock, [&] { return generation.load() != seen; });
    seen = generation.load();
    if (stopping)
      return;
    if (!region)
      continue;
    Region *current = region;
    ++helping;
    lock.unlock();
    current->help();
    lock.lock();
    if (--helping == 0)
      finished.notify_one();
  }
}
