//===- Sums as numbers of a mixed radix -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/MixedRadix.h"
#include "Solver/SortedFacts.h"
#include "SolverFixture.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace dyn::symbolic;

using MixedRadixTest = test::SolverFixture;

TEST_F(MixedRadixTest, EqualPlacesHaveEqualDigits) {
  ASSERT_TRUE(add("(y*h + i)*w + x == (z*h + j)*w + v and x < w and v < w and i < h and j < h"));
  expectYes("y == z");
  expectYes("i == j");
  expectYes("x == v");
  expectYes("y == z and i == j and x == v");
  EXPECT_FALSE(add("i < j"));
}

TEST_F(MixedRadixTest, ADigitThatMayBeTheRadixTellsNothing) {
  ASSERT_TRUE(add("(y*h + i)*w + x == (z*h + j)*w + v and x <= w and v < w and i < h and j < h"));
  expectUnknown("y == z");
  expectUnknown("x == v");
  EXPECT_TRUE(add("i < j"));
}

TEST_F(MixedRadixTest, RadicesAreSumsAndQuotients) {
  ASSERT_TRUE(add("y*(w + h) + x == z*(w + h) + v and x < w + h and v < w + h"));
  expectYes("y == z and x == v");
  ASSERT_TRUE(add("a*(n ceildiv 8) + c == b*(n ceildiv 8) + d and c < n ceildiv 8 and d < n ceildiv 8"));
  expectYes("a == b and c == d");
}

TEST_F(MixedRadixTest, RowsMayBeLongerThanTheirColumns) {
  ASSERT_TRUE(add("y*(w + 3) + x == z*(w + 3) + v and x <= w + 2 and v <= w + 1"));
  expectYes("y == z and x == v");
  // Columns from 1 on are as many as those from 0 on.
  ASSERT_TRUE(add("a*n + c == b*n + d and c <= n and d <= n and c >= 1 and d >= 1"));
  expectYes("a == b and c == d");
}

TEST_F(MixedRadixTest, TwoPlacesOfOneNameAreEqual) {
  ASSERT_TRUE(add("p == y*w + x and q == z*w + v and x < w and v < w"));
  expectUnknown("y == z");
  expectUnknown("p == q");
  ASSERT_TRUE(add("p == q"));
  expectYes("y == z");
  expectYes("x == v");
}

TEST_F(MixedRadixTest, OtherDigitsMakeOtherPlaces) {
  ASSERT_TRUE(add("x < w and v < w and i < h and j < h and i != j"));
  expectYes("(y*h + i)*w + x != (z*h + j)*w + v");
  expectNo("(y*h + i)*w + x == (z*h + j)*w + v");
  expectUnknown("y*w + x != z*w + v");
}

TEST_F(MixedRadixTest, PlacesHaveTheOrderOfTheFirstDigitThatDiffers) {
  ASSERT_TRUE(add("p == y*w + x and q == z*w + v and x < w and v < w and y < z"));
  expectYes("p < q");
  ASSERT_TRUE(add("a*n + c <= b*n + d and c < n and d < n"));
  expectYes("a <= b");
  expectUnknown("c <= d");
  ASSERT_TRUE(add("a == b"));
  expectYes("c <= d");
}

TEST_F(MixedRadixTest, PlacesAreTakenApart) {
  ASSERT_TRUE(add("p == (n*h + y)*w + x and x < w and y < h"));
  expectYes("(p floordiv w) mod h == y");
  expectYes("p mod (h*w) floordiv w == y");
  expectYes("p floordiv w floordiv h == n");
  expectYes("p mod w == x");
  expectUnknown("(p floordiv h) mod w == x");
  expectUnknown("p floordiv w floordiv h == y");
}

TEST_F(MixedRadixTest, PlacesBeyondTheirRowAreNot) {
  ASSERT_TRUE(add("p == (n*h + y)*w + x and x <= w and y < h and w >= 1"));
  expectUnknown("(p floordiv w) mod h == y");
  expectUnknown("p mod w == x");
}

TEST_F(MixedRadixTest, RowsMayBePadded) {
  ASSERT_TRUE(add("i*s + x == j*s + v and x < w and v < w and w <= s"));
  expectYes("i == j and x == v");
  ASSERT_TRUE(add("a*t + c == b*t + d and c < n and d < n and t == n + p"));
  expectYes("a == b");
}

TEST_F(MixedRadixTest, RadicesAreHalvesAndNumbers) {
  ASSERT_TRUE(add("x < w ceildiv 2 and v < w ceildiv 2 and y*(w ceildiv 2) + x == z*(w ceildiv 2) + v"));
  expectYes("y == z and x == v");
  ASSERT_TRUE(add("i < 8 and j < 8 and c < n and d < n and (a*n + c)*8 + i == (b*n + d)*8 + j"));
  expectYes("a == b and c == d and i == j");
}

TEST_F(MixedRadixTest, ColumnsMayBeNegative) {
  declare("x: [?,?], v: [0,?]");
  ASSERT_TRUE(add("y*w + x == z*w + v and x < w and v < w"));
  expectUnknown("y == z");
  ASSERT_TRUE(add("-w < x - v"));
  expectYes("y == z and x == v");
}

TEST_F(MixedRadixTest, OtherColumnsOfOtherPlacesAreNeverEqual) {
  ASSERT_TRUE(add("i < h and j < h and i < j"));
  expectYes("y*h + i != z*h + j");
  expectNo("y*h + i == z*h + j");
}

TEST_F(MixedRadixTest, FactorsOfWholePlacesMakeNoDifference) {
  ASSERT_TRUE(add("h >= 1 and (y*w + x)*h == (z*w + v)*h and x < w and v < w"));
  expectYes("y == z and x == v");
  ASSERT_TRUE(add("2*p == a*n + c and 2*p == b*n + d and c < n and d < n"));
  expectYes("a == b and c == d");
}

TEST_F(MixedRadixTest, HighDigitsTogetherHaveTheOrderOfPlaces) {
  ASSERT_TRUE(add("(y*h + i)*w + x <= (z*h + j)*w + v and x < w and v < w and i < h and j < h"));
  expectYes("y*h + i <= z*h + j");
  expectYes("y <= z");
  expectUnknown("i <= j");
}

TEST_F(MixedRadixTest, EqualRowsLeaveTheOrderToColumns) {
  ASSERT_TRUE(add("x < w and v < w and y <= z"));
  expectUnknown("y*w + x <= z*w + v");
  ASSERT_TRUE(add("v < x"));
  expectUnknown("y*w + x <= z*w + v");
  ASSERT_TRUE(add("z <= y"));
  expectNo("y*w + x <= z*w + v");
}

/// Rows that begin at multiples of 8 are as long as their columns, at least.
TEST_F(MixedRadixTest, RowsMayBePaddedToAMultiple) {
  ASSERT_TRUE(add("s == (w ceildiv 8)*8 and t == ((w + 5) ceildiv 8)*16 and u == (w floordiv 8)*8"));
  ASSERT_TRUE(add("x < w and v < w"));
  for (const char *stride : {"s", "t", "u"}) {
    std::string text = llvm::formatv("y*{0} + x == z*{0} + v", stride);
    Solver copy = solver.fork();
    ASSERT_TRUE(copy.addPredicate(predicate(text), copy.addReason({"", "", 0})));
    EXPECT_EQ(copy.implies(predicate("x == v and y == z")), stride[0] == 'u' ? Verdict::Unknown : Verdict::Yes) << text;
  }
  ASSERT_TRUE(add("y < z"));
  expectYes("y*s + x < z*s + v");
  expectUnknown("y*u + x < z*u + v");
  ASSERT_TRUE(add("8*i*(w ceildiv 8) + x == 8*j*(w ceildiv 8) + v"));
  expectYes("i == j");
}

/// What a solver shows of it depends on the points that it tries first.
TEST_F(MixedRadixTest, ComparisonsOfDigitsAreThoseOfPlaces) {
  FactStore store(context.getImpl());
  SortedFacts facts;
  facts.add(predicate("x < w and v < w"));
  MixedRadix radices(store, facts.get());
  Expr sum = expr("z*w + v - y*w - x");
  for (auto kind :
       {Predicate::Kind::Equal, Predicate::Kind::NotEqual, Predicate::Kind::LessEqual, Predicate::Kind::Less}) {
    std::optional<Predicate> digits = radices.compareDigits(kind, sum);
    ASSERT_TRUE(digits);
    Predicate whole{kind, context.getConstant(0), sum, {}};
    for (int64_t w = 1; w <= 3; ++w)
      for (int64_t place = 0; place < 9 * w * w; ++place) {
        int64_t first = place % (3 * w), second = place / (3 * w);
        llvm::StringMap<int64_t> point = {
            {"w", w}, {"x", first % w}, {"y", first / w}, {"v", second % w}, {"z", second / w}};
        auto valueOf = [&](llvm::StringRef name) { return std::optional(point.lookup(name)); };
        ASSERT_EQ(evaluate(*digits, valueOf), evaluate(whole, valueOf)) << digits->str() << " at place " << place;
      }
  }
}
