//===- Threads of one model -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"
#include "LaunchQueue.h"
#include <algorithm>
#include <chrono>
#include <system_error>

using namespace dyn::runtime;

/// How long a thread looks before it sleeps: the gap between kernels, and what it costs to be woken.
static constexpr std::chrono::microseconds kAwake(50);

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
    ++numCalls;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

size_t ThreadPool::getCallingThread() { return callingThread; }

bool ThreadPool::offer(LaunchQueue &offered) {
  if (queue)
    return false;
  queue = &offered;
  return true;
}

void ThreadPool::call(int64_t useful) {
  if (useful <= 0)
    return;
  ++numCalls;
  if (useful >= int64_t(threads.size()))
    return wake.notify_all();
  for (int64_t i = 0; i < useful; ++i)
    wake.notify_one();
}

void ThreadPool::tellEnd() {
  ++numEnds;
  ended.notify_one();
}

void ThreadPool::waitForEnd(std::unique_lock<std::mutex> &lock) {
  uint64_t seen = numEnds.load();
  auto isOver = [&] { return numEnds.load(std::memory_order_relaxed) != seen; };
  lock.unlock();
  stayAwakeFor(isOver);
  lock.lock();
  ended.wait(lock, isOver);
}

void ThreadPool::loop(size_t number) {
  callingThread = number;
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping) {
    if (queue && queue->help(lock))
      continue;
    uint64_t seen = numCalls.load();
    auto isCalled = [&] { return numCalls.load(std::memory_order_relaxed) != seen; };
    lock.unlock();
    stayAwakeFor(isCalled);
    lock.lock();
    wake.wait(lock, isCalled);
  }
}
