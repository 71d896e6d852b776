//===- Sizes with few values ------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/PointFacts.h"
#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
struct PointSearchTest : test::SolverFixture {
  const Atom *atom(llvm::StringRef name) { return getTerms(context.getSymbol(name))[0].monomial->getAtom(); }
};
} // namespace

TEST_F(PointSearchTest, ProductsAndQuotientsOfSmallSizesAreDecided) {
  declare("s: [0, 20], t: [0, 20]");
  add("t*s == ceildiv(s, 6)");
  add("s <= 2*t");
  expectYes("s == s mod 5");
  expectYes("t >= s");
  expectYes("s <= 1");
  expectUnknown("s == 1");
  expectUnknown("t <= 19");
}

TEST_F(PointSearchTest, FactsThatNoSmallSizeAllowsAreRefused) {
  EXPECT_TRUE(add("s <= 300"));
  EXPECT_FALSE(add("max(s, 5) == s*s"));
  EXPECT_TRUE(add("max(s, 4) == s*s"));
  expectYes("s == 2");
}

TEST_F(PointSearchTest, ASideWithoutAValueIsNotEqualToOneWithAValue) {
  declare("s: [0, 5], t: [0, 5]");
  expectUnknown("s*t floordiv t == s");
  expectYes("floordiv(s*t, t) == floordiv(s*t*t, t*t)");
  add("t != 0");
  expectYes("s*t floordiv t == s");
}

TEST_F(PointSearchTest, FactsHoldWhereTheirSymbolsHaveValues) {
  PointFacts facts(context.getImpl(), {atom("s"), atom("t")}, /*factsHaveValues=*/true);
  facts.add(PointFacts::NonNegative, expr("s - 2"));
  facts.add(predicate("s*t == 12 or t == 1"));
  facts.addQuestion(predicate("t floordiv (s - 3) >= 2"));
  EXPECT_FALSE(facts.mayHold(0, 1));
  EXPECT_TRUE(facts.mayHold(0, 6));
  EXPECT_TRUE(facts.mayHold(1, 2));
  EXPECT_TRUE(facts.mayHold(1, 1));
  EXPECT_FALSE(facts.mayHold(1, 3));
  // The question holds there.
  EXPECT_TRUE(facts.mayHold(0, 4));
  EXPECT_FALSE(facts.mayHold(1, 3));
  // It has no value there, which is not false.
  EXPECT_TRUE(facts.mayHold(0, 3));
  EXPECT_FALSE(facts.mayHold(1, 4));
  EXPECT_FALSE(facts.hasOverflown());
  facts.add(PointFacts::Zero, expr("s*s*s*s*s - t"));
  EXPECT_TRUE(facts.mayHold(0, 100000));
  EXPECT_TRUE(facts.mayHold(1, 1));
  EXPECT_TRUE(facts.hasOverflown());
}

TEST_F(PointSearchTest, SizesOfWhichOneHasNoValueAreNotEqual) {
  auto isFalseAtZero = [&](const char *question) {
    PointFacts facts(context.getImpl(), {atom("s"), atom("t")}, /*factsHaveValues=*/true);
    facts.addQuestion(predicate(question));
    return facts.mayHold(0, 0) && facts.mayHold(1, 0);
  };
  EXPECT_TRUE(isFalseAtZero("7 floordiv t == s"));
  EXPECT_TRUE(isFalseAtZero("not 7 floordiv t != s"));
  EXPECT_TRUE(isFalseAtZero("7 floordiv t == s and s == t"));
  EXPECT_FALSE(isFalseAtZero("7 floordiv t != s"));
  EXPECT_FALSE(isFalseAtZero("7 floordiv t == 9 floordiv t"));
  EXPECT_FALSE(isFalseAtZero("7 floordiv t == s or s == t"));
  EXPECT_FALSE(isFalseAtZero("7 floordiv t == exactdiv(9, t)"));
}

TEST_F(PointSearchTest, WhatHasNoValueDoesNotHold) {
  PointFacts facts(context.getImpl(), {atom("s"), atom("t")}, /*factsHaveValues=*/true);
  facts.add(PointFacts::NonZero, expr("bcast(s, t)"));
  facts.add(predicate("not exactdiv(s, t) == 7"));
  EXPECT_TRUE(facts.mayHold(0, 6));
  EXPECT_TRUE(facts.mayHold(1, 1));
  EXPECT_TRUE(facts.mayHold(1, 6));
  EXPECT_FALSE(facts.mayHold(1, 2));
  EXPECT_TRUE(facts.mayHold(0, 1));
  EXPECT_FALSE(facts.mayHold(1, 3));
}

TEST_F(PointSearchTest, WhatHasNoValueMaySayNothing) {
  PointFacts facts(context.getImpl(), {atom("s"), atom("t")}, /*factsHaveValues=*/false);
  facts.add(PointFacts::NonZero, expr("bcast(s, t)"));
  facts.add(predicate("s floordiv t <= 2"));
  EXPECT_TRUE(facts.mayHold(0, 6));
  EXPECT_FALSE(facts.mayHold(1, 1));
  EXPECT_TRUE(facts.mayHold(1, 4));
  EXPECT_TRUE(facts.mayHold(1, 0));
}

TEST_F(PointSearchTest, FactsDoNotSayThatTheyHaveValues) {
  declare("s: [0, 4], t: [0, 4], u: [0, 4], v: [0, 4]");
  ASSERT_TRUE(add("u*u == bcast(s, t) and u + 3 >= s floordiv v"));
  expectUnknown("s == t or s == 1 or t == 1");
  expectUnknown("v != 0");
  // Nothing is left where they do.
  EXPECT_FALSE(add("v == 0"));
  EXPECT_FALSE(add("s == 2 and t == 3"));
}

TEST_F(PointSearchTest, AnEquationTellsTheLastOfItsSymbols) {
  using Bounds = std::pair<int64_t, int64_t>;
  auto narrow = [](PointFacts &facts, int64_t s) {
    EXPECT_TRUE(facts.mayHold(0, s));
    Bounds bounds(0, 50);
    facts.narrow(1, bounds.first, bounds.second);
    return bounds;
  };
  PointFacts facts(context.getImpl(), {atom("s"), atom("t")}, /*factsHaveValues=*/false);
  facts.add(predicate("s*t == 12"));
  facts.add(predicate("s floordiv (s - 3) + t == 99"));
  EXPECT_EQ(narrow(facts, 3), Bounds(4, 4));
  for (int64_t none : {0, 5}) {
    Bounds bounds = narrow(facts, none);
    EXPECT_GT(bounds.first, bounds.second);
  }
  PointFacts free(context.getImpl(), {atom("s"), atom("t")}, /*factsHaveValues=*/true);
  free.add(PointFacts::Zero, expr("s*t - s"));
  EXPECT_EQ(narrow(free, 0), Bounds(0, 50));
}

/// Of a symbol that an equation tells, not all values are tried.
TEST_F(PointSearchTest, FactorsOfNumbersThatHaveManyPairsOfValues) {
  ASSERT_TRUE(add("s*t == 211"));
  expectYes("s in (1, 211) and t in (1, 211)");
  expectUnknown("s == 1");
  ASSERT_TRUE(add("u*v == 343 and u >= 2 and v >= 2"));
  expectYes("u in (7, 49)");
  expectUnknown("u == 7");
}
