//===- Questions that few values decide ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {
class FewValuesTest : public SolverFixture {};
} // namespace

/// A quotient by a large number is not split into cases, but the size may have few values.
TEST_F(FewValuesTest, QuotientsByLargeNumbers) {
  declare("s: [0, 30], t: [0, 128], z: [-4, 4], n: [0, 9]");
  expectYes("s ceildiv 30 == s ceildiv 40");
  expectYes("t ceildiv 128 == t ceildiv 256");
  expectYes("z floordiv 17 == z floordiv 40");
  expectYes("(n ceildiv 12) ceildiv 3 == n ceildiv 48");
  expectYes("s ceildiv 30 != s ceildiv 40 + 1");
  // At 31 and more it is 1 and 2; at -17 it is -1 and -1, at -18 -2 and -1.
  declare("larger: [0, 31], smaller: [-18, 4]");
  expectUnknown("larger ceildiv 30 == larger ceildiv 40");
  expectUnknown("smaller floordiv 17 == smaller floordiv 40");
}

/// The factors of a number are few, whatever other sizes the other parts are about.
TEST_F(FewValuesTest, PartsAboutFactorsOfANumberBesideOtherParts) {
  ASSERT_TRUE(add("x*y == 13 and x >= 2"));
  ASSERT_TRUE(add("s <= t"));
  ASSERT_TRUE(add("u == 7*v"));
  expectYes("y == 1 and s <= t");
  expectYes("s <= t and y == 1");
  expectYes("y == 1 and s <= t and u floordiv 7 == v");
  expectYes("x in (1, 13) and u floordiv 7 == v");
  expectUnknown("y == 1 and s < t");
  expectUnknown("x == 2 or s < t");
}
