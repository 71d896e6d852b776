//===- Declarations after facts -----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;

namespace {
/// A symbol is a size until it is declared. What was deduced from that is not known of a number.
struct LateDeclarations : test::SolverFixture {
  void addManyAbove(const std::string &size) {
    std::string last = size;
    for (int i = 0; i < 40; ++i) {
      std::string next = size + "_above" + std::to_string(i);
      ASSERT_TRUE(add(last + " <= " + next));
      last = next;
    }
  }
};
} // namespace

TEST_F(LateDeclarations, OfWhatHadAValue) {
  addManyAbove("a");
  ASSERT_TRUE(add("8*a < t"));
  ASSERT_TRUE(add("t == 1"));
  EXPECT_EQ(simplify("a"), "0");
  declare("a: [-3, 1]");
  EXPECT_EQ(simplify("a"), "a");
  expectUnknown("a == 0");
  EXPECT_TRUE(add("a <= -1"));
}

TEST_F(LateDeclarations, OfOneSymbolAfterAnother) {
  addManyAbove("t");
  ASSERT_TRUE(add("s ceildiv (-3) == t"));
  declare("s: [-9, 1]");
  declare("t: [-4, 4]");
  EXPECT_EQ(simplify("t"), "-(s floordiv 3)");
  EXPECT_TRUE(add("t == 2"));
}

TEST_F(LateDeclarations, OfWhatEqualsAnotherOne) {
  declare("s: [-3, 4]");
  addManyAbove("a");
  ASSERT_TRUE(add("s == a"));
  EXPECT_EQ(solver.getRange(expr("s")), (Range{0, 4}));
  declare("a: [-3, 1]");
  EXPECT_EQ(solver.getRange(expr("s")), (Range{-3, 1}));
  EXPECT_TRUE(add("s <= -1"));
}

TEST_F(LateDeclarations, ThatContradictFactsAreRefused) {
  addManyAbove("a");
  ASSERT_TRUE(add("a*b >= 4 and b == 2"));
  EXPECT_FALSE(declare("a: [-9, -1]"));
  expectYes("a >= 2");
}

/// What a declaration says that is refused is not known of walks either.
TEST_F(LateDeclarations, ThatAreRefusedLeaveNothing) {
  ASSERT_TRUE(add("c <= b + a"));
  ASSERT_TRUE(add("floordiv(a*a, 3) == 2 + b"));
  ASSERT_TRUE(declare("a: [0, ?] mod 3 rem 1"));
  ASSERT_TRUE(add("b != a"));
  ASSERT_TRUE(add("a + y1 <= y3"));
  EXPECT_FALSE(declare("a: [-4, 2]"));
  // At a == 4, b == 3, c == 0.
  for (const char *question : {"a == 4", "b == 3", "b + a <= 7"})
    expectUnknown(question);
  expectNo("a <= 2");
}

TEST_F(LateDeclarations, OfWhatWasSaidToBeASize) {
  addManyAbove("t");
  ASSERT_TRUE(add("0 <= a and 0 <= b + c"));
  declare("a: int, b: int");
  // Both said nothing as long as all of them were sizes.
  expectYes("a*a*a >= 0");
  expectYes("min(0, a) == 0");
  expectYes("c >= -b");
  expectUnknown("b >= 0");
}
