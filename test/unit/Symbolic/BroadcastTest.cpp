//===- Broadcasts that lead to each other ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {

class BroadcastTest : public test::SolverFixture {
protected:
  /// r1 == bcast(r0, c0), r2 == bcast(r1, c1) and so on, each with a value.
  void addRow(unsigned length) {
    for (unsigned i = 0; i < length; ++i) {
      std::string r = "r" + std::to_string(i), c = "c" + std::to_string(i), next = "r" + std::to_string(i + 1);
      ASSERT_TRUE(add(next + " == bcast(" + r + ", " + c + ") and bc_ok(" + r + ", " + c + ")"));
    }
  }
};

/// Few facts, and more than are told again after each.
class RowTest : public BroadcastTest, public testing::WithParamInterface<unsigned> {};
} // namespace

TEST_P(RowTest, SizesAlongARowAreOneOrTheLast) {
  unsigned length = GetParam();
  addRow(length);
  std::string last = "r" + std::to_string(length), lastAdded = "c" + std::to_string(length - 1);
  expectYes("r0 == 1 or r0 == " + last);
  expectYes("bc_ok(c0, " + last + ")");
  expectYes("bc_ok(c0, " + lastAdded + ")");
  expectYes("r1 == bcast(r0, " + lastAdded + ") or r1 == 1 or c0 == r1");
  expectUnknown("r0 == " + last);
  expectUnknown("c0 == 1");
  ASSERT_TRUE(add("r0 != 1"));
  expectYes("r0 == " + last);
  expectYes(lastAdded + " == 1 or " + lastAdded + " == r0");
  expectNo("r0 < " + last);
  ASSERT_TRUE(add("bc_ok(r0, b)"));
  expectYes("bc_ok(b, " + last + ")");
}

TEST_P(RowTest, SizesThatAreNotOneAreEqualAlongARow) {
  unsigned length = GetParam();
  for (unsigned i = 0; i < length; ++i)
    ASSERT_TRUE(add("bc_ok(b" + std::to_string(i) + ", b" + std::to_string(i + 1) + ")"));
  std::string last = "b" + std::to_string(length);
  expectUnknown("b0 == " + last);
  for (unsigned i = 0; i <= length; ++i)
    ASSERT_TRUE(add("b" + std::to_string(i) + " != 1"));
  expectYes("b0 == " + last);
  expectYes("b0 <= " + last + " + 1");
}

INSTANTIATE_TEST_SUITE_P(Lengths, RowTest, testing::Values(1, 2, 5, 12, 17, 40, 120),
                         [](const auto &info) { return std::to_string(info.param); });

TEST_F(BroadcastTest, AResidualStackIsTheBroadcastOfAll) {
  addRow(12);
  std::string all = "r0";
  for (unsigned i = 0; i < 12; ++i)
    all += ", c" + std::to_string(i);
  expectYes("r12 == bcast(" + all + ")");
  expectYes("r12 <= max(" + all + ")");
  expectUnknown("r12 >= max(" + all + ")");
}

TEST_F(BroadcastTest, AnOperandOfResultsThatDifferIsOne) {
  ASSERT_TRUE(add("t == bcast(s, u) and bc_ok(s, u) and v == bcast(s, w) and bc_ok(s, w) and t != v"));
  expectYes("s == 1");
  expectYes("t == u and v == w");
  expectUnknown("u == 1");
}

TEST_F(BroadcastTest, WhatIsZeroOrLargerIsNotOne) {
  ASSERT_TRUE(add("bc_ok(s, t) and s mod 2 == 0"));
  expectYes("t in (1, s)");
  expectUnknown("t == s");
  ASSERT_TRUE(add("t mod 4 == 0"));
  expectYes("t == s");
}

/// A dim is known to be the broadcast before a guard checks that it is one.
TEST_F(BroadcastTest, AFactDoesNotSayThatItsBroadcastsHaveValues) {
  ASSERT_TRUE(add("r == bcast(s, t) and t != 1 and bc_ok(r, u)"));
  expectUnknown("bc_ok(s, t)");
  ASSERT_TRUE(add("s in (1, t)"));
  expectYes("bc_ok(s, t)");
  expectYes("r == t");
}

TEST_F(BroadcastTest, FactsThatContradictABroadcastAreRefused) {
  ASSERT_TRUE(add("b != 1 and r == bcast(b, f) and bc_ok(b, f)"));
  EXPECT_FALSE(add("r != b"));
  ASSERT_TRUE(add("bcast(a, c) == 1 and bc_ok(a, c)"));
  EXPECT_FALSE(add("a != c"));
}

/// There are more combinations of their operands than anyone counts.
TEST_F(BroadcastTest, SumsOfMaximaAreNotTakenApart) {
  Expr most = context.getConstant(0);
  for (unsigned i = 0; i < 24; ++i)
    most = most + dyn::symbolic::min({context.getSymbol("u" + std::to_string(i)), context.getConstant(300)});
  for (unsigned i = 0; i < 40; ++i)
    ASSERT_TRUE(add("bc_ok(v" + std::to_string(i) + ", u" + std::to_string(i) + ")"));
  ASSERT_TRUE(solver.addLessEqual(context.getSymbol("d"), most, solver.addReason({})));
  EXPECT_EQ(solver.implies(Predicate::less(most, context.getSymbol("d"))), Verdict::No);
}

/// Where a question has no value it is not asked.
TEST_F(BroadcastTest, AQuestionHasTheOperandsOfItsBroadcastsAgree) {
  ASSERT_TRUE(add("r == 2"));
  expectYes("t <= bcast(t, r)");
  expectYes("bcast(t, r) == 2");
  expectUnknown("t <= 2");
  expectUnknown("bc_ok(t, r)");
}

TEST_F(BroadcastTest, AQuestionNeedsNoFactsForItsOwnBroadcasts) {
  declare("a: [1, 4], s: [0, 5] mod 4 rem 3");
  Expr a = expr("a"), both = dyn::symbolic::bcast({a, expr("s")});
  EXPECT_EQ(solver.implies(Predicate::broadcastable(a, both)), Verdict::Yes);
  ASSERT_TRUE(add("4 <= 16 floordiv t"));
  EXPECT_EQ(solver.implies(Predicate::broadcastable(a, both)), Verdict::Yes);
}

TEST_F(BroadcastTest, WhatIsToldOfASizeIsToldOfWhatEqualsIt) {
  add("bc_ok(w, o) and bc_ok(o, z) and bc_ok(w, z) and x == w + 1 and h == x - 1");
  expectYes("bc_ok(bcast(h, o), z)");
  expectUnknown("bc_ok(bcast(x, o), z)");
}

/// As files have them for other programs.
TEST_F(BroadcastTest, AMaximumTimesAMinimumIsABroadcast) {
  declare("s: [0, 512]");
  Expr text = expr("max(s, t)*min(s, t, 1)"), both = expr("bcast(s, t)");
  EXPECT_EQ(solver.isEqual(text, both), Verdict::Unknown);
  ASSERT_TRUE(add("bc_ok(s, t) and s <= u and y == max(s, t)*min(s, t, 1) and bc_ok(z, 6)"));
  EXPECT_EQ(solver.isEqual(text, both), Verdict::Yes);
  EXPECT_EQ(solver.isEqual(expr("y*u"), both * expr("u")), Verdict::Yes);
  EXPECT_EQ(solver.isEqual(expr("max(z, 6)*min(z, 1)"), expr("bcast(z, 6)")), Verdict::Yes);
  EXPECT_EQ(solver.isEqual(expr("max(s, u)*min(s, u, 1)"), expr("bcast(s, u)")), Verdict::Unknown);
  ASSERT_TRUE(add("bc_ok(s, v) and bc_ok(t, v)"));
  EXPECT_EQ(solver.isEqual(expr("max(s, t, v)*min(s, t, v, 1)"), expr("bcast(s, t, v)")), Verdict::Yes);
}
