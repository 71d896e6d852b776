//===- Reasons of answers and of contradictions ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
struct ExplainTest : test::SolverFixture {
  std::string explain(llvm::StringRef question) {
    std::string text;
    for (const ExplainStep &step : solver.explain(predicate(question)))
      text += step.fact + ": " + step.reason.text + "\n";
    return text;
  }
};
} // namespace

TEST_F(ExplainTest, ContradictionsAreRefusedAndForgotten) {
  declare("s: [0, 10]");
  ASSERT_TRUE(add("s == t", "required by add"));
  EXPECT_FALSE(add("t == 11", "wrong"));
  ASSERT_TRUE(solver.getConflict());
  EXPECT_NE(solver.getConflict()->message, "");
  expectUnknown("t == 7");
  ASSERT_TRUE(add("t == 7"));
  expectYes("s == 7");
}

TEST_F(ExplainTest, FactsThatHaveValuesNowhereAreRefused) {
  ASSERT_TRUE(add("t == u and u == 0"));
  for (const char *fact : {"s mod t == 0", "s floordiv t == 3", "s mod t <= 3", "s floordiv t != 3",
                           "s mod t == 3 or s floordiv (2*t) == 4"}) {
    EXPECT_FALSE(add(fact)) << fact;
    EXPECT_NE(solver.getConflict()->message.find(", which is 0"), std::string::npos) << solver.getConflict()->message;
  }
  // One alternative has a value.
  EXPECT_TRUE(add("s mod t == 3 or s == 4"));
  declare("z: [0, 0]");
  EXPECT_FALSE(add("s mod z <= 3"));
}

/// The chain is made when it is asked for, of what was known when the fact came.
TEST_F(ExplainTest, ConflictsAreOfTheFactsBeforeThem) {
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(add("x" + std::to_string(i) + " <= x" + std::to_string(i + 1)));
  ASSERT_TRUE(add("s == t + 1", "before"));
  ASSERT_FALSE(add("s <= t", "refused"));
  ASSERT_TRUE(add("s + 5 == x3 and x3 >= t + 6", "after"));
  const Conflict &conflict = *solver.getConflict();
  ASSERT_EQ(conflict.chain.size(), 2u);
  EXPECT_EQ(conflict.chain[0].reason.text, "before");
  EXPECT_EQ(conflict.chain[1].reason.text, "refused");
  // What was known before the refusal and after it is known still, and the refused fact is not.
  expectYes("x0 <= x40");
  expectYes("s == t + 1");
  expectYes("x3 == t + 6");
  ASSERT_FALSE(add("x3 <= t", "refused too"));
  EXPECT_EQ(solver.getConflict()->chain.back().reason.text, "refused too");
}

/// A step that follows is about what the steps before it say, not about symbols that nobody declared.
TEST_F(ExplainTest, StepsThatFollowTakeNumbersForNoSizes) {
  declare("b: [0, 1], u: int, v: int, w: int");
  ASSERT_TRUE(add("u == b - 1") && add("v == u") && add("w == v + 5"));
  ASSERT_FALSE(add("w >= 9"));
  bool isDerived = false;
  for (const ExplainStep &step : solver.getConflict()->chain) {
    isDerived |= step.isDerived;
    EXPECT_NE(step.fact, "u == 0");
    EXPECT_NE(step.fact, "w == 5");
  }
  EXPECT_TRUE(isDerived);
}

TEST_F(ExplainTest, ConflictsNameTheFactsThatMatterAndNoOthers) {
  declare("s4: [0, ?], s6: [0, ?], other: [0, ?]");
  ASSERT_TRUE(add("other == 5", "irrelevant"));
  ASSERT_TRUE(add("s4 == 768", "declared by argument 0, dim 2"));
  ASSERT_TRUE(add("other <= s6", "irrelevant too"));
  ASSERT_TRUE(add("s4 == s6", "required by dyn.add", "model.onnx:/l0/Add"));
  ASSERT_FALSE(add("s6 == 1024", "from constant /l0/W"));
  const Conflict &conflict = *solver.getConflict();
  EXPECT_EQ(conflict.message, "s6 and 1024 cannot be equal: 768 vs 1024");
  ASSERT_EQ(conflict.chain.size(), 4u);
  EXPECT_EQ(conflict.chain[0].fact, "s4 == 768");
  EXPECT_EQ(conflict.chain[0].reason.text, "declared by argument 0, dim 2");
  EXPECT_EQ(conflict.chain[1].fact, "s4 == s6");
  EXPECT_EQ(conflict.chain[1].reason.where, "model.onnx:/l0/Add");
  EXPECT_EQ(conflict.chain[2].fact, "s6 == 768");
  EXPECT_TRUE(conflict.chain[2].isDerived);
  EXPECT_EQ(conflict.chain[3].fact, "s6 == 1024");
  EXPECT_FALSE(conflict.chain[3].isDerived);
}

TEST_F(ExplainTest, ExplanationsAreMinimal) {
  ASSERT_TRUE(add("a == b", "one"));
  ASSERT_TRUE(add("c == d", "two"));
  ASSERT_TRUE(add("b == c", "three"));
  ASSERT_TRUE(add("a == x", "four"));
  std::vector<ExplainStep> chain = solver.explain(predicate("a == d"));
  ASSERT_EQ(chain.size(), 4u);
  EXPECT_EQ(chain[0].reason.text, "one");
  EXPECT_EQ(chain[1].reason.text, "three") << "each after one that it shares symbols with";
  EXPECT_EQ(chain[2].fact, "a == c");
  EXPECT_EQ(chain[3].reason.text, "two");
  EXPECT_TRUE(solver.explain(predicate("a + 1 == 1 + a")).empty()) << "ring arithmetic needs no fact";
  EXPECT_TRUE(solver.explain(predicate("a == y")).empty()) << "unknown";
}

TEST_F(ExplainTest, ReasonsOfAnAnswerFromCasesAreComplete) {
  declare("S: [1, 512], P: [0, 4096]");
  add("x == y or x == 1", "add", "model.onnx:/a");
  add("mask == S + P or mask == 1", "add", "model.onnx:/l0/Add");
  add("y == 4", "declared");
  add("S + P <= len", "slice", "model.onnx:/Slice");
  std::vector<ExplainStep> chain = solver.explain(predicate("mask <= len or mask == 1"));
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(chain[0].reason.where, "model.onnx:/l0/Add");
  EXPECT_EQ(chain[1].reason.where, "model.onnx:/Slice");
}

TEST_F(ExplainTest, WhatFollowsOnTheWayIsShown) {
  add("n * 12 == 8 * m", "reshape");
  add("m <= 30", "declared");
  add("n == k + 1", "concat");
  EXPECT_EQ(explain("k <= 19"), "12 * n == 8 * m: reshape\n"
                                "m <= 30: declared\n"
                                "n <= 20: follows\n"
                                "n == k + 1: concat\n");
  add("a <= b", "one");
  add("b <= c - 1", "two");
  add("c <= d", "three");
  add("d <= e - 2", "four");
  EXPECT_EQ(explain("a + 3 <= e"), "a <= b: one\n"
                                   "b <= c - 1: two\n"
                                   "a + 1 <= c: follows\n"
                                   "c <= d: three\n"
                                   "a + 1 <= d: follows\n"
                                   "d <= e - 2: four\n");
}

TEST_F(ExplainTest, WhatFollowsFromCasesIsShown) {
  declare("M: [2, ?]");
  add("N == M or N == 1 or M == 1", "add");
  add("N >= 2", "slice");
  add("N == K", "reshape");
  EXPECT_EQ(explain("M == K"), "M: [2, ?]: declared\n"
                               "N == M or N == 1 or M == 1: add\n"
                               "2 <= N: slice\n"
                               "M == N: follows\n"
                               "N == K: reshape\n");
}

TEST_F(ExplainTest, DerivedFactsHoldAndSuffice) {
  std::vector<std::string> facts = {"a == 2 * b", "b == c + d", "c mod 4 == 0", "d == 4 * e", "f <= a", "g >= f - 7"};
  for (const std::string &fact : facts)
    add(fact, fact);
  for (llvm::StringRef question : {"a mod 8 == 0", "f <= 2 * c + 8 * e", "a >= 2 * c", "g + 7 >= f"}) {
    std::vector<ExplainStep> chain = solver.explain(predicate(question));
    ASSERT_FALSE(chain.empty()) << question.str();
    for (size_t i = 0; i < chain.size(); ++i) {
      if (!chain[i].isDerived)
        continue;
      // What stands before implies it.
      Solver before(context);
      for (size_t j = 0; j < i; ++j)
        before.addPredicate(predicate(chain[j].fact), before.addReason({}));
      EXPECT_EQ(before.implies(predicate(chain[i].fact)), Verdict::Yes) << chain[i].fact << " for " << question.str();
      if (i + 1 < chain.size() && chain[i + 1].isDerived)
        continue;
      // With those beside it and what stands after it, it is enough.
      Solver after(context);
      for (size_t j = i + 1; j < chain.size() && !chain[j].isDerived; ++j)
        after.addPredicate(predicate(chain[j].fact), after.addReason({}));
      for (size_t j = i; j + 1 > 0 && chain[j].isDerived; --j)
        after.addPredicate(predicate(chain[j].fact), after.addReason({}));
      size_t next = i + 1;
      while (next < chain.size() && !chain[next].isDerived)
        ++next;
      std::string wanted = next < chain.size() ? chain[next].fact : question.str();
      EXPECT_EQ(after.implies(predicate(wanted)), Verdict::Yes) << wanted << " for " << question.str();
    }
  }
}

TEST_F(ExplainTest, ThatASymbolIsNoSizeIsNeverLeftOut) {
  declare("x: int, y: int");
  add("x == y", "one");
  add("y >= 3", "two");
  EXPECT_EQ(explain("x >= 0"), "x == y: one\n3 <= y: two\n");
}
