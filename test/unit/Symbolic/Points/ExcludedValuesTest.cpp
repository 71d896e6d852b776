//===- What is not equal ---------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {
struct ExcludedValues : SolverFixture {
  /// `TEXT != K` for each number but one.
  void exclude(const std::string &text, int64_t from, int64_t to, int64_t but) {
    for (int64_t value = from; value <= to; ++value) {
      if (value != but)
        EXPECT_TRUE(add(text + " != " + std::to_string(value)));
    }
  }
};
} // namespace

/// The same sum is at least 0 and not 0 then, which the integers around a question have to be told both.
TEST_F(ExcludedValues, EndsOfRangesMoveBehindThem) {
  declare("s: [0,10]");
  for (const char *fact : {"1 <= s mod 4", "s mod 4 <= 2", "s mod 4 != 1"})
    EXPECT_TRUE(add(fact));
  for (const char *query : {"s mod 4 == 2", "s != 5", "s != 1", "s >= 2", "s mod 2 == 0", "s in {2, 6, 10}"})
    expectYes(query);
  expectUnknown("s != 6");
}

TEST_F(ExcludedValues, OrdersMoveBehindThem) {
  declare("s: [0,?], t: [0,?]");
  for (const char *fact : {"s != t + 2", "s != t", "s >= t", "s != t + 1"})
    EXPECT_TRUE(add(fact));
  expectYes("s >= t + 3");
  expectYes("s >= 3");
  expectUnknown("s >= t + 4");
  EXPECT_TRUE(add("s <= t + 3"));
  expectYes("s == t + 3");
}

TEST_F(ExcludedValues, QuotientsBySizesMoveBehindThem) {
  declare("t: [3,?]");
  for (const char *fact : {"1 <= s floordiv t", "s floordiv t <= 3", "s floordiv t != 1", "s floordiv t != 2"})
    EXPECT_TRUE(add(fact));
  expectYes("s floordiv t >= 3");
  expectYes("s floordiv t == 3");
  expectNo("s floordiv t <= 2");
}

TEST_F(ExcludedValues, OneRemainderIsLeftOfMany) {
  for (int64_t modulus : {4, 15, 16})
    for (int64_t remainder : {int64_t(0), modulus / 2, modulus - 1}) {
      std::string quotient =
          "s" + std::to_string(modulus) + "_" + std::to_string(remainder) + " mod " + std::to_string(modulus);
      exclude(quotient, 0, modulus - 1, remainder);
      expectYes(quotient + " == " + std::to_string(remainder));
    }
}

TEST_F(ExcludedValues, OneDistanceIsLeftOfMany) {
  EXPECT_TRUE(add("t <= s"));
  EXPECT_TRUE(add("s <= t + 19"));
  exclude("s - t", 0, 18, -1);
  expectYes("s == t + 19");
}

/// More than are told to a solver of its own for a question.
TEST_F(ExcludedValues, WhatWasToldIsKnownAmongMany) {
  exclude("s", 0, 99, -1);
  exclude("u + v", 1000, 1099, -1);
  expectYes("s != 3");
  expectNo("s == 3");
  expectYes("u + v != 1000");
  expectNo("1000 == v + u");
  expectUnknown("u + v != 999");
}

/// Also where each of them may be the right one.
TEST_F(ExcludedValues, ValuesNextToEachOtherAreARange) {
  EXPECT_TRUE(add("tdiv(s - 10, 4) == -1"));
  expectYes("s in {3, 4, 5, 6}");
  expectNo("s in {7, 8, 9}");
  expectUnknown("s in {3, 4, 6}");
  expectYes("t mod 16 in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}");
  expectUnknown("t mod 16 in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}");
}
