//===- Orders along many facts ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// More facts than a solver tells again for a question, which only a walk along them
// combines.
//
//===----------------------------------------------------------------------===//

#include "Properties/Properties.h"
#include "SolverFixture.h"
#include "llvm/ADT/STLExtras.h"
#include <random>

using namespace dyn::symbolic;

namespace {
struct DifferenceTest : test::SolverFixture {
  static constexpr int count = 60;

  /// The text with i and i + 1 in place of `#` and `@`.
  static std::string number(llvm::StringRef text, int i) {
    std::string result;
    for (char c : text)
      result += c == '#' ? std::to_string(i) : c == '@' ? std::to_string(i + 1) : std::string(1, c);
    return result;
  }
  void addAll(llvm::StringRef text) {
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(add(number(text, i), "step " + std::to_string(i)));
  }
};
} // namespace

TEST_F(DifferenceTest, StepsAddUp) {
  addAll("x# + 2 <= x@");
  expectYes("x0 + 120 <= x60");
  expectUnknown("x0 + 121 <= x60");
  expectYes("x60 >= 120");
  expectNo("x60 <= 119");
  expectNo("x7 == x50");
  expectUnknown("x60 <= 120");
}

TEST_F(DifferenceTest, MaximaAreAtLeastTheirOperands) {
  addAll("x@ == max(x#, y#)");
  expectYes("x3 <= x60");
  expectYes("y17 <= x60");
  expectUnknown("x60 <= y17");
}

TEST_F(DifferenceTest, MinimaAreAtMostTheirOperands) {
  addAll("x@ == min(x#, y#)");
  expectYes("x60 <= x3");
  expectYes("x60 <= y17");
  expectUnknown("y17 <= x60");
}

TEST_F(DifferenceTest, QuotientsOfSizesAreNoLarger) {
  addAll("h@ == (h# - 1) floordiv 2 + 1");
  expectYes("h60 <= h0");
  expectUnknown("h60 < h0");
  EXPECT_FALSE(add("h40 == h20 + 1"));
}

TEST_F(DifferenceTest, WhatIsAddedHasABound) {
  declare("pad: [1, 3]");
  addAll("x@ == x# + pad");
  expectYes("x0 + 60 <= x60");
  expectYes("x60 <= x0 + 180");
  expectUnknown("x60 <= x0 + 179");
}

TEST_F(DifferenceTest, QuestionsAboutMaximaAreAboutTheirOperands) {
  addAll("x# <= x@");
  expectYes("max(x3, x9) <= x50");
  expectYes("x3 <= max(x20, other)");
  expectUnknown("max(x3, other) <= x50");
}

TEST_F(DifferenceTest, AFactThatContradictsAChainIsRefusedAndExplained) {
  addAll("x# <= x@");
  ASSERT_TRUE(add("x60 <= t", "last"));
  ASSERT_FALSE(add("x3 == t + 6", "refused"));
  const Conflict &conflict = *solver.getConflict();
  ASSERT_EQ(conflict.chain.size(), 59u);
  EXPECT_EQ(conflict.chain.front().reason.text, "step 3");
  EXPECT_EQ(conflict.chain[57].reason.text, "last");
  EXPECT_EQ(conflict.chain.back().reason.text, "refused");
  // It is not known afterwards, and what could be known still can.
  EXPECT_TRUE(add("x3 + 6 == t"));
  expectYes("x3 < t");
}

TEST_F(DifferenceTest, RangesAtBothEndsOfAChainContradictEachOther) {
  addAll("x# <= x@");
  ASSERT_TRUE(add("x60 <= 9", "most"));
  ASSERT_FALSE(add("x0 >= 10", "refused"));
  EXPECT_EQ(solver.getConflict()->chain.size(), 62u);
}

TEST_F(DifferenceTest, ExplanationsListTheSteps) {
  addAll("x@ == max(x#, y#)");
  std::vector<ExplainStep> steps = solver.explain(predicate("x10 <= x50"));
  ASSERT_EQ(steps.size(), 40u);
  EXPECT_EQ(steps.front().fact, "x11 == max(x10, y10)");
}

TEST_F(DifferenceTest, AShortWayDoesNotHideALongerOne) {
  addAll("other# <= other@");
  for (const char *fact : {"a <= b", "a <= c", "b == d", "c + 1 <= d"})
    ASSERT_TRUE(add(fact));
  // That d - a is at least 0 is asked first.
  expectNo("a == d");
}

TEST_F(DifferenceTest, DeclaredSymbolsMayBeNegative) {
  declare("x0: [?, ?], x60: [?, ?]");
  addAll("x# + 1 <= x@");
  expectUnknown("x60 >= 60");
  expectYes("x60 >= x0 + 60");
  // The others are sizes.
  expectYes("x60 >= 59");
}

/// That it is a size was no fact, and what was computed with it no longer holds.
TEST_F(DifferenceTest, ADeclarationMayComeAfterQuestions) {
  addAll("x# <= x@");
  expectYes("x0 >= 0");
  EXPECT_EQ(solver.getRange(expr("x0")).lower, 0);
  declare("x0: [?, ?]");
  EXPECT_EQ(solver.getRange(expr("x0")).lower, std::nullopt);
  expectUnknown("x0 >= 0");
  EXPECT_TRUE(add("x0 <= -1"));
  expectNo("x0 >= 0");
}

TEST_F(DifferenceTest, ADeclarationTakesNoFactBack) {
  addAll("x# <= x@");
  ASSERT_TRUE(add("x0 >= 0"));
  declare("x0: [?, ?]");
  expectYes("x60 >= 0");
}

/// What a step is worth is computed for each question anew, as far as effort goes.
TEST_F(DifferenceTest, QuestionsBeforeMakeNoDifference) {
  constexpr int many = 1000;
  for (int i = 0; i < many; ++i)
    ASSERT_TRUE(add(number("s# + t# <= s@", i)));
  Solver asked = solver.fork();
  for (int first : {0, 250, 500, 750})
    asked.implies(predicate("s" + std::to_string(first) + " <= s" + std::to_string(first + 250)));
  for (int last : {100, 300, 500, 700, 800, 900, 1000}) {
    Predicate question = predicate("s0 <= s" + std::to_string(last));
    EXPECT_EQ(solver.fork().implies(question), asked.implies(question)) << last;
  }
}

TEST_F(DifferenceTest, WhichFactsCameFirstMakesNoDifference) {
  std::vector<std::string> facts;
  for (int i = 0; i < count; ++i) {
    facts.push_back(number("x@ == max(x#, y#)", i));
    facts.push_back(number("y# + 1 <= z#", i));
    facts.push_back(number("z# <= x@ + 5", i));
  }
  std::mt19937 engine(7);
  for (int shuffle = 0; shuffle < 6; ++shuffle) {
    std::shuffle(facts.begin(), facts.end(), engine);
    SymbolicContext context;
    Solver shuffled(context);
    ReasonId reason = shuffled.addReason({"given", "", 0});
    auto parse = [&](llvm::StringRef text) {
      ParseError error;
      return *parsePredicate(text, context, error);
    };
    for (const std::string &fact : facts)
      ASSERT_TRUE(shuffled.addPredicate(parse(fact), reason));
    EXPECT_EQ(shuffled.implies(parse("z9 <= x30 + 5")), Verdict::Yes);
    EXPECT_EQ(shuffled.implies(parse("y9 + 1 <= x30 + 5")), Verdict::Yes);
    EXPECT_EQ(shuffled.implies(parse("x30 + 6 <= z9")), Verdict::No);
    EXPECT_EQ(shuffled.implies(parse("z9 <= x30 + 4")), Verdict::Unknown);
  }
}

/// A walk alone, which a solver asks for what it does not know otherwise.
TEST_F(DifferenceTest, WalksAreNeverWrong) {
  test::EnumerationCount count;
  for (uint64_t seed = 0; seed < 20000; ++seed)
    ASSERT_EQ(test::checkWalks(seed, count), "");
  EXPECT_GE(count.decided * 100, count.decidable * 20) << count.decided << " of " << count.decidable;
}
