//===- Reasons of answers and of contradictions ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
using ExplainTest = test::SolverFixture;
}

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

TEST_F(ExplainTest, ConflictsNameTheFactsThatMatterAndNoOthers) {
  declare("s4: [0, ?], s6: [0, ?], other: [0, ?]");
  ASSERT_TRUE(add("other == 5", "irrelevant"));
  ASSERT_TRUE(add("s4 == 768", "declared by argument 0, dim 2"));
  ASSERT_TRUE(add("other <= s6", "irrelevant too"));
  ASSERT_TRUE(add("s4 == s6", "required by dyn.add", "model.onnx:/l0/Add"));
  ASSERT_FALSE(add("s6 == 1024", "from constant /l0/W"));
  const Conflict &conflict = *solver.getConflict();
  EXPECT_EQ(conflict.message, "s6 and 1024 cannot be equal: 768 vs 1024");
  ASSERT_EQ(conflict.chain.size(), 3u);
  EXPECT_EQ(conflict.chain[0].fact, "s4 == 768");
  EXPECT_EQ(conflict.chain[0].reason.text, "declared by argument 0, dim 2");
  EXPECT_EQ(conflict.chain[1].fact, "s4 == s6");
  EXPECT_EQ(conflict.chain[1].reason.where, "model.onnx:/l0/Add");
  EXPECT_EQ(conflict.chain[2].fact, "s6 == 1024");
}

TEST_F(ExplainTest, ExplanationsAreMinimal) {
  ASSERT_TRUE(add("a == b", "one"));
  ASSERT_TRUE(add("c == d", "two"));
  ASSERT_TRUE(add("b == c", "three"));
  ASSERT_TRUE(add("a == x", "four"));
  std::vector<ExplainStep> chain = solver.explain(predicate("a == d"));
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain[0].reason.text, "one");
  EXPECT_EQ(chain[1].reason.text, "two");
  EXPECT_EQ(chain[2].reason.text, "three");
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
