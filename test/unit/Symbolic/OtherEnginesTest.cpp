//===- Cases that other engines get wrong or give up on -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// docs/symbolic-engine.md has the table with the places in their sources.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
using OtherEngines = test::SolverFixture;
}

// ONNX Runtime: an undecided Equal becomes False; so does == of sizes in JAX.
TEST_F(OtherEngines, UndecidedEqualityIsUnknown) {
  expectUnknown("M == 1");
  expectUnknown("M == N");
  expectNo("M == -1");
}

// ONNX Runtime merges across a possible 1.
TEST_F(OtherEngines, MeetingInABroadcastMergesNothing) {
  ASSERT_TRUE(add("bc_ok(M, N)"));
  expectUnknown("M == N");
  EXPECT_NE(simplify("M"), simplify("N"));
}

// ONNX Runtime takes SAME padding for one without a remainder where SymPy can't compare.
TEST_F(OtherEngines, SamePaddingHasARemainder) {
  declare("h: [1, ?]");
  const char *padding = "max(2*(h ceildiv 2 - 1) + 3 - h, 0)";
  expectYes("(h + " + std::string(padding) + " - 3) floordiv 2 + 1 == h ceildiv 2");
  expectUnknown("(h + " + std::string(padding) + " - 3) floordiv 2 + 1 == h floordiv 2");
  expectUnknown("(h + " + std::string(padding) + " - 3) mod 2 == 0 and 2*(h floordiv 2) == h");
}

// MindSpore: the broadcast of unknowns is their maximum, wrong for 0 against 1.
TEST_F(OtherEngines, BroadcastIsNoMaximum) {
  expectUnknown("bcast(M, N) == max(M, N)");
  ASSERT_TRUE(add("M == 0 and N == 1"));
  expectYes("bcast(M, N) == 0");
  expectNo("bcast(M, N) == max(M, N)");
}

// MindSpore: equalities inside of one tree are dropped, and ranges are not intersected.
TEST_F(OtherEngines, MergingIntersectsRangesAndFindsConflicts) {
  declare("s: [1, 10], t: [5, 20], u: [30, 40]");
  ASSERT_TRUE(add("s == t"));
  EXPECT_EQ(solver.getRange(expr("s")), (Range{5, 10}));
  EXPECT_EQ(solver.getRange(expr("t")), (Range{5, 10}));
  EXPECT_FALSE(add("t == u"));
  ASSERT_TRUE(add("x + 1 == y"));
  EXPECT_FALSE(add("x == y"));
  ASSERT_TRUE(add("v == 2*w - 3 and v == w"));
  expectYes("w == 3");
}

// Paddle cancels factors that may be 0.
TEST_F(OtherEngines, FactorsThatMayBeZeroDoNotCancel) {
  ASSERT_TRUE(add("s*t == s*u"));
  expectUnknown("t == u");
  ASSERT_TRUE(add("s >= 1"));
  expectYes("t == u");
}

// Paddle: Broadcast(S, S + 1) is S + 1, and Broadcast(S - 2, S - 1) forces S = 3: both miss 0 against 1.
TEST_F(OtherEngines, ASizeAndItsSuccessorBroadcastAtZeroToo) {
  ASSERT_TRUE(add("bc_ok(S, S + 1)"));
  expectYes("S in {0, 1}");
  expectUnknown("S == 1");
  expectUnknown("bcast(S, S + 1) == S + 1");
  ASSERT_TRUE(add("T >= 2 and bc_ok(T - 2, T - 1)"));
  expectYes("T in {2, 3}");
  expectUnknown("T == 3");
}

// Paddle: two sizes above 1 that meet are equal, without a guard that says so.
TEST_F(OtherEngines, SizesAboveOneAreEqualOnlyWhereTheyBroadcast) {
  ASSERT_TRUE(add("M >= 2 and N >= 2"));
  expectUnknown("M == N");
  ASSERT_TRUE(add("bc_ok(M, N)"));
  expectYes("M == N");
}

// TVM: sizes compare by their constant factors, as if symbols were at least 1.
TEST_F(OtherEngines, ComparingSizesAssumesNoSize) {
  expectYes("4*S*768 <= 4*S*3072");
  expectUnknown("768 <= 768*S");
  expectUnknown("S <= S*T");
}

// TVM: floordiv(x, x) is 1, also at 0.
TEST_F(OtherEngines, AQuotientByItselfNeedsANonZeroDivisor) {
  EXPECT_EQ(expr("x floordiv x").str(), "x floordiv x");
  expectUnknown("x floordiv x == 1");
  ASSERT_TRUE(add("x >= 1"));
  expectYes("x floordiv x == 1");
}

// TVM's join of congruences loses 3y + 1 for 6x + 1 and 6x + 4.
TEST_F(OtherEngines, CongruencesOfDisjunctionsJoin) {
  ASSERT_TRUE(add("s mod 6 == 1 or s mod 6 == 4"));
  expectYes("s mod 3 == 1");
}

// JAX: the order of constraints changes results.
TEST_F(OtherEngines, OrderOfConstraintsChangesNothing) {
  auto check = [&](std::vector<std::string> facts, std::vector<std::string> queries) {
    std::sort(facts.begin(), facts.end());
    do {
      Solver fresh(context);
      for (const std::string &fact : facts)
        ASSERT_TRUE(fresh.addPredicate(predicate(fact), fresh.addReason({"given", "", 0})));
      for (const std::string &query : queries)
        EXPECT_EQ(fresh.implies(predicate(query)), Verdict::Yes) << query;
    } while (std::next_permutation(facts.begin(), facts.end()));
  };
  check({"a >= b + 8", "b >= c + 2", "c >= 5"}, {"a >= 15", "a >= c + 10"});
  check({"a == b + 8", "b >= 1", "c == 2*a", "c mod 4 == 2"}, {"a >= 9", "a mod 2 == 1", "c >= 18", "b mod 2 == 1"});
}

// JAX documents as inconclusive.
TEST_F(OtherEngines, RemaindersAndOrdersAreKnown) {
  expectYes("b mod 3 <= b");
  ASSERT_TRUE(add("a >= b + 8 and b >= 1"));
  expectYes("a >= 9");
}

// PyTorch learns nothing from equations that contain quotients; BladeDISC has none.
TEST_F(OtherEngines, EquationsWithQuotientsAreSolved) {
  ASSERT_TRUE(add("s floordiv 8 == 5"));
  EXPECT_EQ(solver.getRange(expr("s")), (Range{40, 47}));
}

// PyTorch learns nothing from an equation of more than five symbols; BladeDISC has no sums.
TEST_F(OtherEngines, ManySymbolsAreFine) {
  ASSERT_TRUE(add("u == v + w + x + y + z + s"));
  expectYes("u - v - w == x + y + z + s");
  expectYes("u >= x + s");
  ASSERT_TRUE(add("a == b + 1 and b == c + 1 and c == d + 1 and d == e + 1 and e == f + 1 and f == g + 1"));
  expectYes("a == g + 6");
  expectYes("a + b + c + d + e + f + g == 7*g + 21");
}

// PyTorch: (a // b) // c becomes a // (b*c) without a look at the signs.
TEST_F(OtherEngines, NestedQuotientsJoinForPositiveDivisorsOnly) {
  declare("x: int, c: int");
  EXPECT_EQ(expr("(x floordiv 2) floordiv 3"), expr("x floordiv 6"));
  expectUnknown("(x floordiv 2) floordiv (-3) == x floordiv (-6)");
  expectUnknown("(x floordiv 2) floordiv c == x floordiv (2*c)");
  ASSERT_TRUE(add("c >= 1"));
  expectYes("(x floordiv 2) floordiv c == x floordiv (2*c)");
}

// BladeDISC merges a symbol that is known not to be 1 with 1.
TEST_F(OtherEngines, ExcludedValuesStayExcluded) {
  declare("s: [0, ?] ne {1}");
  ASSERT_TRUE(add("s == t"));
  expectNo("t == 1");
  EXPECT_FALSE(add("t == 1"));
  ASSERT_TRUE(solver.getConflict().has_value());
  EXPECT_FALSE(solver.getConflict()->chain.empty());
}

// BladeDISC keeps product equalities for each pair, and multiplies no two with each other.
TEST_F(OtherEngines, ProductEqualitiesFormALattice) {
  declare("B: [1, ?], S: [1, ?], H: [1, ?], D: [1, ?], M: [1, ?]");
  ASSERT_TRUE(add("B*S == M and H*D == 768"));
  expectYes("M*H*D == 768*B*S");
  expectYes("M*M*H*D == 768*B*B*S*S");
  // Neither equation rewrites a product of the question: what they have in common is to be cancelled.
  declare("a: [1, ?], b: [1, ?], c: [1, ?], d: [1, ?], e: [1, ?], f: [1, ?]");
  ASSERT_TRUE(add("a*f == b*e and c*f == 3*d*e"));
  expectYes("3*a*d == b*c");
  expectYes("2*a*d < b*c");
  expectNo("a*d == b*c");
  expectYes("max(3*a*d, b*c) == b*c");
  expectYes("(b*c) floordiv (a*d) == 3");
}
