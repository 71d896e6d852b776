//===- A few points that facts allow, chosen before any question ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Points/TrialPoints.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include "gtest/gtest.h"
#include <random>

using namespace dyn::symbolic;

namespace {

class TrialPointsTest : public testing::Test {
protected:
  Predicate parse(llvm::StringRef text) {
    ParseError error;
    std::optional<Predicate> predicate = parsePredicate(text, context, error);
    EXPECT_TRUE(predicate) << text.str();
    return predicate.value_or(Predicate());
  }
  bool leavesOpen(llvm::StringRef question) { return points.look(parse(question)).areBoth(); }
  void declare(const std::string &name, Range range, int64_t modulus = 1, int64_t remainder = 0) {
    SymbolFacts facts;
    facts.range = range;
    facts.modulus = modulus;
    facts.remainder = remainder;
    points.declare(context.getSymbol(name), facts);
  }

  SymbolicContext context;
  TrialPoints points;
};

TEST_F(TrialPointsTest, SizesMayBeEqualOrNot) {
  for (const char *question : {"a == b", "a == 1", "a == 0", "a <= b", "b <= a", "a <= 2147483647", "16 <= a",
                               "a == b or a == 1 or b == 1", "a mod 8 == 0", "1 <= a floordiv 2"})
    EXPECT_TRUE(leavesOpen(question)) << question;
}

TEST_F(TrialPointsTest, WhatFactsDecideIsNotOpen) {
  declare("seq", {1, 512});
  declare("width", {8, std::nullopt}, 8, 3);
  points.add(parse("past + seq == total"));
  points.add(parse("1 <= (height - 1) floordiv 2 + 1"));
  for (const char *question : {"0 <= a", "1 <= seq", "seq <= 512", "513 <= seq", "width mod 8 == 3", "past <= total",
                               "total == past", "seq <= total", "1 <= height", "total - past == seq"})
    EXPECT_FALSE(leavesOpen(question)) << question;
  for (const char *question : {"seq <= past", "past == seq", "2 <= height", "seq == 512"})
    EXPECT_TRUE(leavesOpen(question)) << question;
  EXPECT_TRUE(points.refute(parse("2 <= height")));
  EXPECT_FALSE(points.refute(parse("1 <= height")));
}

TEST_F(TrialPointsTest, ADeclarationAfterAFactCounts) {
  points.add(parse("a <= b"));
  EXPECT_TRUE(leavesOpen("b <= 4"));
  declare("b", {std::nullopt, 4});
  EXPECT_FALSE(leavesOpen("b <= 4"));
  EXPECT_FALSE(leavesOpen("a <= 4"));
}

TEST_F(TrialPointsTest, NoPointIsLeftBesideContradictions) {
  points.add(parse("a <= b"));
  points.add(parse("b + 1 <= a"));
  EXPECT_FALSE(leavesOpen("a == c"));
  EXPECT_FALSE(points.refute(parse("1 == 2")));
}

/// By symbols, too, that get their values only where an alternative before them does not hold any more.
TEST_F(TrialPointsTest, APointThatMovedMeetsAllFacts) {
  for (int count : {1, 5, 20, 60}) {
    TrialPoints some;
    std::string alternatives;
    for (int i = 0; i < count; ++i)
      alternatives += " or c" + std::to_string(i) + " == 5";
    std::vector<Predicate> facts = {parse("a <= 17179869184" + alternatives), parse("a == 34359738368")};
    for (const Predicate &fact : facts)
      some.add(fact);
    for (const Predicate &fact : facts)
      EXPECT_FALSE(some.refute(fact)) << count << ": " << fact.str();
  }
}

TEST_F(TrialPointsTest, APointMovesByOneSymbolAfterAnother) {
  for (const char *fact : {"x < w", "y*w + x == v*w + z", "a < b", "y < 8*m", "v mod w == 0", "c == x", "d == z",
                           "c <= d ceildiv 2", "x == 1 or x == w"})
    points.add(parse(fact));
  EXPECT_TRUE(points.isAnyLeft());
  EXPECT_TRUE(points.refute(parse("x == 0")));
}

/// What points show is true of small values too that are found by trying all of them.
TEST_F(TrialPointsTest, OpenQuestionsHaveBothAnswers) {
  std::mt19937 random(5);
  auto pick = [&](auto... texts) {
    std::array<const char *, sizeof...(texts)> all{texts...};
    return std::string(all[random() % all.size()]);
  };
  unsigned numOpen = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    auto makeSide = [&] {
      return pick("a", "b", "c", "a + b", "2 * c", "a * b", "max(a, c)", "(a + 1) floordiv 2", "3", "1", "0",
                  "b mod 2");
    };
    auto makeFact = [&] { return makeSide() + pick(" == ", " <= ", " <= ", " != ") + makeSide(); };
    TrialPoints some;
    std::vector<Predicate> facts;
    for (unsigned i = random() % 4; i > 0; --i) {
      facts.push_back(parse(random() % 3 ? makeFact() : makeFact() + " or " + makeFact()));
      some.add(facts.back());
    }
    Predicate question = parse(makeFact());
    if (!some.look(question).areBoth())
      continue;
    ++numOpen;
    bool isTrue = false, isFalse = false;
    for (int64_t index = 0; index < 80 * 80 * 80 && !(isTrue && isFalse); ++index) {
      auto valueOf = [&](llvm::StringRef name) -> std::optional<int64_t> {
        return name == "a" ? index % 80 : name == "b" ? index / 80 % 80 : index / 6400;
      };
      if (!llvm::all_of(facts, [&](const Predicate &fact) { return evaluate(fact, valueOf) == true; }))
        continue;
      (evaluate(question, valueOf) == true ? isTrue : isFalse) = true;
    }
    std::string text;
    for (const Predicate &fact : facts)
      text += fact.str() + "; ";
    EXPECT_TRUE(isTrue && isFalse) << question.str() << " given " << text;
  }
  EXPECT_GT(numOpen, 400u);
}

TEST_F(TrialPointsTest, ASolverAnswersAsBefore) {
  Solver solver(context);
  EXPECT_EQ(solver.implies(parse("a == b")), Verdict::Unknown);
  ASSERT_TRUE(solver.addPredicate(parse("a <= 7"), solver.addReason({})));
  EXPECT_EQ(solver.implies(parse("a == b")), Verdict::Unknown);
  ASSERT_TRUE(solver.addPredicate(parse("a == b"), solver.addReason({})));
  EXPECT_EQ(solver.implies(parse("a == b")), Verdict::Yes);
  EXPECT_EQ(solver.implies(parse("b <= 7")), Verdict::Yes);
  EXPECT_EQ(solver.implies(parse("8 <= b")), Verdict::No);
}

} // namespace
