//===- Launches of a run that have not ended ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchQueue.h"
#include "ThreadPool.h"
#include <algorithm>

using namespace dyn::runtime;

/// Chunks for each thread: enough that a slow one does not hold up the others, few enough to cost nothing.
static constexpr int64_t kChunksPerThread = 4;

void LaunchQueue::submit(const DynLaunch &launch) {
  if (pool.getNumThreads() == 1) {
    if (launch.count > 0)
      launch.work(&context, launch.arguments, 0, launch.count);
    return;
  }
  while (isOpen(numSubmitted % kPlaces))
    advance();
  if (!isShared)
    return add(launch);
  std::lock_guard<std::mutex> lock(pool.getMutex());
  add(launch);
  announce();
}

void LaunchQueue::finish() {
  while (getOpen())
    advance();
  if (isShared)
    unshare();
}

void LaunchQueue::add(const DynLaunch &launch) {
  unsigned place = numSubmitted++ % kPlaces;
  Task &task = tasks[place];
  task.launch = &launch;
  task.waits = 0;
  for (unsigned distance = 1; distance < kPlaces; ++distance)
    if (launch.after >> (distance - 1) & 1)
      task.waits |= Places(1) << (place + kPlaces - distance) % kPlaces;
  // Bits of launches that there were none of, too.
  task.waits &= getOpen();
  int64_t count = std::max(launch.count, int64_t(0)), grain = std::max(launch.grain, int64_t(1));
  task.grains = double(count) / double(grain);
  task.items = std::max(grain, count / (kChunksPerThread * int64_t(pool.getNumThreads())));
  task.numChunks = count / task.items + (count % task.items != 0);
  task.nextChunk.store(0, std::memory_order_relaxed);
  setOpen(getOpen() | Places(1) << place);
  if (task.numChunks == 0 && !task.waits)
    end(place);
}

void LaunchQueue::end(unsigned place) {
  setOpen(getOpen() & ~(Places(1) << place));
  for (unsigned other = 0; other < kPlaces; ++other) {
    Task &task = tasks[other];
    bool waited = isOpen(other) && task.waits >> place & 1;
    if (!waited)
      continue;
    task.waits &= ~(Places(1) << place);
    if (!task.waits && task.numChunks == 0)
      end(other);
  }
}

double LaunchQueue::getReadyGrains() const {
  double grains = 0;
  for (unsigned place = 0; place < kPlaces; ++place)
    if (isOpen(place) && !tasks[place].waits)
      grains += tasks[place].grains;
  return grains;
}

void LaunchQueue::advance() {
  if (isShared)
    return advanceShared();
  if (getReadyGrains() > 1 && share())
    return;
  // What the oldest was after has ended.
  unsigned place = numSubmitted % kPlaces;
  while (!isOpen(place))
    place = (place + 1) % kPlaces;
  const DynLaunch &launch = *tasks[place].launch;
  launch.work(&context, launch.arguments, 0, launch.count);
  end(place);
}

bool LaunchQueue::share() {
  std::lock_guard<std::mutex> lock(pool.getMutex());
  isShared = pool.offer(*this);
  if (isShared)
    announce();
  return isShared;
}

void LaunchQueue::unshare() {
  std::lock_guard<std::mutex> lock(pool.getMutex());
  pool.withdraw();
  isShared = false;
}

void LaunchQueue::announce() {
  if (getReadyGrains() <= 1)
    return;
  int64_t chunks = 0;
  for (unsigned place = 0; place < kPlaces; ++place)
    if (isOpen(place) && !tasks[place].waits)
      chunks += std::max(tasks[place].numChunks - tasks[place].nextChunk.load(std::memory_order_relaxed), int64_t(0));
  // The run's own thread takes one.
  pool.call(chunks - 1);
}

void LaunchQueue::advanceShared() {
  std::unique_lock<std::mutex> lock(pool.getMutex());
  bool isAlone = std::none_of(std::begin(tasks), std::end(tasks), [](const Task &task) { return task.numThreads; });
  if (isAlone && getReadyGrains() <= 1) {
    pool.withdraw();
    isShared = false;
    return;
  }
  if (!work(lock))
    pool.waitForEnd(lock);
}

bool LaunchQueue::help(std::unique_lock<std::mutex> &lock) { return getReadyGrains() > 1 && work(lock); }

bool LaunchQueue::work(std::unique_lock<std::mutex> &lock) {
  for (uint64_t number = numSubmitted; number < numSubmitted + kPlaces; ++number) {
    unsigned place = number % kPlaces;
    Task &task = tasks[place];
    bool mayBegin = isOpen(place) && !task.waits;
    if (!mayBegin || task.nextChunk.load(std::memory_order_relaxed) >= task.numChunks)
      continue;
    ++task.numThreads;
    lock.unlock();
    runChunks(task);
    lock.lock();
    // Whoever leaves has found no chunk left, so that the last one to leave has seen all done.
    if (--task.numThreads == 0) {
      end(place);
      pool.tellEnd();
      announce();
    }
    return true;
  }
  return false;
}

void LaunchQueue::runChunks(Task &task) {
  const DynLaunch &launch = *task.launch;
  for (int64_t chunk = task.nextChunk.fetch_add(1, std::memory_order_relaxed); chunk < task.numChunks;
       chunk = task.nextChunk.fetch_add(1, std::memory_order_relaxed)) {
    int64_t begin = chunk * task.items;
    launch.work(&context, launch.arguments, begin, begin + std::min(task.items, launch.count - begin));
  }
}
