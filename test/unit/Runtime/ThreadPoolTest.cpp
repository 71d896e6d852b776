//===- Threads of a model do all work once ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"
#include "gtest/gtest.h"
#include <ctime>
#include <random>

using namespace dyn::runtime;

namespace {

/// How often each item was done.
struct Items {
  explicit Items(int64_t count) : done(size_t(count)) {}
  std::vector<std::atomic<int>> done;
};

void work(DynRunContext *, void *arguments, int64_t begin, int64_t end) {
  auto *items = static_cast<Items *>(arguments);
  ASSERT_LE(0, begin);
  ASSERT_LT(begin, end);
  ASSERT_LE(end, int64_t(items->done.size()));
  for (int64_t i = begin; i < end; ++i)
    ++items->done[size_t(i)];
}

} // namespace

TEST(ThreadPoolTest, LaunchesTogetherDoEveryItemOnce) {
  std::mt19937 random(3);
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<Items> items;
      std::vector<DynLaunch> launches;
      items.reserve(DYN_MAX_CONCURRENT_LAUNCHES);
      for (size_t i = 0; i < 1 + random() % DYN_MAX_CONCURRENT_LAUNCHES; ++i) {
        int64_t counts[] = {0, 1, 2, 7, int64_t(random() % 1000)};
        int64_t grains[] = {1, 3, 64, int64_t(1) << 40};
        items.emplace_back(counts[random() % 5]);
        launches.push_back({work, &items.back(), int64_t(items.back().done.size()), grains[random() % 4], 0});
      }
      pool.run(nullptr, launches.data(), int64_t(launches.size()));
      for (const Items &each : items)
        for (const std::atomic<int> &done : each.done)
          ASSERT_EQ(done, 1);
    }
  }
}

TEST(ThreadPoolTest, SmallLaunchesTogetherAreWorthThreads) {
  // Each of the launches alone is less than a grain. Who waits for the other one shows that both run at once.
  struct Meeting {
    std::atomic<int> here{0};
    std::atomic<bool> met{false};
  } meeting;
  auto meet = [](DynRunContext *, void *arguments, int64_t, int64_t) {
    auto *meeting = static_cast<Meeting *>(arguments);
    ++meeting->here;
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (meeting->here < 2 && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    meeting->met = meeting->here == 2;
  };
  ThreadPool pool(2);
  DynLaunch launches[] = {{meet, &meeting, 9, 10, 0}, {meet, &meeting, 9, 10, 1}};
  pool.run(nullptr, launches, 2);
  EXPECT_TRUE(meeting.met);
}

TEST(ThreadPoolTest, LessThanAGrainStaysWithTheCaller) {
  auto note = [](DynRunContext *, void *arguments, int64_t begin, int64_t end) {
    static_cast<std::vector<std::thread::id> *>(arguments)->push_back(std::this_thread::get_id());
  };
  ThreadPool pool(3);
  std::vector<std::thread::id> callers;
  DynLaunch launches[] = {{note, &callers, 3, 10, 0}, {note, &callers, 0, 1, 1}, {note, &callers, 6, 10, 2}};
  pool.run(nullptr, launches, 3);
  EXPECT_EQ(callers, std::vector(2, std::this_thread::get_id()));
}

TEST(ThreadPoolTest, IdleThreadsSleep) {
  // The time that processors gave to this process, so that other processes can't add to it.
  auto getProcessorSeconds = [] {
    timespec time;
    EXPECT_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
  ThreadPool pool(4);
  for (int trial = 0; trial < 3; ++trial) {
    Items items(1000);
    DynLaunch launch = {work, &items, 1000, 1, 0};
    pool.run(nullptr, &launch, 1);
    for (const std::atomic<int> &done : items.done)
      ASSERT_EQ(done, 1);
    double before = getProcessorSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    // Three threads awake for 50 us each are wanted; three that never sleep take 6 ms even where others need the
    // processors.
    EXPECT_LT(getProcessorSeconds() - before, 0.002);
  }
}
