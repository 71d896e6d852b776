//===- Quotients as sizes of their own -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SolverFixture.h"

using namespace dyn::symbolic;
using namespace dyn::symbolic::test;

namespace {
struct Question {
  std::vector<const char *> facts;
  const char *asked;
  Verdict verdict = Verdict::Yes;
};

void check(llvm::ArrayRef<Question> questions) {
  for (const auto &[facts, asked, verdict] : questions) {
    SymbolicContext context;
    Solver solver(context);
    auto parse = [&](const char *text) {
      ParseError error;
      std::optional<Predicate> predicate = parsePredicate(text, context, error);
      EXPECT_TRUE(predicate) << text << ": " << error.message;
      return predicate.value_or(Predicate());
    };
    for (const char *fact : facts)
      EXPECT_TRUE(solver.addPredicate(parse(fact), solver.addReason({"given", "", 0}))) << fact;
    EXPECT_EQ(solver.implies(parse(asked)), verdict) << asked;
  }
}
} // namespace

TEST(NamedQuotientsTest, PlacesInBlocksAreInsideOfTheWhole) {
  check({{{"y < 8*m", "b < n"}, "(y floordiv 8)*n + b < m*n"},
         {{"i < (h floordiv p)*g", "a < p"}, "(i floordiv g)*p + a < h"},
         // Of the last block the rest is outside.
         {{"i < (h ceildiv p)*g", "a < p"}, "(i floordiv g)*p + a < h", Verdict::Unknown},
         {{"y < 8*m", "b <= n"}, "(y floordiv 8)*n + b < m*n", Verdict::Unknown}});
}

TEST(NamedQuotientsTest, FewerBlocksThanFitAreNoMoreThanTheWhole) {
  check({{{"i < p"}, "i*(n floordiv p) <= n"},
         {{"i < p", "q == n floordiv p"}, "i*q <= n"},
         {{"i + 1 <= p", "n >= p"}, "i*(n floordiv p) < n"},
         // Where n is 0, so is the product.
         {{"i + 1 <= p"}, "i*(n floordiv p) < n", Verdict::Unknown},
         {{"i <= p + 1"}, "i*(n floordiv p) <= n", Verdict::Unknown}});
}

TEST(NamedQuotientsTest, RemaindersAreLessThanHalf) {
  check({{{"p >= 1", "p <= n"}, "2*(n mod p) <= n"}, {{"p >= 1"}, "2*(n mod p) <= n", Verdict::Unknown}});
}

TEST(NamedQuotientsTest, WhatLeavesARestIsRoundedUp) {
  check({{{"t >= 1", "n mod t >= 1"}, "t*(n ceildiv t) > n"},
         {{"t >= 1", "n mod t >= 1"}, "t*(n ceildiv t) != n"},
         {{"t >= 1"}, "t*(n ceildiv t) != n", Verdict::Unknown}});
}

TEST(NamedQuotientsTest, QuotientsOfOneSizeHaveTheOrderOfTheirDivisors) {
  check({{{"a <= b"}, "a*(w ceildiv 4) <= b*(w ceildiv 2)"},
         {{"a <= b"}, "a*(w ceildiv 2) <= b*(w ceildiv 4)", Verdict::Unknown}});
}

TEST(NamedQuotientsTest, ProductsOfQuotientsHaveTheOrderOfTheirFactors) {
  // Half of a size rounded up is `h - h floordiv 2`, of which a product has as many terms again.
  check({{{}, "(h ceildiv 4)*(w ceildiv 4) <= (h ceildiv 2)*(w ceildiv 2)"},
         {{}, "n*(h ceildiv 4)*(w ceildiv 4) <= n*(h ceildiv 2)*(w ceildiv 2)"},
         {{}, "(h ceildiv 8)*(w ceildiv 8) <= (h ceildiv 2)*(w ceildiv 4)"},
         {{}, "(h ceildiv 6)*(w ceildiv 6) <= (h ceildiv 3)*(w ceildiv 3)"},
         {{}, "(h ceildiv 2)*(w ceildiv 2) <= (h ceildiv 4)*(w ceildiv 4)", Verdict::Unknown},
         {{}, "(h ceildiv 4)*(w ceildiv 2) <= (h ceildiv 2)*(w ceildiv 4)", Verdict::Unknown}});
}

TEST(NamedQuotientsTest, FactsAboutQuotientsAreKept) {
  check({{{"y < 8*m", "b < n", "y floordiv 8 < m"}, "(y floordiv 8)*n + b < m*n"}});
}
