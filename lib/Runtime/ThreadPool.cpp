//===- Fork-join threads of one model -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"
#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace dyn::runtime;

/// How often a worker looks for the next region before it sleeps: some tens of microseconds, the gap between kernels.
static constexpr int kSpins = 4000;
/// Chunks for each thread: enough that a slow one does not hold up the others, few enough to cost nothing.
static constexpr int64_t kChunksPerThread = 4;

ThreadPool::ThreadPool(unsigned count) {
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([this] { loop(); });
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

void ThreadPool::Region::help() {
  for (int64_t begin = next.fetch_add(chunk); begin < count; begin = next.fetch_add(chunk))
    work(context, arguments, begin, std::min(begin + chunk, count));
}

void ThreadPool::run(DynRunContext *context, DynWorkFunction work, void *arguments, int64_t count, int64_t grain) {
  if (count <= 0)
    return;
  std::unique_lock<std::mutex> owner(regionMutex, std::defer_lock);
  if (count <= grain || threads.empty() || !owner.try_lock()) {
    work(context, arguments, 0, count);
    return;
  }
  int64_t pieces = kChunksPerThread * int64_t(threads.size() + 1);
  Region current{context, work, arguments, count, std::max({grain, count / pieces, int64_t(1)})};
  {
    std::lock_guard<std::mutex> lock(mutex);
    region = &current;
    ++generation;
  }
  wake.notify_all();
  current.help();
  std::unique_lock<std::mutex> lock(mutex);
  region = nullptr;
  finished.wait(lock, [this] { return helping == 0; });
}

void ThreadPool::loop() {
  uint64_t seen = 0;
  while (true) {
    for (int i = 0; i < kSpins && generation.load(std::memory_order_relaxed) == seen; ++i)
      std::this_thread::yield();
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

void *dyn::runtime::getThreadScratch(int64_t bytes) {
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  static thread_local std::unique_ptr<void, Free> memory;
  static thread_local int64_t capacity = 0;
  if (bytes <= capacity)
    return memory.get();
  constexpr int64_t alignment = 64;
  if (bytes > INT64_MAX - alignment)
    return nullptr;
  int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  memory.reset();
  capacity = 0;
  memory.reset(std::aligned_alloc(alignment, size_t(rounded)));
  if (memory)
    capacity = rounded;
  return memory.get();
}
