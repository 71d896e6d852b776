//===- Facts that contradict each other, in whichever order they come ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Parser.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace dyn::symbolic;

namespace {

/// Are all of the facts accepted, one after the other?
bool areAccepted(const std::vector<const char *> &facts, const std::vector<unsigned> &order) {
  SymbolicContext context;
  Solver solver(context);
  ParseError error;
  return llvm::all_of(order, [&](unsigned fact) {
    std::optional<Predicate> predicate = parsePredicate(facts[fact], context, error);
    EXPECT_TRUE(predicate) << facts[fact];
    return predicate && solver.addPredicate(*predicate, solver.addReason({"given", "", 0}));
  });
}

void expectInEveryOrder(const std::vector<const char *> &facts, bool accepted) {
  std::vector<unsigned> order(facts.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    std::string text;
    for (unsigned fact : order)
      text += std::string(facts[fact]) + "; ";
    EXPECT_EQ(areAccepted(facts, order), accepted) << text;
  } while (std::next_permutation(order.begin(), order.end()));
}

/// What the last of them meets depends on the others that came before it, and each may be the last.
TEST(ContradictionsTest, FewFactsAreRefusedInEveryOrderOrInNone) {
  for (const std::vector<const char *> &facts : std::initializer_list<std::vector<const char *>>{
           {"t*(t floordiv 4) < u", "5 == t*s", "u*s == 2*u"},
           {"t*t == u", "2*t + 2 == s", "s*s mod 3 == s"},
           {"s*t - u mod 2 < 30", "min(t, 4) < t", "2*u mod 4 == u", "t + u - s == s mod 2"},
           {"u < s", "1 < u mod 3", "(s floordiv 4)*s == max(u, s)", "min(s, u*s) <= 2"},
           {"2*(t + u) == min(t, s)", "u floordiv 2 <= 4", "t floordiv 4 == s*s",
            "min(max(s, t), u floordiv 4) < min(t, u)"},
           {"max(s, u*u) == u mod 3", "t + s != max(s, t)", "t + u == s mod 2", "max(4, min(u, s)) != 6"}})
    expectInEveryOrder(facts, /*accepted=*/false);
}

/// None of the points that are tried first is among those that the facts leave: s = 3, t = 4.
TEST(ContradictionsTest, FewFactsThatLeaveOnePointAreAcceptedInEveryOrder) {
  expectInEveryOrder({"s*t == 12", "t == s + 1", "s*s + t*t == 25"}, /*accepted=*/true);
  expectInEveryOrder({"s*t == 12", "t mod 4 == 0", "s mod 3 == 0", "s < t"}, /*accepted=*/true);
}

/// Points that many others are left out around are found by trying all.
TEST(ContradictionsTest, AValueIsFoundWhereFewAreLeft) {
  SymbolicContext context;
  Solver solver(context);
  ParseError error;
  for (const char *fact : {"s mod 4 == 3", "s mod 3 == 1", "s <= 64"})
    ASSERT_TRUE(solver.addPredicate(*parsePredicate(fact, context, error), solver.addReason({"given", "", 0})));
  EXPECT_EQ(solver.implies(*parsePredicate("False", context, error)), Verdict::No);
}

} // namespace
