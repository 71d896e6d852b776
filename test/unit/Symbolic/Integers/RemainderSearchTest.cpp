//===- Questions that remainders decide -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
using RemainderSearchTest = test::SolverFixture;
} // namespace

TEST_F(RemainderSearchTest, APrimeThatDividesAProductDividesAFactor) {
  ASSERT_TRUE(add("x*y mod 11 == 0"));
  expectYes("x mod 11 == 0 or y mod 11 == 0");
  expectUnknown("x mod 11 == 0");
  ASSERT_TRUE(add("z*z*z mod 7 == 0"));
  expectYes("z mod 7 == 0");
  // 4 is no prime.
  ASSERT_TRUE(add("v*w mod 4 == 0"));
  expectUnknown("v mod 4 == 0 or w mod 4 == 0");
  expectYes("v mod 2 == 0 or w mod 2 == 0");
}

TEST_F(RemainderSearchTest, ProductsOfNeighbours) {
  declare("s: int, t: int");
  expectYes("s*(s + 1)*(s + 2) mod 6 == 0");
  expectYes("s*s mod 3 != 2");
  expectYes("(s*s + t*t) mod 4 != 3");
  expectUnknown("s*(s + 1) mod 4 == 0");
  expectUnknown("s*s mod 5 != 4");
}

TEST_F(RemainderSearchTest, FactsLeaveFewerRemainders) {
  ASSERT_TRUE(add("(s + t) mod 2 == 1"));
  expectYes("s*t mod 2 == 0");
  expectYes("s*t mod 2 == 0 and (s + 1)*(t + 1) mod 2 == 0");
  ASSERT_TRUE(add("u mod 4 <= 1 and (u*u + u) mod 4 == 2"));
  expectYes("u mod 4 == 1");
  // An equation of products holds for remainders too.
  ASSERT_TRUE(add("v*v == 3*w + 2*v"));
  expectYes("v mod 3 in (0, 2)");
  expectUnknown("v mod 3 == 0");
}

TEST_F(RemainderSearchTest, QuotientsInsideOfRemainders) {
  declare("s: int");
  expectYes("(s floordiv 2)*(s floordiv 2 + 1) mod 2 == 0");
  expectYes("(s*s floordiv 4) mod 2 == 0 or s mod 4 != 0");
  expectUnknown("(s*s floordiv 4) mod 2 == 0");
  // Less than 16 floordiv 5 + 1.
  expectYes("(s mod 16 floordiv 5) mod 4 == s mod 16 floordiv 5");
  expectUnknown("(s mod 16 floordiv 5) mod 3 == s mod 16 floordiv 5");
}

TEST_F(RemainderSearchTest, WhatIsKnownOfASymbolLeavesFewerRemainders) {
  declare("s: [3, 6], t: [0, ?] mod 8 rem 5");
  expectYes("(s*s + s) mod 7 in (0, 2, 5, 6)");
  expectYes("(t*t + s) mod 4 == (s + 1) mod 4");
  expectUnknown("(s*s + s) mod 7 in (0, 2, 5)");
}

/// What depends on more than remainders is left to others.
TEST_F(RemainderSearchTest, SizesThatRemainAreNotRemainders) {
  ASSERT_TRUE(add("s*t mod 2 == 1"));
  expectUnknown("s*t mod 2 + s == 4");
  expectUnknown("s*s*t mod 1031 == 1");
  expectUnknown("s*t floordiv u == 3");
}
