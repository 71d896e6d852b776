//===- Packing at run time ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Packing.h"
#include "gtest/gtest.h"
#include <random>

using namespace dyn::runtime;

TEST(PackingTest, NothingNeedsNothing) { EXPECT_EQ(packBuffers({}, {}, {}).bytes, 0); }

TEST(PackingTest, RandomBuffersNeverOverlap) {
  std::mt19937 random(3);
  auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  for (int graph = 0; graph < 200; ++graph) {
    std::vector<int64_t> lines, lifetimes;
    for (int64_t count = pick(1, 60); count > 0; --count) {
      lines.push_back(pick(0, graph % 2 ? 5 : 100000));
      int64_t first = pick(0, 50);
      lifetimes.insert(lifetimes.end(), {first, first + pick(0, 20)});
    }
    std::vector<int64_t> beside;
    for (int64_t pairs = pick(0, 40); pairs > 0; --pairs)
      beside.insert(beside.end(), {pick(0, int64_t(lines.size()) - 1), pick(0, int64_t(lines.size()) - 1)});
    auto areBeside = [&](size_t i, size_t j) {
      for (size_t k = 0; k < beside.size(); k += 2)
        if (std::minmax(beside[k], beside[k + 1]) == std::minmax(int64_t(i), int64_t(j)))
          return true;
      return false;
    };
    Packing packing = packBuffers(lines, lifetimes, beside);
    ASSERT_EQ(packing.places.size(), lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      int64_t begin = packing.places[i], end = begin + lines[i] * 64;
      EXPECT_EQ(begin % 64, 0);
      EXPECT_GE(begin, 0);
      EXPECT_LE(end, packing.bytes);
      for (size_t j = 0; j < i; ++j) {
        bool isTogether = lifetimes[2 * i] <= lifetimes[2 * j + 1] && lifetimes[2 * j] <= lifetimes[2 * i + 1];
        int64_t otherBegin = packing.places[j], otherEnd = otherBegin + lines[j] * 64;
        if ((isTogether || areBeside(i, j)) && lines[i] && lines[j])
          EXPECT_TRUE(end <= otherBegin || otherEnd <= begin) << graph << ": " << i << " and " << j;
      }
    }
  }
}

TEST(PackingTest, SumsThatOverflowGiveNoPlaces) {
  std::vector<int64_t> lines(100, int64_t(1) << 56), lifetimes(200);
  Packing packing = packBuffers(lines, lifetimes, {});
  EXPECT_EQ(packing.bytes, INT64_MAX);
  // What is never needed together has room, and a product that overflows is no size.
  lifetimes = {0, 0, 1, int64_t(1) << 40};
  EXPECT_EQ(packBuffers({int64_t(1) << 55, int64_t(1) << 54}, lifetimes, {}).bytes, int64_t(1) << 61);
}

TEST(PackingTest, CacheForgetsWhatWasUsedLongestAgo) {
  PackingCache cache;
  PackingCache::Entry found;
  EXPECT_FALSE(cache.find({1, 2}, found));
  cache.add({1, 2}, std::make_shared<const Packing>(Packing{{}, 64}));
  for (int64_t i = 0; i < 200; ++i) {
    cache.add({i, 0}, nullptr);
    ASSERT_TRUE(cache.find({1, 2}, found));
    EXPECT_EQ(found->bytes, 64);
  }
  EXPECT_FALSE(cache.find({3, 0}, found));
  ASSERT_TRUE(cache.find({199, 0}, found));
  EXPECT_EQ(found, nullptr);
}
