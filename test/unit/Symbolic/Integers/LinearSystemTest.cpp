//===- Linear systems over the integers against every point of a box ------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Integers/LinearSystem.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace dyn::symbolic;

namespace {

using Rows = std::vector<LinearRow>;

constexpr unsigned plenty = 100000;

LinearRow row(std::initializer_list<int64_t> coefficients, int64_t constant, bool isEquation = false) {
  return {coefficients, constant, isEquation};
}

Feasibility decide(const Rows &rows, unsigned fuel = plenty) {
  IntegerPoint point;
  Feasibility result = findIntegers(rows.front().coefficients.size(), rows, fuel, point);
  if (result == Feasibility::Feasible)
    EXPECT_TRUE(llvm::all_of(rows, [&](const LinearRow &row) { return holdsAt(row, point); }));
  return result;
}

/// Is there a point with all unknowns in [-limit, limit]?
bool hasPointInBox(const Rows &rows, int64_t limit) {
  IntegerPoint point(rows.front().coefficients.size(), -limit);
  while (true) {
    if (llvm::all_of(rows, [&](const LinearRow &row) { return holdsAt(row, point); }))
      return true;
    size_t column = 0;
    while (column < point.size() && point[column] == limit)
      point[column++] = -limit;
    if (column == point.size())
      return false;
    ++point[column];
  }
}

} // namespace

TEST(LinearSystem, EquationsAreSolvedByDivisibility) {
  EXPECT_EQ(decide({row({6, 10, 15}, -1, true)}), Feasibility::Feasible);
  EXPECT_EQ(decide({row({6, 10, 14}, -1, true)}), Feasibility::Infeasible);
  // x mod 6 == 1 and x mod 4 == 2
  EXPECT_EQ(decide({row({1, -6, 0}, -1, true), row({1, 0, -4}, -2, true)}), Feasibility::Infeasible);
  EXPECT_EQ(decide({row({1, -6, 0}, -1, true), row({1, 0, -4}, -3, true)}), Feasibility::Feasible);
}

TEST(LinearSystem, BetweenRealSolutionsThereMayBeNoIntegers) {
  // 27 <= 11x + 13y <= 45 and -10 <= 7x - 9y <= 4, the example of the paper.
  EXPECT_EQ(decide({row({11, 13}, -27), row({-11, -13}, 45), row({7, -9}, 10), row({-7, 9}, 4)}),
            Feasibility::Infeasible);
  // 4y - 3x == 1 has points, and 4 <= 6y - 9x <= 5 has none.
  EXPECT_EQ(decide({row({-3, 4}, -1), row({3, -4}, 1)}), Feasibility::Feasible);
  EXPECT_EQ(decide({row({-9, 6}, -4), row({9, -6}, 5)}), Feasibility::Infeasible);
}

TEST(LinearSystem, NothingIsRequiredOfNothing) {
  EXPECT_EQ(decide({row({0, 0}, 0)}), Feasibility::Feasible);
  EXPECT_EQ(decide({row({0, 0}, -1)}), Feasibility::Infeasible);
  EXPECT_EQ(decide({row({}, 1, true)}), Feasibility::Infeasible);
}

TEST(LinearSystem, EffortAndOverflowEndInUnknown) {
  EXPECT_EQ(decide({row({11, 13}, -27), row({-11, -13}, 45), row({7, -9}, 10), row({-7, 9}, 4)}, /*fuel=*/2),
            Feasibility::Unknown);
  constexpr int64_t huge = INT64_MAX / 2;
  EXPECT_EQ(decide({row({huge, huge - 1}, -3), row({2 - huge, 3 - huge}, 5), row({1 - huge, huge}, 9)}),
            Feasibility::Unknown);
  EXPECT_EQ(decide({row({INT64_MIN, 1}, 0)}), Feasibility::Unknown);
}

TEST(LinearSystem, RandomSystemsAgreeWithEveryPointOfABox) {
  std::mt19937_64 engine(1);
  auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine); };
  unsigned infeasible = 0, open = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    unsigned unknowns = pick(1, 4);
    int64_t limit = unknowns <= 2 ? 9 : unknowns == 3 ? 5 : 3;
    Rows rows;
    for (int64_t count = pick(1, 5); count > 0; --count) {
      LinearRow row;
      for (unsigned i = 0; i < unknowns; ++i)
        row.coefficients.push_back(pick(0, 3) == 0 ? 0 : pick(-7, 7));
      row.constant = pick(-20, 20);
      row.isEquation = pick(0, 4) == 0;
      rows.push_back(row);
    }
    // Half of them with a box, so that infeasible means that no point of it will do.
    bool isBounded = pick(0, 1);
    for (unsigned i = 0; isBounded && i < unknowns; ++i)
      for (int64_t sign : {-1, 1}) {
        LinearRow row{llvm::SmallVector<int64_t, 32>(unknowns, 0), limit, false};
        row.coefficients[i] = sign;
        rows.push_back(row);
      }
    Feasibility result = decide(rows);
    bool hasPoint = hasPointInBox(rows, limit);
    ASSERT_FALSE(result == Feasibility::Infeasible && hasPoint) << trial;
    ASSERT_FALSE(isBounded && result == Feasibility::Feasible && !hasPoint) << trial;
    infeasible += result == Feasibility::Infeasible;
    open += result == Feasibility::Unknown;
  }
  EXPECT_GT(infeasible, 4000u);
  EXPECT_EQ(open, 0u);
}
