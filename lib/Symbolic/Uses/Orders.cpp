//===- Orders of sizes and signs of differences ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Orders.h"
#include "Expressions/Polynomial.h"

using namespace dyn::symbolic;

Order dyn::symbolic::compareSizes(Solver &solver, Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return Order::Unknown;
  bool below = solver.isLessEqual(lhs, rhs) == Verdict::Yes, above = solver.isLessEqual(rhs, lhs) == Verdict::Yes;
  if (below && above)
    return Order::Equal;
  if (below)
    return solver.isLess(lhs, rhs) == Verdict::Yes ? Order::Less : Order::LessOrEqual;
  if (above)
    return solver.isLess(rhs, lhs) == Verdict::Yes ? Order::Greater : Order::GreaterOrEqual;
  return Order::Unknown;
}

namespace {
/// Asks for signs on parts of the range of one symbol.
class SignSearch {
public:
  SignSearch(const Solver &solver, Expr difference, Expr symbol, unsigned maximalIntervals)
      : solver(solver), difference(difference), symbol(symbol), maximalIntervals(maximalIntervals) {}

  std::vector<SignInterval> run(Range range) {
    split(range);
    return std::move(intervals);
  }

private:
  std::optional<int> getSign(Range range) {
    Solver there = solver.fork();
    SymbolFacts facts;
    facts.range = range;
    ReasonId reason = there.addReason({"part of the range", "", 0});
    // No value is there: any sign is right.
    if (!there.declare(symbol, facts, SymbolClass::Declared, reason))
      return intervals.empty() ? std::optional<int>(0) : intervals.back().sign;
    Range values = there.getRange(difference);
    if (values.lower && *values.lower > 0)
      return 1;
    if (values.upper && *values.upper < 0)
      return -1;
    return values.lower == 0 && values.upper == 0 ? std::optional(0) : std::nullopt;
  }

  void split(Range range) {
    std::optional<int> sign = getSign(range);
    std::optional<int64_t> middle = sign ? std::nullopt : getMiddle(range);
    if (!middle || ++splits > maximalSplits || intervals.size() + 1 >= maximalIntervals)
      return append({range, sign});
    split({range.lower, middle});
    split({*middle + 1, range.upper});
  }

  /// Where to split; an unbounded range is split further and further out.
  std::optional<int64_t> getMiddle(Range range) {
    constexpr int64_t furthest = int64_t(1) << 40;
    if (!range.lower || (range.upper && *range.lower == *range.upper))
      return std::nullopt;
    if (range.upper) {
      std::optional<int64_t> width = checkedSub(*range.upper, *range.lower);
      return width ? std::optional(*range.lower + *width / 2) : std::nullopt;
    }
    if (*range.lower <= -furthest || *range.lower >= furthest)
      return std::nullopt;
    return std::max<int64_t>(2 * std::abs(*range.lower), 16);
  }

  void append(SignInterval interval) {
    bool isFull = intervals.size() == maximalIntervals;
    if (!isFull && (intervals.empty() || intervals.back().sign != interval.sign))
      return intervals.push_back(interval);
    // Parts that were split off before may have signs of their own.
    if (intervals.back().sign != interval.sign)
      intervals.back().sign.reset();
    intervals.back().range.upper = interval.range.upper;
  }

  static constexpr unsigned maximalSplits = 200;
  const Solver &solver;
  Expr difference, symbol;
  unsigned maximalIntervals, splits = 0;
  std::vector<SignInterval> intervals;
};
} // namespace

std::vector<SignInterval> dyn::symbolic::getSigns(const Solver &solver, Expr difference, Expr symbol,
                                                  unsigned maximalIntervals) {
  if (!difference || !symbol.isSymbol() || maximalIntervals == 0)
    return {};
  return SignSearch(solver, difference, symbol, maximalIntervals).run(solver.getFacts(symbol).range);
}
