//===- Linear equations and inequalities over the integers ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Integers/LinearSystem.h"
#include "Expressions/Polynomial.h"
#include "Integers/LinearRows.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace dyn::symbolic;

using Rows = std::vector<LinearRow>;

namespace {

class OmegaTest {
public:
  OmegaTest(unsigned unknowns, unsigned &fuel) : unknowns(unknowns), fuel(fuel) {}

  Feasibility solve(Rows rows, IntegerPoint &point);

private:
  /// x_k = t - sum of quotients[i] * x_i - constant; t takes the column of x_k, or is 0 if the equation had a unit.
  struct Replacement {
    unsigned column;
    llvm::SmallVector<int64_t, 32> quotients;
    int64_t constant;
  };
  /// The rows in which an unknown has a positive coefficient, and those in which it has a negative one.
  struct Bounds {
    llvm::SmallVector<const LinearRow *, 8> lower, upper;
  };

  Step solveEquation(Rows &rows, const LinearRow &equation, std::vector<Replacement> &replacements);
  bool replace(LinearRow &row, const Replacement &replacement, bool keepsColumn);
  Feasibility eliminate(Rows rows, IntegerPoint &point);
  Feasibility eliminateBounded(const Rows &rows, IntegerPoint &point);
  Feasibility searchPlanes(const Rows &rows, unsigned column, const Bounds &bounds, IntegerPoint &point);
  Bounds getBounds(const Rows &rows, unsigned column);
  std::optional<Rows> getShadow(const Rows &rows, unsigned column, const Bounds &bounds, bool dark);
  /// A value of the unknown between its bounds at the point, if there is one.
  bool choose(unsigned column, const Bounds &bounds, IntegerPoint &point);

  unsigned unknowns;
  unsigned &fuel;
};

} // namespace

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

bool OmegaTest::replace(LinearRow &row, const Replacement &replacement, bool keepsColumn) {
  int64_t factor = row.coefficients[replacement.column];
  if (factor == 0)
    return true;
  for (auto [coefficient, quotient] : llvm::zip_equal(row.coefficients, replacement.quotients))
    if (!assign(coefficient, coefficient - Wide(factor) * quotient))
      return false;
  if (!keepsColumn)
    row.coefficients[replacement.column] = 0;
  return assign(row.constant, row.constant - Wide(factor) * replacement.constant);
}

/// Makes the coefficients of the equation smaller, or removes an unknown that has a unit, as in Euclid's algorithm.
/// rule unit-row: x + R == 0 |- x == -R
/// rule smaller-row: t == x + K and c*x + R == 0 |- c*t + R - c*K == 0
Step OmegaTest::solveEquation(Rows &rows, const LinearRow &equation, std::vector<Replacement> &replacements) {
  auto isSmaller = [](int64_t a, int64_t b) { return a != 0 && (b == 0 || std::abs(a) < std::abs(b)); };
  Replacement replacement{0, {}, 0};
  for (unsigned column = 1; column < unknowns; ++column)
    if (isSmaller(equation.coefficients[column], equation.coefficients[replacement.column]))
      replacement.column = column;
  int64_t least = equation.coefficients[replacement.column];
  for (int64_t coefficient : equation.coefficients)
    replacement.quotients.push_back(*checkedFloorDiv(coefficient, least));
  replacement.quotients[replacement.column] = 0;
  replacement.constant = *checkedFloorDiv(equation.constant, least);
  bool isExact = isUnit(least);
  for (LinearRow &row : rows)
    if (fuel == 0 || !replace(row, replacement, /*keepsColumn=*/!isExact))
      return Step::GivenUp;
  fuel -= std::min<unsigned>(fuel, rows.size());
  replacements.push_back(std::move(replacement));
  return Step::Open;
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

Feasibility OmegaTest::solve(Rows rows, IntegerPoint &point) {
  std::vector<Replacement> replacements;
  while (true) {
    // Each round looks at all rows, which takes about a quarter of making them.
    if (fuel == 0)
      return Feasibility::Unknown;
    fuel -= std::min<unsigned>(fuel, rows.size() / 4);
    switch (normalize(rows)) {
    case Step::Infeasible:
      return Feasibility::Infeasible;
    case Step::GivenUp:
      return Feasibility::Unknown;
    case Step::Open:
      break;
    }
    auto getLeast = [](const LinearRow &row) {
      int64_t least = INT64_MAX;
      for (int64_t coefficient : row.coefficients)
        if (coefficient != 0)
          least = std::min(least, std::abs(coefficient));
      return least;
    };
    const LinearRow *best = nullptr;
    for (const LinearRow &row : rows)
      if (row.isEquation && (!best || getLeast(row) < getLeast(*best)))
        best = &row;
    if (!best)
      break;
    if (solveEquation(rows, LinearRow(*best), replacements) == Step::GivenUp)
      return Feasibility::Unknown;
  }
  Feasibility result = eliminate(std::move(rows), point);
  if (result != Feasibility::Feasible)
    return result;
  for (const Replacement &replacement : llvm::reverse(replacements)) {
    Wide value = Wide(point[replacement.column]) - replacement.constant;
    for (auto [quotient, other] : llvm::zip_equal(replacement.quotients, point))
      value -= Wide(quotient) * other;
    if (!assign(point[replacement.column], value))
      return Feasibility::Unknown;
  }
  return result;
}

OmegaTest::Bounds OmegaTest::getBounds(const Rows &rows, unsigned column) {
  Bounds bounds;
  for (const LinearRow &row : rows)
    if (int64_t coefficient = row.coefficients[column])
      (coefficient > 0 ? bounds.lower : bounds.upper).push_back(&row);
  return bounds;
}

/// What is left of the rows without the unknown: each lower bound is at most each upper bound, and in the dark shadow
/// so much lower that an integer lies between.
/// rule real-shadow: a >= 1 and b >= 1 and a*x + L >= 0 and U - b*x >= 0 |- a*U + b*L >= 0
std::optional<Rows> OmegaTest::getShadow(const Rows &rows, unsigned column, const Bounds &bounds, bool dark) {
  Rows shadow;
  size_t others = rows.size() - bounds.lower.size() - bounds.upper.size();
  shadow.reserve(std::min(others + bounds.lower.size() * bounds.upper.size(), maximalRows + 1));
  for (const LinearRow &row : rows)
    if (row.coefficients[column] == 0)
      shadow.push_back(row);
  for (const LinearRow *lower : bounds.lower)
    for (const LinearRow *upper : bounds.upper) {
      if (fuel == 0 || shadow.size() > maximalRows)
        return std::nullopt;
      --fuel;
      int64_t a = lower->coefficients[column], b = -upper->coefficients[column];
      LinearRow &row = shadow.emplace_back();
      row.coefficients.resize_for_overwrite(unknowns);
      for (auto [sum, l, u] : llvm::zip_equal(row.coefficients, lower->coefficients, upper->coefficients))
        if (!assign(sum, Wide(a) * u + Wide(b) * l))
          return std::nullopt;
      Wide gap = dark ? (Wide(a) - 1) * (Wide(b) - 1) : 0;
      if (!assign(row.constant, Wide(a) * upper->constant + Wide(b) * lower->constant - gap))
        return std::nullopt;
    }
  return shadow;
}

bool OmegaTest::choose(unsigned column, const Bounds &bounds, IntegerPoint &point) {
  point[column] = 0;
  auto divide = [](Wide dividend, Wide divisor) {
    return dividend / divisor - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
  };
  std::optional<Wide> least, most;
  for (const LinearRow *row : bounds.lower) {
    Wide bound = -divide(evaluateAt(*row, point), row->coefficients[column]);
    least = std::max(least.value_or(bound), bound);
  }
  for (const LinearRow *row : bounds.upper) {
    Wide bound = divide(evaluateAt(*row, point), -Wide(row->coefficients[column]));
    most = std::min(most.value_or(bound), bound);
  }
  if (least && most && *least > *most)
    return false;
  return assign(point[column], least ? *least : most.value_or(0));
}

/// Removes unknowns without a lower or without an upper bound, and all that bounds them: there is a value for them
/// whatever the others are.
Feasibility OmegaTest::eliminate(Rows rows, IntegerPoint &point) {
  struct Removal {
    unsigned column;
    Rows rows;
  };
  std::vector<Removal> removals;
  // How many rows bound an unknown from below, and from above.
  llvm::SmallVector<std::array<unsigned, 2>, 32> counts(unknowns, {0, 0});
  llvm::SmallVector<unsigned, 32> open;
  auto count = [&](const LinearRow &row, int change) {
    for (unsigned column = 0; column < unknowns; ++column)
      if (int64_t coefficient = row.coefficients[column]) {
        counts[column][coefficient < 0] += change;
        if (change < 0)
          open.push_back(column);
      }
  };
  for (const LinearRow &row : rows)
    count(row, 1);
  for (unsigned column = 0; column < unknowns; ++column)
    open.push_back(column);
  while (!open.empty()) {
    unsigned column = open.pop_back_val();
    if ((counts[column][0] == 0) == (counts[column][1] == 0))
      continue;
    Removal removal{column, {}};
    for (size_t i = 0; i < rows.size();) {
      if (rows[i].coefficients[column] == 0) {
        ++i;
        continue;
      }
      count(rows[i], -1);
      removal.rows.push_back(std::move(rows[i]));
      if (i + 1 < rows.size())
        rows[i] = std::move(rows.back());
      rows.pop_back();
    }
    removals.push_back(std::move(removal));
  }
  Feasibility result = eliminateBounded(rows, point);
  if (result == Feasibility::Feasible)
    for (const Removal &removal : llvm::reverse(removals))
      if (!choose(removal.column, getBounds(removal.rows, removal.column), point))
        return Feasibility::Unknown;
  return result;
}

Feasibility OmegaTest::eliminateBounded(const Rows &rows, IntegerPoint &point) {
  // The unknown that leaves the fewest rows, exact eliminations first.
  struct Counts {
    size_t lower = 0, upper = 0;     ///< rows that bound it
    bool hasUnits[2] = {true, true}; ///< from above, from below
  };
  llvm::SmallVector<Counts, 32> counts(unknowns);
  for (const LinearRow &row : rows)
    for (auto [count, coefficient] : llvm::zip_equal(counts, row.coefficients))
      if (coefficient != 0) {
        ++(coefficient > 0 ? count.lower : count.upper);
        count.hasUnits[coefficient > 0] &= isUnit(coefficient);
      }
  struct Choice {
    bool isExact = false;
    size_t cost = SIZE_MAX;
    unsigned column = 0;
  };
  Choice best;
  for (auto [column, count] : llvm::enumerate(counts)) {
    if (count.lower == 0 && count.upper == 0)
      continue;
    Choice choice{count.hasUnits[0] || count.hasUnits[1], count.lower * count.upper, unsigned(column)};
    if (std::pair(!choice.isExact, choice.cost) < std::pair(!best.isExact, best.cost))
      best = choice;
  }
  if (best.cost == SIZE_MAX) {
    point.assign(unknowns, 0);
    return Feasibility::Feasible;
  }
  Bounds bounds = getBounds(rows, best.column);
  std::optional<Rows> shadow = getShadow(rows, best.column, bounds, /*dark=*/false);
  if (!shadow)
    return Feasibility::Unknown;
  Feasibility result = solve(std::move(*shadow), point);
  if (result == Feasibility::Infeasible || (best.isExact && result == Feasibility::Unknown))
    return result;
  if (result == Feasibility::Feasible && choose(best.column, bounds, point))
    return result;
  // What has a value between its bounds everywhere has one that does not fit into 64 bits.
  if (best.isExact)
    return Feasibility::Unknown;
  shadow = getShadow(rows, best.column, bounds, /*dark=*/true);
  if (!shadow)
    return Feasibility::Unknown;
  result = solve(std::move(*shadow), point);
  if (result == Feasibility::Feasible)
    return choose(best.column, bounds, point) ? result : Feasibility::Unknown;
  Feasibility planes = searchPlanes(rows, best.column, bounds, point);
  return planes == Feasibility::Infeasible ? result : planes;
}

/// Outside of the dark shadow, a lower bound is nearly attained.
/// rule plane: a >= 1 and b >= 1 and U - b*x >= 0 and a*U + b*L <= a*b - a - b |- b*(a*x + L) <= a*b - a - b
/// rule plane-of-largest: a >= 1 and 1 <= b <= m and b*y <= a*b - a - b |- m*y <= a*m - a - m
Feasibility OmegaTest::searchPlanes(const Rows &rows, unsigned column, const Bounds &bounds, IntegerPoint &point) {
  Wide largest = 0;
  for (const LinearRow *upper : bounds.upper)
    largest = std::max<Wide>(largest, -Wide(upper->coefficients[column]));
  for (const LinearRow *lower : bounds.lower) {
    Wide a = lower->coefficients[column], count = a * largest - a - largest;
    if (count < 0)
      continue;
    count /= largest;
    for (int64_t distance = 0; distance <= count; ++distance) {
      if (fuel == 0)
        return Feasibility::Unknown;
      --fuel;
      Rows plane = rows;
      plane.push_back(*lower);
      plane.back().isEquation = true;
      if (!assign(plane.back().constant, Wide(lower->constant) - distance))
        return Feasibility::Unknown;
      if (Feasibility result = solve(std::move(plane), point); result != Feasibility::Infeasible)
        return result;
    }
  }
  return Feasibility::Infeasible;
}

Feasibility dyn::symbolic::findIntegers(unsigned unknowns, Rows rows, unsigned &fuel, IntegerPoint &point) {
  auto isExtreme = [](int64_t value) { return value == INT64_MIN; };
  for (const LinearRow &row : rows)
    if (isExtreme(row.constant) || llvm::any_of(row.coefficients, isExtreme))
      return Feasibility::Unknown;
  return OmegaTest(unknowns, fuel).solve(std::move(rows), point);
}
