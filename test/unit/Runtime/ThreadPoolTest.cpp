//===- Threads of a model do all work once ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"
#include "LaunchQueue.h"
#include "gtest/gtest.h"
#include <ctime>
#include <random>
#include <set>

using namespace dyn::runtime;

namespace {

/// How often each item was done.
struct Items {
  explicit Items(int64_t count) : done(size_t(count)) {}
  std::vector<std::atomic<int>> done;
};

/// Runs launches, each after some of those before it.
void run(ThreadPool &pool, const std::vector<DynLaunch> &launches) {
  DynRunContext context = {};
  LaunchQueue queue(pool, context);
  for (const DynLaunch &launch : launches)
    queue.submit(launch);
  queue.finish();
}

void work(DynRunContext *, void *arguments, int64_t begin, int64_t end) {
  auto *items = static_cast<Items *>(arguments);
  ASSERT_LE(0, begin);
  ASSERT_LT(begin, end);
  ASSERT_LE(end, int64_t(items->done.size()));
  for (int64_t i = begin; i < end; ++i)
    ++items->done[size_t(i)];
}

} // namespace

TEST(ThreadPoolTest, EveryItemIsDoneOnceAndAfterWhatItWaitsFor) {
  struct Step {
    std::atomic<int64_t> numDone{0};
    int64_t count = 0;
    std::set<const Step *> before;
    std::vector<std::atomic<int>> done;
    std::atomic<bool> wasEarly{false};
  };
  auto step = [](DynRunContext *, void *arguments, int64_t begin, int64_t end) {
    Step &step = *static_cast<Step *>(arguments);
    for (const Step *other : step.before)
      if (other->numDone != other->count)
        step.wasEarly = true;
    for (int64_t i = begin; i < end; ++i)
      ++step.done[size_t(i)];
    step.numDone += end - begin;
  };
  std::mt19937 random(3);
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<Step> steps(1 + random() % 80);
      std::vector<DynLaunch> launches;
      // From chains to none at all that wait.
      unsigned density = random() % 17;
      for (size_t i = 0; i < steps.size(); ++i) {
        int64_t counts[] = {0, 1, 2, 7, int64_t(random() % 1000)};
        int64_t grains[] = {1, 3, 64, int64_t(1) << 40};
        Step &each = steps[i];
        each.count = counts[random() % 5];
        each.done = std::vector<std::atomic<int>>(size_t(each.count));
        int64_t after = 0;
        for (size_t distance = 1; distance < DYN_LAUNCH_WINDOW; ++distance)
          if (random() % 17 < density) {
            after |= int64_t(1) << (distance - 1);
            if (distance > i)
              continue;
            // What a launch without work waits for is waited for by those after it.
            const Step &before = steps[i - distance];
            each.before.insert(&before);
            each.before.insert(before.before.begin(), before.before.end());
          }
        for (size_t other = 0; other + DYN_LAUNCH_WINDOW <= i; ++other)
          each.before.insert(&steps[other]);
        launches.push_back({step, &each, each.count, grains[random() % 4], int64_t(i), after});
      }
      run(pool, launches);
      for (const Step &each : steps) {
        ASSERT_FALSE(each.wasEarly);
        for (const std::atomic<int> &done : each.done)
          ASSERT_EQ(done, 1);
      }
    }
  }
}

namespace {

/// Work that ends when as much of it has begun as is to be, or after a long time.
struct Meeting {
  explicit Meeting(int expected) : expected(expected) {}
  const int expected;
  std::atomic<int> here{0};
  std::atomic<bool> met{false};
};

void meet(DynRunContext *, void *arguments, int64_t, int64_t) {
  auto *meeting = static_cast<Meeting *>(arguments);
  ++meeting->here;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (meeting->here < meeting->expected && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  meeting->met = meeting->here == meeting->expected;
}

void nothing(DynRunContext *, void *, int64_t, int64_t) {}

} // namespace

TEST(ThreadPoolTest, SmallLaunchesTogetherAreWorthThreads) {
  // Each of the launches alone is less than a grain. Who waits for the other one shows that both run at once.
  Meeting meeting(2);
  ThreadPool pool(2);
  run(pool, {{meet, &meeting, 9, 10, 0, 0}, {meet, &meeting, 9, 10, 1, 0}});
  EXPECT_TRUE(meeting.met);
}

TEST(ThreadPoolTest, ChainsDoNotWaitForEachOther) {
  // The first step of one chain lasts until the last of the other one, five steps later, has begun.
  Meeting meeting(2);
  ThreadPool pool(2);
  constexpr int64_t second = 1 << 1;
  run(pool, {{meet, &meeting, 30, 40, 0, 0},
             {nothing, nullptr, 20, 10, 1, 0},
             {nothing, nullptr, 20, 10, 2, second},
             {nothing, nullptr, 20, 10, 3, second},
             {nothing, nullptr, 20, 10, 4, second},
             {nothing, nullptr, 20, 10, 5, second},
             {nothing, nullptr, 20, 10, 6, second},
             {meet, &meeting, 30, 40, 7, second}});
  EXPECT_TRUE(meeting.met);
}

TEST(ThreadPoolTest, RunsThatFindThreadsBusyGoOnAlone) {
  // Each holds a thread of the pool until the other one has begun, in a launch that is worth threads.
  Meeting meeting(2);
  ThreadPool pool(2);
  auto runOne = [&] { run(pool, {{meet, &meeting, 1, 1, 0, 0}, {nothing, nullptr, 20, 1, 1, 0}}); };
  std::thread other(runOne);
  runOne();
  other.join();
  EXPECT_TRUE(meeting.met);
}

TEST(ThreadPoolTest, LessThanAGrainStaysWithTheCaller) {
  auto note = [](DynRunContext *, void *arguments, int64_t, int64_t) {
    static_cast<std::vector<std::thread::id> *>(arguments)->push_back(std::this_thread::get_id());
  };
  ThreadPool pool(3);
  std::vector<std::thread::id> callers;
  run(pool, {{note, &callers, 3, 10, 0, 0}, {note, &callers, 0, 1, 1, 0}, {note, &callers, 6, 10, 2, 0}});
  EXPECT_EQ(callers, std::vector(2, std::this_thread::get_id()));
  // However many they are, if each waits for the one before.
  callers.clear();
  run(pool, std::vector(40, DynLaunch{note, &callers, 9, 10, 0, 1}));
  EXPECT_EQ(callers, std::vector(40, std::this_thread::get_id()));
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
    run(pool, {{work, &items, 1000, 1, 0, 0}});
    for (const std::atomic<int> &done : items.done)
      ASSERT_EQ(done, 1);
    double before = getProcessorSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    // Three threads awake for 50 us each are wanted; three that never sleep take 6 ms even where others need the
    // processors.
    EXPECT_LT(getProcessorSeconds() - before, 0.002);
  }
}
