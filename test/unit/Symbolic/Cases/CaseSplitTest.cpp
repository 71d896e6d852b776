//===- Facts that take a distinction of cases -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
using CaseSplitTest = test::SolverFixture;
}

TEST_F(CaseSplitTest, AMinimumThatIsKnownKeepsItsCases) {
  add("min(seq, 512) == 1");
  expectYes("seq == min(seq, 512)");
  expectYes("seq == 1");
}

TEST_F(CaseSplitTest, ImplicationsAreDisjunctions) {
  expectYes("min(seq, 512) != 1 or seq == min(seq, 512)");
  expectYes("min(seq, 512) != 1 or seq <= 512");
  expectUnknown("min(seq, 512) != 2 or seq == 1");
}

TEST_F(CaseSplitTest, BroadcastWithAMinimumBoundsTheSize) {
  add("seq == min(seq, 512) or seq == 1 or min(seq, 512) == 1");
  expectYes("seq <= 512");
  EXPECT_EQ(simplify("bcast(seq, min(seq, 512))"), "seq");
  EXPECT_EQ(simplify("8*min(seq, 512) + 1"), "8 * seq + 1");
  EXPECT_EQ(solver.getRange(expr("seq")), (Range{0, 512}));
  expectYes("bcast(seq, min(seq, 512)) == seq");
  expectYes("min(seq, 512) == seq");
}

TEST_F(CaseSplitTest, BroadcastWithASizeThatIsNotOne) {
  add("M == N or M == 1 or N == 1");
  expectUnknown("N == 1 or N == M");
  add("M != 1");
  expectYes("N == 1 or N == M");
  expectUnknown("N == M");
}

TEST_F(CaseSplitTest, AMaximumStandsForOneOfItsOperandsWithAnyCoefficient) {
  add("max(a, b) == min(a, b)");
  expectYes("a == b");
}

TEST_F(CaseSplitTest, OnlyWhatTouchesTheQuestionIsSplit) {
  // More disjunctions than are ever nested, none of which matters.
  for (int i = 0; i < 12; ++i) {
    std::string x = "x" + std::to_string(i), y = "y" + std::to_string(i);
    add(x + " == " + y + " or " + x + " == 1 or " + y + " == 1");
  }
  add("mask == S + P or mask == 1");
  add("S + P <= len");
  add("len >= 1");
  expectYes("mask <= len");
  expectUnknown("mask <= S");
}

TEST_F(CaseSplitTest, FactsThatShareNothingWithTheQuestionAreReachedByOthers) {
  add("a <= b");
  add("b == c or b == d");
  add("c <= 7");
  add("d <= 9");
  expectYes("a <= 9");
  expectUnknown("a <= 8");
}

TEST_F(CaseSplitTest, RemaindersOfProductsFollowFromThoseOfTheirFactors) {
  expectYes("t*t mod 3 <= 1");
  expectYes("(t*t mod 3) mod 2 == t*t mod 3");
  expectYes("s*(s + 1) mod 2 == 0");
  expectUnknown("s*t mod 3 <= 1");
  expectUnknown("t*t mod 5 <= 1");
}

TEST_F(CaseSplitTest, QuotientsBySizesFollowFromTheCasesOfTheSize) {
  expectYes("floordiv(s, t) <= s + floordiv(0*u, t)");
  expectYes("s floordiv s == ceildiv(s, s)");
  expectYes("max(s floordiv s, s) == s*(s floordiv s)");
  // Only where neither side has a value, nothing is said of it.
  expectUnknown("s*t floordiv t == s");
  expectUnknown("mod(s*t, t) == 0");
  expectUnknown("s floordiv s == 1 or s*t floordiv t == s");
  expectYes("s*t floordiv t <= s and s floordiv s <= 1");
  declare("d: [1, ?]");
  expectYes("floordiv(floordiv(s, 3), d) == floordiv(floordiv(s, d), 3)");
  expectYes("6*s floordiv 4*d == 3*s floordiv 2*d");
  expectYes("s floordiv d <= s");
  expectYes("ceildiv(s, d) <= s");
  expectUnknown("2*(s floordiv d) <= s");
  add("d >= 2");
  expectYes("2*(s floordiv d) <= s");
  expectYes("2*ceildiv(s, d) <= s + 1");
}

TEST_F(CaseSplitTest, QuotientsBySizesFollowFromOrdersOfBothSides) {
  declare("d: [1, ?]");
  expectUnknown("d*floordiv(s, d) >= d");
  add("s >= d");
  expectYes("floordiv(s, d) >= 1");
  expectYes("d*floordiv(s, d) >= d");
  expectYes("mod(s, d) + d <= s");
  expectUnknown("floordiv(s, d) == 1");
  add("s < 2*d");
  expectYes("floordiv(s, d) >= 1");
  expectYes("floordiv(s, d) == 1");
  expectYes("d*floordiv(s, d) == d");
  expectYes("mod(s, d) == s - d");
}

TEST_F(CaseSplitTest, MultiplesOfASizeThatAreSmallerAreZero) {
  declare("d: [1, ?]");
  add("mod(t, d) == 0");
  expectUnknown("t == 0");
  add("t < d");
  expectYes("t == 0");
}

TEST_F(CaseSplitTest, WhatHoldsOfAMultipleOfASizeHoldsOfItsMultiples) {
  add("s mod t == 0");
  // A remainder has no value where t is 0.
  expectUnknown("2*s mod t == 0");
  add("t >= 1 and 2*u mod t == 0");
  expectYes("2*s mod t == 0 and (s*v - 3*t) mod t == 0");
  expectYes("(6*s + v) floordiv t == 6*(s floordiv t) + v floordiv t");
  expectUnknown("u mod t == 0");
  expectUnknown("s mod (2*t) == 0");
}

TEST_F(CaseSplitTest, APartOfWhatIsKnownKnowsMultiplesOfSizes) {
  FactStore store(context.getImpl());
  ASSERT_TRUE(store.assertTrue(predicate("t >= 1 and s mod t == 0")));
  FactStore part = store.makeSlice({expr("s"), expr("t")});
  EXPECT_EQ(part.decide(predicate("2*s mod t == 0")), Verdict::Yes);
}

TEST_F(CaseSplitTest, WhatIsDeniedIsAskedTheOtherWayRound) {
  expectYes("not s floordiv t > s ceildiv t");
  expectYes("not (s*s*s - s) mod 6 != 0");
  // Where t is 0, the quotient is not s.
  expectUnknown("not s floordiv t != s floordiv t + 0*(s floordiv u)");
  ASSERT_TRUE(add("t <= s"));
  expectYes("not s floordiv t < 1");
  expectUnknown("not s floordiv t < 2");
}

TEST_F(CaseSplitTest, PartsThatAreKnownTakeNothingFromTheOnlyOther) {
  expectYes("s floordiv t <= s ceildiv t and u >= 0");
  expectYes("(s*s*s - s) mod 6 == 0 and u >= 0");
  expectYes("(s*s*s - s) mod 6 == 0 or u <= -1");
  expectUnknown("(s*s*s - s) mod 6 == 0 and u >= 1");
  ASSERT_TRUE(add("max(s, u) == max(t, u) and s > u"));
  expectYes("s == t and v + 1 >= 1");
}

TEST_F(CaseSplitTest, EquationsFollowFromBothOrders) {
  ASSERT_TRUE(add("k >= 1"));
  expectYes("max(s, t) ceildiv k == max(s ceildiv k, t ceildiv k)");
  expectYes("min(s, t) ceildiv k == min(s ceildiv k, t ceildiv k)");
  expectUnknown("max(s, t) ceildiv k == max(s ceildiv k, t floordiv k)");
}

TEST_F(CaseSplitTest, WhatIsNotDeclaredIsASizeForPartsToo) {
  ASSERT_TRUE(add("10*u + v == 10*x + y and v < 10 and y < 10"));
  expectYes("u == x");
  expectYes("u == x and v == y");
}

TEST_F(CaseSplitTest, ProductsFollowFromTheFirstValuesOfTheirFactors) {
  expectYes("min(s*t, t) == min(s*t + s, t)");
  expectYes("min(t*s, t) == min(s*t + s, t)");
  expectYes("min(s, t) <= s*t");
  expectUnknown("min(s, t) < s*t + 1 - t");
  declare("n: [1, 8]");
  expectYes("3 - min(3, n) == 2 floordiv n");
}

TEST_F(CaseSplitTest, WhatMakesNoDifferenceTakesNoEffortFromTheOtherParts) {
  add("s*t <= 8");
  for (const char *question :
       {"s == 0 or t <= 8", "(s == 0 or t <= 8) and 1 == 1", "1 == 1 and (s == 0 or t <= 8) and 2 < 3",
        "(s == 0 or t <= 8) and (s == 0 or t <= 8)", "s == 0 or 1 == 2 or t <= 8"})
    expectYes(question);
  expectUnknown("(s == 0 or t <= 8) and s <= 8");
}

TEST_F(CaseSplitTest, SquaresHaveTheOrderOfTheirRoots) {
  expectYes("max(s, t)*max(s, t) == max(s*s, t*t)");
  expectYes("min(s, t)*min(s, t) == min(s*s, t*t)");
  expectYes("max(s, t, u)*max(s, t, u) == max(s*s, t*t, u*u)");
  expectYes("max(s, t)*max(s, t) + max(s, t) == max(s*s + s, t*t + t)");
  // Of sizes: numbers may be negative.
  declare("i: int, j: int");
  expectUnknown("max(i, j)*max(i, j) == max(i*i, j*j)");
  add("u <= t");
  expectYes("max(t*t, u*u) == t*t");
  expectNo("u*u - t*t - 1 >= 0");
  expectUnknown("u*u - t*t >= 0");
  add("s*s - t*t >= 5");
  expectYes("t < s");
}

TEST_F(CaseSplitTest, FactorsThatBothProductsHaveMayBeNegative) {
  declare("b: [-2, 15], k: int, s: [0, 38], t: [1, 38]");
  expectUnknown("max(b*(t floordiv 2) - b*t, 0) == 0");
  expectUnknown("max(k*t, k*(t floordiv 2)) == k*t");
  expectUnknown("max(k*s*s, k*t*t) == k*max(s*s, t*t)");
  ASSERT_TRUE(add("k >= 0"));
  expectYes("max(k*t, k*(t floordiv 2)) == k*t");
  expectYes("max(k*s*s, k*t*t) == k*max(s*s, t*t)");
}

TEST_F(CaseSplitTest, ProductsHaveTheOrderOfTheirFactors) {
  expectYes("max(s*s, t*t) == max(s*s, s*t, t*t)");
  expectYes("min(s*s, t*t) == min(s*s, s*t, t*t)");
  expectYes("max(s*s, t*t, u*u) == max(s*s, t*t, u*u, t*u)");
  expectYes("max(s*s*s, t*t*t) == max(s*s*s, s*t*t, t*t*t)");
  expectYes("max(s, t)*max(s, t)*max(s, t) == max(s*s*s, t*t*t)");
  expectYes("max(s, t)*max(u, v) == max(s*u, s*v, t*u, t*v)");
  expectYes("max(s*t, u*v) <= max(s, u)*max(t, v)");
  expectUnknown("max(s*s, t*t) == max(s*s, 2*s*t, t*t)");
  expectUnknown("max(s*s, t*t, u*u) == max(s*s, t*t)");
  // Of sizes: -1 * -1 is more than 0 * 0.
  declare("i: int, j: int");
  expectUnknown("max(i*j, j*j) == j*max(i, j)");
  expectUnknown("max(i*s, j*s) == j*s");
  expectYes("max(i*s, j*s) == s*max(i, j)");
}

TEST_F(CaseSplitTest, MaximaAndMinimaAreALatticeThatDistributes) {
  declare("x: [?, ?], y: [?, ?], z: [?, ?], s: [0, ?], t: [0, 7], u: [2, ?], v: [0, ?]");
  expectYes("max(min(x, y), min(x, z)) == min(x, max(y, z))");
  expectYes("min(max(s, t), max(s, u)) == max(s, min(t, u))");
  expectYes("max(min(x, y), min(y, z), min(z, x)) == min(max(x, y), max(y, z), max(z, x))");
  expectYes("min(max(s, t), max(s, u), max(s, v)) == max(s, min(t, u, v))");
  expectYes("max(s, t) + max(u, v) == max(s + u, s + v, t + u, t + v)");
  expectYes("floordiv(max(s, t), 5) == max(floordiv(s, 5), floordiv(t, 5))");
  expectYes("ceildiv(min(s, t), 4) == min(ceildiv(s, 4), ceildiv(t, 4))");
  expectUnknown("max(min(x, y), min(x, z)) == min(x, min(y, z))");
  expectUnknown("max(s, t) + max(u, v) == max(s + u, s + v, t + v)");
  expectUnknown("floordiv(max(s, t), 5) == max(floordiv(s, 5), ceildiv(t, 5))");
  expectNo("max(min(s, t), min(s, u)) < min(s, max(t, u))");
  add("x <= y and y <= z");
  expectYes("max(min(x, y), min(z, x)) == x");
}

TEST_F(CaseSplitTest, FactsAboutOtherSizesDoNotMakeAQuotientASize) {
  // Some of them let other proofs be tried.
  for (const char *fact : {"v >= x2", "v*w <= x", "a == max(b, c)", "u <= t*s", "v == 1 or w == 2"}) {
    add(fact);
    expectUnknown("s*t floordiv t == s");
    expectUnknown("mod(u, u) == 0");
    expectUnknown("mod(u, u) != 0");
    expectUnknown("not mod(u, u) == 0");
    expectUnknown("(s floordiv s)*s == s");
    expectYes("s*t floordiv t <= s");
    expectYes("mod(u, u) == 0 or u == 0");
  }
  // Nor does one that has a value only where the divisor is not 0.
  add("t floordiv u == 3 and u <= s");
  expectUnknown("mod(u, u) == 0");
  add("u != 0");
  expectYes("mod(u, u) == 0");
}

TEST_F(CaseSplitTest, WhatFactsLeaveOfADivisionDoesNotMakeItASize) {
  declare("u: [0, ?], x: [0, 4], y: [0, ?], z: [0, 0], t: [0, ?]");
  expectUnknown("max(y mod x, 4) == 4");
  expectYes("max(y mod x, 4) <= 4 and x == 0 or max(y mod x, 4) == 4");
  expectUnknown("y mod z == 0");
  add("u == 0");
  for (const char *nothing : {"u mod u == 0", "u mod u != 0", "u mod u <= 5", "u mod u > 5", "bc_ok(u mod u, 0)",
                              "not u mod u == 0", "u mod u == t", "u floordiv t == 0", "u mod u == 0 or t == 7"})
    expectUnknown(nothing);
  expectYes("u mod u == 0 or u == 0");
  expectYes("u mod u == 2*u mod u");
  expectNo("u mod u == 0 and u == 1");
  expectYes("u floordiv t <= 0");
  add("t == 3*x + 2");
  expectYes("u floordiv t == 0");
  expectYes("u floordiv x == y*u floordiv x");
}

TEST_F(CaseSplitTest, AQuotientThatASizeStandsForHasAValue) {
  add("d == s floordiv t");
  expectYes("d == s floordiv t and 2*d == 2*(s floordiv t) and s floordiv t + d == 2*d");
  // But not another one by the same size.
  expectUnknown("t mod t == 0");
  expectUnknown("d + t mod t == d");
}

TEST_F(CaseSplitTest, DivisorsWithCommonFactorsVanishTogether) {
  expectYes("s floordiv (u*v) == s floordiv (u*v)");
  expectUnknown("s mod u == s mod (u*v)");
  add("s == 0");
  expectYes("s floordiv (u*v) == (s floordiv u) floordiv v");
  expectUnknown("s floordiv (u*v) == s floordiv u");
}

TEST_F(CaseSplitTest, BroadcastsAreOneOfTheirOperands) {
  declare("s: [1, ?], t: [1, ?], n: [0, ?]");
  expectYes("bcast(s, t) == max(s, t)");
  expectYes("bcast(s + 1, t + 1) == max(s, t) + 1");
  expectUnknown("bcast(s, n) == max(s, n)");
  // The same for both, whichever was declared first: where it has a value, they are equal.
  declare("a: [2, ?], b: [2, ?], c: [0, ?], d: [0, 0]");
  expectYes("bcast(a, b) == a");
  expectYes("bcast(a, b) == b");
  expectYes("a <= bcast(a, b)*2");
  expectUnknown("bcast(a, c) == c");
  expectUnknown("a == b");
  add("n == bcast(b, a)");
  expectUnknown("a == b");
  add("bc_ok(a, b)");
  expectYes("n == a and n == b");
  expectUnknown("bcast(s, t) == s");
}

TEST_F(CaseSplitTest, QuestionsLeaveNoTrace) {
  declare("S: [1, 512], P: [0, 4096]");
  add("S + P <= 4096 or S == 1");
  // Asked twice, and with others in between, the answer is the same; a new fact changes it.
  for (int i = 0; i < 2; ++i) {
    expectUnknown("S + P <= 4096");
    expectUnknown("S == P");
    expectYes("S + P <= 4097");
  }
  add("S != 1");
  expectYes("S + P <= 4096");
}

TEST_F(CaseSplitTest, EquationsThatNestTheirOwnSymbolsComeToAnEnd) {
  declare("a: [0, 22] mod 7, b: [5, 42], s: [7, 45], t: [9, 19]");
  EXPECT_TRUE(add("min(-b, -t) + max(b, 3) == s floordiv b"));
  expectYes("max(b, t) + s floordiv b == b");
}

TEST_F(CaseSplitTest, DivisionsByWhatIsKnownToBeNegativeComeToAnEnd) {
  declare("x: [?, -1], d: [0, ?]");
  const char *quotient =
      "(2 * (x floordiv 2) * (d floordiv (7 * x + 2)) - x * (d floordiv (7 * x + 2)) + d - 1) floordiv "
      "(-3 * x - x floordiv 2 - 1)";
  expectUnknown(std::string(quotient) + " == 3");
  expectYes("d floordiv x == (-d) floordiv (-x)");
  expectYes("(4*x + d) floordiv x == 4 + d floordiv x");
  expectYes("t floordiv ceildiv(1 - x, 2) <= t");
}

TEST_F(CaseSplitTest, MultiplesOfAMaximumComeToAnEnd) {
  declare("b: [?, ?] mod 3 rem 2");
  EXPECT_FALSE(add("2*max(b, 0) == b"));
}

/// The sign of the symbol tells nothing of its remainder, and would leave too little effort for six of these.
TEST_F(CaseSplitTest, RemaindersOfPolynomialsGoByThatOfTheSymbol) {
  for (const char *query : {"x*(x + 1)*(x + 2) mod 6 == 0", "(x**3 - x) mod 6 == 0", "(x**7 - x) mod 7 == 0",
                            "x*(x + 1)*(2*x + 1) mod 6 == 0", "x*x mod 8 in {0, 1, 4}",
                            "(x*(x + 1)*(x + 2)) floordiv 6 * 6 == x*(x + 1)*(x + 2)"})
    expectYes(query);
  expectUnknown("x*(x + 1)*(x + 2) mod 12 == 0");
}

/// Where no part decides, all of them together may.
TEST_F(CaseSplitTest, PartsDecideTogetherWhatNoneDecides) {
  declare("n: [0, 100], a: [0, ?], b: [0, ?]");
  expectYes("n mod 2 == 0 or n mod 2 == 1");
  expectNo("2*n == a and a == 2*b + 1");
  expectYes("max(a, b) == a or max(a, b) == b");
  expectNo("a*b == 0 and a + b < min(a, 1) + min(b, 1)");
  expectUnknown("n <= 50 or a <= b");
  expectUnknown("n <= 50 and a <= b");
}

/// Each alternative of a fact leaves a question that has cases of its own.
TEST_F(CaseSplitTest, AlternativesOfFactsHaveCases) {
  declare("b: [0, ?], d: [0, ?]");
  ASSERT_TRUE(add("d == b or d == 1 or b == 1"));
  expectYes("bcast(b, d) == max(b, d)*min(b, d, 1)");
  expectUnknown("bcast(b, d) == max(b, d)*min(b, 1)");
  ASSERT_TRUE(add("d == b or d == 1"));
  expectYes("max(b, d)*min(b, d, 1) == b");
  expectUnknown("max(b, d)*min(b, d, 1) == d");
}

/// An inequality of products takes all the effort that a step has, unless what else is left of the facts comes first.
TEST_F(CaseSplitTest, WhatIsLeftOfAlternativesComesBeforeProducts) {
  ASSERT_TRUE(add("s mod 4 == 0 or b == 0") && add("2 <= b or b == 0"));
  ASSERT_TRUE(add("2*b + s floordiv 4 <= b*(s floordiv 4) + 2 or b == 0"));
  expectYes("128*b*(s floordiv 4) == 32*b*s");
  expectYes("b*s*t == 4*b*t*(s ceildiv 4)");
  expectUnknown("128*b*(s floordiv 8) == 16*b*s");
}

/// Rounded up and down they differ mostly, but not where the facts hold.
TEST_F(CaseSplitTest, FactorsAreEqualByFacts) {
  ASSERT_TRUE(add("h >= 1 and 8*(h ceildiv 32) == h ceildiv 4 and w >= 1 and 8*(w ceildiv 32) == w ceildiv 4"));
  expectYes("((h + 3) floordiv 32)*((w + 3) floordiv 32) == (h ceildiv 32)*(w ceildiv 32)");
  expectYes("b*((h + 3) floordiv 32)*((w + 3) floordiv 32) == b*(h ceildiv 32)*(w ceildiv 32)");
  expectUnknown("((h + 1) floordiv 32)*((w + 1) floordiv 32) == (h ceildiv 32)*(w ceildiv 32)");
}

/// The row, the column and the image of a place in a batch, whichever of them the facts define by the others.
TEST_F(CaseSplitTest, PlacesAreTakenApart) {
  ASSERT_TRUE(add("q == p floordiv w") && add("p == (n*h + y)*w + x"));
  expectUnknown("q mod h == y");
  ASSERT_TRUE(add("x < w and y < h"));
  expectYes("p mod w == x");
  expectYes("q mod h == y");
  expectYes("q floordiv h == n");
  expectUnknown("q mod h == x");
  ASSERT_TRUE(add("r == s + t floordiv w") && add("t < w"));
  expectYes("r mod h == s mod h");
}

/// What each part is worth a question of its own for, both together are.
TEST_F(CaseSplitTest, AConjunctionIsAsEasyAsItsParts) {
  ASSERT_TRUE(add("s in (2, 3) and t in (2, 3) and s != t"));
  expectYes("4 <= s*t and s*t <= 9");
  expectYes("s + t == 5 and s*t == 6");
  expectUnknown("s*t == 6 and s == 2");
  ASSERT_TRUE(add("u*u == v*v + 7"));
  expectYes("u == 4 and v == 3");
  expectNo("u == 4 and v == 2");
}

TEST_F(CaseSplitTest, TheOrderOfPartsDoesNotMatter) {
  declare("a: [1, 9], b: [1, 9], c: [1, 9], d: [0, ?]");
  ASSERT_TRUE(add("a == b or b + c == 0 or c + 3 == 2*d"));
  expectYes("a*(a - b)*(b + c)*(c + 3 - 2*d) == 0 and (a*b + 2*b) floordiv (b + 1) <= a*b + 3*b");
  expectYes("(a*b + 2*b) floordiv (b + 1) <= a*b + 3*b and a*(a - b)*(b + c)*(c + 3 - 2*d) == 0");
}

/// A quotient of two powers has a root, and what divides a power divides what it is of.
TEST_F(CaseSplitTest, RootsOfNumbersAreWhole) {
  ASSERT_TRUE(add("s*s == 2*t*t"));
  expectYes("s == 0 and t == 0");
  ASSERT_TRUE(add("u*u == 12*v"));
  expectYes("u mod 6 == 0");
  expectUnknown("u mod 12 == 0");
  ASSERT_TRUE(add("x*x == 4*y and y <= 3"));
  expectYes("y in (0, 1)");
  EXPECT_FALSE(add("3*z*z == 7"));
}

TEST_F(CaseSplitTest, APartHoldsWhereTheOtherDoesNot) {
  ASSERT_TRUE(add("i < n") && add("t >= 1"));
  expectYes("i + 1 == n or (i + 1) mod n == i + 1");
  expectYes("n mod t == 0 or n ceildiv t > n floordiv t");
  expectUnknown("i + 1 == n or (i + 2) mod n == i + 2");
  expectUnknown("n mod t == 0 or n ceildiv t > n floordiv t + 1");
}

TEST_F(CaseSplitTest, MultiplesOfASumHaveRemaindersLikeIt) {
  ASSERT_TRUE(add("2*p mod t == 0 and t >= 2"));
  expectYes("(2*p + 1) mod t == 1");
  expectYes("(4*p + 1) mod t == 1");
  expectYes("(2*p + r) mod t == r mod t");
  expectUnknown("(p + 1) mod t == 1");
  expectUnknown("(3*p + 1) mod t == 1");
  ASSERT_TRUE(add("(2*q + 3*r) mod t == 0"));
  expectYes("(2*q + 3*r + 1) mod t == 1");
  expectUnknown("(2*q + r + 1) mod t == 1");
}
