//===- Rows of linear systems, and their normal form ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Integers/LinearRows.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn;
using namespace dyn::symbolic;

Wide symbolic::evaluateAt(const LinearRow &row, const IntegerPoint &point) {
  // Coefficients and values have 64 bits, and there are few of them.
  Wide sum = row.constant;
  for (auto [coefficient, value] : llvm::zip_equal(row.coefficients, point))
    sum += Wide(coefficient) * value;
  return sum;
}

bool symbolic::holdsAt(const LinearRow &row, const IntegerPoint &point) {
  Wide value = evaluateAt(row, point);
  return row.isEquation ? value == 0 : value >= 0;
}

/// 1 or -1 for a row whose first coefficient is positive or negative: opposite rows have one direction.
static int getOrientation(const LinearRow &row) {
  for (int64_t coefficient : row.coefficients)
    if (coefficient != 0)
      return coefficient > 0 ? 1 : -1;
  return 0;
}

namespace {
/// The direction of a row, and where it is.
struct Direction {
  uint64_t hash;
  unsigned index;
  int orientation;

  Direction(const LinearRow &row, unsigned index) : hash(0), index(index), orientation(getOrientation(row)) {
    for (auto [column, coefficient] : llvm::enumerate(row.coefficients))
      if (coefficient != 0)
        hash = (hash ^ (static_cast<uint64_t>(coefficient * orientation) + (uint64_t(column) << 56))) *
                   0x9E3779B97F4A7C15u +
               (hash >> 29);
  }
  bool operator<(const Direction &other) const { return std::pair(hash, index) < std::pair(other.hash, other.index); }
  bool isOf(const std::vector<LinearRow> &rows, const Direction &other) const {
    return hash == other.hash &&
           llvm::all_of(llvm::zip_equal(rows[index].coefficients, rows[other.index].coefficients), [&](auto pair) {
             return std::get<0>(pair) * orientation == std::get<1>(pair) * other.orientation;
           });
  }
};
} // namespace

/// rule tighten-row: c >= 1 and c*E + d >= 0 |- E + floordiv(d, c) >= 0
/// rule indivisible-row: c >= 1 and c*E + d == 0 |- mod(d, c) == 0
/// rule rows-meet: E + c >= 0 and d - E >= 0 and c + d == 0 |- E + c == 0
/// rule rows-exclude: E + c >= 0 and d - E >= 0 |- c + d >= 0
Step symbolic::normalize(std::vector<LinearRow> &rows) {
  std::vector<LinearRow> kept;
  kept.reserve(rows.size());
  for (LinearRow &row : rows) {
    int64_t content = 0;
    for (int64_t coefficient : row.coefficients)
      if (coefficient != 0 && (content = std::gcd(content, coefficient)) == 1)
        break;
    if (content == 0) {
      if (row.isEquation ? row.constant != 0 : row.constant < 0)
        return Step::Infeasible;
      continue;
    }
    if (row.isEquation && row.constant % content != 0)
      return Step::Infeasible;
    if (content > 1) {
      for (int64_t &coefficient : row.coefficients)
        coefficient /= content;
      row.constant = *checkedFloorDiv(row.constant, content);
    }
    kept.push_back(std::move(row));
  }
  std::vector<Direction> directions;
  directions.reserve(kept.size());
  for (const auto &[index, row] : llvm::enumerate(kept))
    directions.emplace_back(row, index);
  llvm::sort(directions);
  rows.clear();
  for (size_t begin = 0, end; begin < directions.size(); begin = end) {
    // Bounds of the sum of coefficients times unknowns, taken with a positive first coefficient.
    std::optional<Wide> lower, upper;
    for (end = begin; end < directions.size() && directions[end].isOf(kept, directions[begin]); ++end) {
      const LinearRow &row = kept[directions[end].index];
      int sign = directions[end].orientation;
      Wide bound = -Wide(sign) * row.constant;
      if (row.isEquation || sign > 0)
        lower = std::max(lower.value_or(bound), bound);
      if (row.isEquation || sign < 0)
        upper = std::min(upper.value_or(bound), bound);
    }
    if (lower && upper && *lower > *upper)
      return Step::Infeasible;
    LinearRow &row = kept[directions[begin].index];
    auto negate = [&] {
      for (int64_t &coefficient : row.coefficients)
        coefficient = -coefficient;
    };
    if (directions[begin].orientation < 0)
      negate();
    row.isEquation = lower && upper && *lower == *upper;
    bool needsUpper = upper && !row.isEquation;
    if (lower) {
      if (!assign(row.constant, -*lower))
        return Step::GivenUp;
      if (!needsUpper) {
        rows.push_back(std::move(row));
        continue;
      }
      rows.push_back(row);
    }
    negate();
    if (!assign(row.constant, *upper))
      return Step::GivenUp;
    rows.push_back(std::move(row));
  }
  return rows.size() > maximalRows ? Step::GivenUp : Step::Open;
}
