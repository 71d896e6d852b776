//===- Products of sizes --------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
using ProductTest = test::SolverFixture;
}

TEST_F(ProductTest, ProductsMayBeZero) {
  expectUnknown("s*t >= s");
  expectUnknown("p*s*768 >= s");
  declare("p: [1, ?]");
  expectYes("p*s*768 >= s");
}

TEST_F(ProductTest, ProductsCancelWhereNoFactorIsZero) {
  ASSERT_TRUE(add("B*S*768 == B*S*12*d"));
  expectUnknown("d == 64");
  ASSERT_TRUE(add("B >= 1 and S >= 1"));
  expectYes("d == 64");
}

TEST_F(ProductTest, UnsolvedProductsRewrite) {
  ASSERT_TRUE(add("n*m == 12*k"));
  expectYes("3*n*m*j == 36*k*j");
  expectYes("(n*m) mod 12 == 0");
  expectUnknown("n == 12");
}

TEST_F(ProductTest, EquationsOfProductsAreMultipliedWithEachOther) {
  std::string positive = "a >= 1 and b >= 1 and c >= 1 and d >= 1 and e >= 1 and f >= 1 and ";
  for (auto [facts, consequence] : {std::pair("a*b == c*d and a*d == c*b", "a floordiv 7 == c floordiv 7"),
                                    {"a*b == 12 and b == 3*a", "a == 2"},
                                    {"(a + 1)*f == b*e and (c + 2)*f == d*e", "(a + 1)*d == b*(c + 2)"},
                                    {"a*f == b*e and c*f == d*e and a*d <= 10", "b*c <= 10"},
                                    {"a*f == b*e and c*f == d*e and a*d <= s", "b*c <= s"},
                                    {"a*f == b*e and c*f == d*e", "a*d*s + t == b*c*s + t"}}) {
    Solver solver(context);
    EXPECT_TRUE(solver.addPredicate(predicate(positive + facts), solver.addReason({})));
    EXPECT_EQ(solver.implies(predicate(consequence)), Verdict::Yes) << facts << ", so " << consequence;
  }
}

TEST_F(ProductTest, NoFactorThatMayBeZeroIsCancelled) {
  ASSERT_TRUE(add("s*t == u*x and t*v == x*w"));
  expectUnknown("s*w == u*v");
  ASSERT_TRUE(add("c*d == a*b and c*e == f*g"));
  expectYes("a*b*e == d*f*g");
  ASSERT_TRUE(add("t >= 1 and x >= 1"));
  expectYes("s*w == u*v");
}

TEST_F(ProductTest, NoProductOfPowersOfPrimesIsOne) {
  ASSERT_TRUE(add("a >= 1 and b >= 1 and c >= 1 and d >= 1 and a*b == 2*c*d"));
  EXPECT_FALSE(add("a*d == b*c"));
}

TEST_F(ProductTest, OrdersThatProductsExcludeAreRefused) {
  std::string positive = "a >= 1 and b >= 1 and c >= 1 and d >= 1 and e >= 1 and f >= 1";
  for (const char *order : {"a*d < b*c", "a*d == b*c + 1", "a*d >= b*c + 1"})
    for (bool isFirst : {false, true}) {
      Solver solver(context);
      EXPECT_TRUE(solver.addPredicate(predicate(positive), solver.addReason({})));
      EXPECT_TRUE(solver.addPredicate(predicate(isFirst ? order : "a*f == b*e and c*f == d*e"), solver.addReason({})));
      EXPECT_FALSE(solver.addPredicate(predicate(isFirst ? "a*f == b*e and c*f == d*e" : order), solver.addReason({})))
          << order;
    }
}

TEST_F(ProductTest, ReshapesOfTransformers) {
  declare("B: [1, ?], S: [1, ?], P: [0, ?]");
  expectYes("B*S*768 == B*S*12*64");
  expectYes("exactdiv(B*S*768, B*S*12) == 64");
  expectYes("(B*S*768) floordiv (B*S*12) == 64");
  expectYes("exactdiv(B*(S + P)*768, (S + P)*12) == 64*B");
  expectYes("(B*S*3*768) floordiv (S*768) == 3*B");
  ASSERT_TRUE(add("n*1024 == 32*k*1024"));
  expectYes("n mod 32 == 0");
  EXPECT_EQ(simplify("k"), simplify("n floordiv 32"));
}

TEST_F(ProductTest, FactorsThatMayBeZeroAreKept) {
  ASSERT_TRUE(add("s*t == s*u"));
  expectUnknown("t == u");
  ASSERT_TRUE(add("t != u"));
  expectYes("s == 0");
}

TEST_F(ProductTest, SizesAreNotAssumedPositive) {
  expectUnknown("s <= 2*s - 1");
  expectUnknown("s floordiv s == 1");
  expectUnknown("s != 2*s");
  declare("p: [1, ?]");
  expectYes("p floordiv p == 1");
  expectYes("p != 2*p");
}

TEST_F(ProductTest, SumsThatAreProductsOfSumsAreTakenApart) {
  for (auto [fact, consequence] : {std::pair("s*s == 4*t*t", "s == 2*t"),
                                   {"9*s*s == 4*t*t", "3*s == 2*t"},
                                   {"(s + 1)*(s + 1) == (t + 1)*(t + 1)", "s == t"},
                                   {"s*s == t*t + 2*t + 1", "s == t + 1"},
                                   {"s*(s + 1) == t*(t + 1)", "s == t"},
                                   {"s*s + t*t == 2*s*t", "s == t"},
                                   {"(s - 3)*(s - 5) == 0", "s in (3, 5)"},
                                   {"(s - 3)*(t - 4) == 0 and s != 3", "t == 4"},
                                   {"s*t == s + t", "s == t and s in (0, 2)"},
                                   {"s*t + s*u == 7 and s >= 2", "s == 7"},
                                   {"s*s <= t*t", "s <= t"},
                                   {"s*s < t*t", "s < t"},
                                   {"s <= t", "s*s <= t*t"}}) {
    Solver facts(context);
    EXPECT_TRUE(facts.addPredicate(predicate(fact), facts.addReason({})));
    EXPECT_EQ(facts.implies(predicate(consequence)), Verdict::Yes) << fact << ", so " << consequence;
    EXPECT_NE(facts.implies(predicate("s == t + 7 or t == 20")), Verdict::Yes) << fact;
  }
}

TEST_F(ProductTest, SumsThatAreNoProductsStay) {
  add("s*s == 3*t*t + 1");
  expectUnknown("s == 2*t");
  expectUnknown("s*s + 1 >= 2*s*t");
  declare("x: [?, ?], y: [?, ?]");
  expectYes("x*x + y*y >= 2*x*y");
  expectYes("x*x + 4 >= 4*x");
  // Either sign.
  add("x*x == y*y");
  expectUnknown("x == y");
  expectYes("x == y or x == -y");
}

TEST_F(ProductTest, ProductsBoundTheirFactors) {
  add("B*S >= 1");
  expectYes("B >= 1 and S >= 1");
  add("B*S <= 4096");
  expectYes("S <= 4096");
  add("B >= 4");
  expectYes("S <= 1024");
}

TEST_F(ProductTest, ProductsAreWrittenWithTheMoreImportantSymbols) {
  declare("z: [1, ?], y: [1, ?]");
  declare("a: [0, ?], b: [0, ?]", SymbolClass::Internal);
  add("a*b == z*y");
  EXPECT_EQ(simplify("3*a*b + 1"), "3 * y * z + 1");
  EXPECT_EQ(simplify("(768*z*y) floordiv (z*y)"), "768");
}

TEST_F(ProductTest, InequalitiesAreMultipliedByWhatIsNotNegative) {
  declare("B: [1, ?], T: [0, ?], S: [0, ?]");
  add("S <= T");
  expectYes("B*S*64 <= B*T*64");
  expectYes("B*T - B*S >= 0");
  add("B*u <= B*v");
  expectYes("u <= v");
}

TEST_F(ProductTest, PlacesInRowsAreInsideOfTheWhole) {
  add("i < m");
  add("j < n");
  expectYes("i*n + j < m*n");
  expectUnknown("i*n + j < m*n - 1");
  add("u + 1 <= t");
  add("s*t + t <= v*t");
  expectYes("s*t + u < v*t");
}

TEST_F(ProductTest, ExactQuotientsDivideWhenTheDivisorTurnsOutToBeANumber) {
  ASSERT_TRUE(add("exactdiv(s, t) == u"));
  expectYes("s == u*t");
  ASSERT_TRUE(add("t == 4"));
  expectYes("s == u*t");
  expectYes("s mod 4 == 0");
}

TEST_F(ProductTest, AProductThatIsOneHasFactorsThatAreOne) {
  expectYes("S*M != 1 or S == 1");
  expectYes("S*M != 1 or S*M == M");
}

TEST_F(ProductTest, PlacesInFlattenedTensorsAreBelowTheNumberOfElements) {
  ASSERT_TRUE(add("i < n and j < m and k < p and l < r"));
  expectYes("i*m + j < n*m");
  expectYes("(i*m + j)*p + k < n*m*p");
  expectYes("((i*m + j)*p + k)*r + l < n*m*p*r");
  expectYes("i*m*p + j*p + k <= n*m*p");
  expectYes("i*m + j*p <= (n - 1)*m + (m - 1)*p");
  expectUnknown("(i*m + k)*p + j < n*m*p");
  expectUnknown("(i*m + j)*p + k + 1 < n*m*p");
  ASSERT_TRUE(add("q < n*m"));
  expectYes("q*p + k < n*m*p");
  expectUnknown("q*m + k < n*m*p");
}

TEST_F(ProductTest, APlaceThatHasANameIsBelowTheNumberOfElements) {
  ASSERT_TRUE(add("x == (i*m + j)*p + k and i < n and j < m and k < p"));
  expectYes("x < n*m*p");
  expectYes("x + p <= n*m*p + k");
  expectUnknown("x < n*m*p - 1");
}

TEST_F(ProductTest, OrdersOfThreeFactorsMultiply) {
  ASSERT_TRUE(add("i <= n and j <= m and k <= p"));
  expectYes("i*j*k <= n*m*p");
  expectYes("i*j*k <= n*m*p + 3");
  expectUnknown("i*j*k <= n*m*p - 1");
  expectUnknown("i*j*k <= n*m*m");
}

TEST_F(ProductTest, PlacesAreTakenApart) {
  ASSERT_TRUE(add("h >= 1 and w >= 1"));
  expectYes("(x floordiv w) mod h < h");
  expectYes("(x mod (h*w)) floordiv w < h");
  expectYes("(x floordiv w) mod 4 < 4");
  expectYes("((x floordiv w) mod h)*w + x mod w < h*w");
  expectUnknown("(x floordiv w) mod h < h - 1");
  expectUnknown("(x floordiv w) mod h < w");
}

TEST_F(ProductTest, QuotientsByOneSizeAreCompared) {
  ASSERT_TRUE(add("s >= 1 and k >= 1"));
  expectYes("(x - k) floordiv s <= (x - 1) floordiv s");
  expectYes("(x + s - 1) floordiv s <= x floordiv s + 1");
  expectYes("(a + b) floordiv s >= a floordiv s + b floordiv s");
  expectYes("(a + b) floordiv s <= a floordiv s + b floordiv s + 1");
  expectUnknown("(a + b) floordiv s <= a floordiv s + b floordiv s");
  expectUnknown("(x - k) floordiv s < (x - 1) floordiv s");
}

TEST_F(ProductTest, AQuotientIsAtLeastWhatItsDividendHasRoomFor) {
  declare("t: [1, ?], u: [1, ?], c: [1, ?]");
  expectYes("(a*b) floordiv c >= a*(b floordiv c)");
  expectYes("(a*b) ceildiv c <= a*(b ceildiv c)");
  expectYes("(t*((u*h) floordiv t)) floordiv u <= h");
  expectYes("(x floordiv t + 1) floordiv u == (x + t) floordiv (t*u)");
  expectUnknown("h ceildiv t == h floordiv t + 1");
  expectUnknown("(a*b) floordiv c <= a*(b floordiv c)");
  add("h mod t >= 1");
  expectYes("h ceildiv t == h floordiv t + 1");
}

TEST_F(ProductTest, AFactorLeavesLessForTheOthers) {
  add("b*s*d == h*w and d >= 2 and (p + s)*t == 768");
  expectYes("2*b*s <= h*w");
  expectUnknown("3*b*s <= h*w");
  expectYes("p + s <= 768");
  expectYes("t >= 1 and t <= 768");
  expectUnknown("p + s <= 767");
}

TEST_F(ProductTest, RootsOfSquaresAreTaken) {
  add("(p + s)*(p + s) <= 50");
  expectYes("p + s <= 7");
  expectUnknown("p + s <= 6");
  add("b*h*b*h == 4*t*t");
  expectYes("b*h == 2*t");
  add("x*x <= y*y and z == y + 1 and u == z - 1");
  expectYes("x <= u");
  expectUnknown("x < u");
}

TEST_F(ProductTest, FactorsOfEitherSignAreCancelled) {
  declare("h: [1, ?], w: [1, ?]");
  add("(2*a + 1)*t <= (2*a + 1)*u and min(h, w)*x == min(h, w)*y and (3 - 2*b)*d >= (3 - 2*b)*s and b >= 2");
  expectYes("t <= u");
  expectYes("x == y");
  expectYes("d <= s");
  expectUnknown("t < u");
}

/// `a ceildiv b` is `(a - 1) floordiv b + 1`.
TEST_F(ProductTest, SmallerDivisorsGiveLargerQuotients) {
  declare("b: [1,?], d: [0,?]");
  EXPECT_TRUE(add("b <= c"));
  for (const char *query : {"a ceildiv b >= a ceildiv c", "a ceildiv b >= a ceildiv (b + d)",
                            "2*(a floordiv b) + s >= 2*(a floordiv (b + d))"})
    expectYes(query);
  // -3 floordiv 1 is less than -3 floordiv 3.
  expectUnknown("(a - 3) floordiv b >= (a - 3) floordiv c");
  expectUnknown("a floordiv b >= a floordiv e");
}

/// Where the sign of a dividend is a fact between sizes, of which their intervals know nothing.
TEST_F(ProductTest, QuotientsBySizesHaveTheSignOfTheirDividends) {
  declare("d: [1, 8]");
  EXPECT_TRUE(add("s >= t and u < v and p >= q + 8"));
  for (const char *query : {"(s - t) floordiv a >= 0", "(s - t) floordiv (t mod s) >= 0", "(t - s) floordiv a <= 0",
                            "(u - v) floordiv a <= -1", "(p - q) floordiv d >= 1", "(q - p) floordiv d <= -1",
                            "a floordiv b + (s - t) floordiv a >= 0"})
    expectYes(query);
  for (const char *query : {"(s - t) floordiv a >= 1", "(u - v) floordiv a <= -2", "(p - q) floordiv d >= 2",
                            "(p - q) floordiv a >= 1", "(s - v) floordiv a >= 0", "(s - t) floordiv (a - b) >= 0"})
    expectUnknown(query);
  EXPECT_EQ(solver.getRange(expr("(s - t) floordiv a")).lower, 0);
  // However equations say it.
  EXPECT_TRUE(add("x + y - min(5, y) == z"));
  EXPECT_EQ(solver.getRange(expr("x floordiv (y mod z)")).lower, 0);
}

/// Also where no symbol can be solved for: the quotient has no name, but it is a number.
TEST_F(ProductTest, WhatASizeDividesIsAMultipleOfIt) {
  EXPECT_TRUE(add("b*s mod h == 0 and h >= 1 and b*s floordiv h == 8"));
  expectYes("b*s == 8*h");
  expectYes("b*s >= h");
  expectUnknown("b*s == 16");
}

TEST_F(ProductTest, WhatIsLessThanASizeThatDividesItIsZero) {
  EXPECT_TRUE(add("x*y mod t == 0 and x*y < t"));
  expectYes("x*y == 0");
  EXPECT_TRUE(add("2*w mod u == 0 and u >= 1 and w >= 1"));
  expectYes("2*w >= u");
  expectYes("2*w floordiv u >= 1");
  expectUnknown("w >= u");
  EXPECT_EQ(solver.simplify(expr("u*(2*w floordiv u)")).str(), "2 * w");
}

TEST_F(ProductTest, InequalitiesOfAProductSpeakOfItsFactors) {
  EXPECT_TRUE(add("n*m == d*k and d >= 1"));
  EXPECT_TRUE(add("n*m <= 9*d - 1"));
  expectYes("k <= 8");
  expectUnknown("k <= 7");
  EXPECT_TRUE(add("8*d <= n*m"));
  expectYes("k == 8");
  // In whichever order they come.
  EXPECT_TRUE(add("p*q < e"));
  EXPECT_TRUE(add("p*q == e*j"));
  expectYes("j == 0");
}

TEST_F(ProductTest, PlacesInATensorWhoseRowsAreAQuotient) {
  ASSERT_TRUE(add("y < h floordiv 2 and x < w floordiv 2 and z < h ceildiv 4"));
  expectYes("y*(w floordiv 2) + x < (h floordiv 2)*(w floordiv 2)");
  expectYes("z*v + u < (h ceildiv 4)*v or v <= u");
  expectUnknown("y*(w floordiv 2) + x < (h floordiv 2)*(w floordiv 2) - 1");
  ASSERT_TRUE(add("p == h floordiv 3 and i < p and j < v"));
  expectYes("i*v + j < p*v");
}

TEST_F(ProductTest, SquaresThatAreNoMoreThanNothingAreZero) {
  ASSERT_TRUE(add("4*s*s + 9*t*t <= 12*s*t"));
  expectYes("2*s == 3*t");
  expectUnknown("s == t");
  ASSERT_TRUE(add("u*u + v*v <= 2*u*v and v mod 2 == 0"));
  expectYes("u == v");
}

/// An order that the values imply anyway does not put one in terms of the other.
TEST_F(ProductTest, ValuesAreKnownBeforeOrders) {
  ASSERT_TRUE(add("(s == 2 or s == 5) and (t == 2 or t == 3) and s <= t + 16"));
  expectYes("4 <= s*t and s*t <= 15");
  expectUnknown("s*t <= 14");
}

TEST_F(ProductTest, PlacesInRowsTellRowAndColumn) {
  ASSERT_TRUE(add("x < w") && add("x2 < w") && add("y*w + x == y2*w + x2"));
  expectYes("y == y2");
  expectYes("x == x2");
}

TEST_F(ProductTest, AColumnBeyondTheRowTellsNeither) {
  ASSERT_TRUE(add("x <= w") && add("x2 <= w") && add("y*w + x == y2*w + x2"));
  expectUnknown("y == y2");
  expectUnknown("x == x2");
}

TEST_F(ProductTest, WhatIsLessThanARowLeavesTheOrderOfRows) {
  ASSERT_TRUE(add("x < w") && add("b*w <= a*w + x"));
  expectYes("b <= a");
  expectUnknown("b < a");
}
