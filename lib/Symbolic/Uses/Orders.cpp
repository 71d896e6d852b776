//===- Orders of sizes and signs of differences ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Orders.h"
#include "Solver/Integers/IntegerSearch.h"
#include "Solver/SolverImpl.h"
#include <deque>

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

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

namespace dyn::symbolic {

/// Asks for signs on parts of the range of one symbol. Where a part has none, its ends often have: from there a sign is
/// followed as far as it goes. What is left is divided.
class SignSearch {
public:
  SignSearch(const Solver &solver, Expr difference, Expr symbol)
      : impl(*solver.impl), work(impl.named), known(ask(difference, symbol)) {}

  std::vector<SignInterval> run(unsigned maximalIntervals);

private:
  struct Part {
    Range range;
    std::optional<int> sign;
    bool isEmpty = false; ///< no value lies there, and any sign is right
    bool hasSign() const { return sign || isEmpty; }
    bool isLike(const Part &other) const { return isEmpty || (sign && sign == other.sign); }
  };

  Solver::Impl::Known ask(Expr difference, Expr symbol);
  Range getRange(FactStore &store);
  FactStore makePart(Range range, bool &isEmpty);
  Part look(Range range);
  /// What no value lies in belongs to what is before it.
  void startAtValue(Part &part);
  bool isEffortLeft() const { return spent - before < workOfSearch; }
  // These take a part that has a sign from an end of a range with a lower end, if there is such.
  bool takeFirst(Range &range);
  bool takeLast(Range &range);
  bool takeFar(Range &range);
  std::vector<SignInterval> join(unsigned maximalIntervals);

  /// Of all parts, and of one.
  static constexpr uint64_t workOfSearch = 22'000, fuelOfPart = 1500;
  static constexpr int64_t furthest = int64_t(1) << 40;
  Solver::Impl &impl;
  NamedFacts::Work work;
  Expr difference, symbol; ///< under the names of what is asked
  Solver::Impl::Known known;
  const uint64_t &spent = known.store.getContext().work;
  const uint64_t before = spent;
  std::vector<Part> parts;
};

} // namespace dyn::symbolic

Solver::Impl::Known SignSearch::ask(Expr givenDifference, Expr givenSymbol) {
  Predicate given = Predicate::equal(impl.contract(givenDifference), impl.contract(givenSymbol));
  Solver::Impl::Known asked = impl.askNearest(given.getSymbols());
  Predicate inside = asked.getInside(given);
  difference = inside.lhs;
  symbol = inside.rhs;
  return asked;
}

FactStore SignSearch::makePart(Range range, bool &isEmpty) {
  SymbolicContext::Impl &context = known.store.getContext();
  context.refuel(fuelOfPart);
  std::vector<Predicate> ends;
  if (range.lower)
    ends.push_back(Predicate::lessEqual(context.getConstant(*range.lower), symbol));
  if (range.upper)
    ends.push_back(Predicate::lessEqual(symbol, context.getConstant(*range.upper)));
  FactStore part = known.store.makeHypothesis();
  isEmpty = !part.assertTrue(Predicate::conjunction(std::move(ends)));
  return part;
}

SignSearch::Part SignSearch::look(Range range) {
  constexpr unsigned rowsOfPart = 100;
  SymbolicContext::Impl &context = known.store.getContext();
  bool isEmpty = false;
  FactStore there = makePart(range, isEmpty);
  if (isEmpty)
    return {range, std::nullopt, /*isEmpty=*/true};
  Expr inner = there.getInner(difference);
  if (!inner)
    return {range, std::nullopt};
  Interval values = there.getRange(inner);
  if (values.lower > 0)
    return {range, 1};
  if (values.upper < 0)
    return {range, -1};
  if (values.lower == 0 && values.upper == 0)
    return {range, 0};
  // What intervals show of a sum of symbols that nothing ties to each other is all there is.
  if (inner.getNode()->depth == 0 && !there.hasOpenFacts())
    return {range, std::nullopt};
  bool isComplete;
  auto holds = [&](Expr lhs, Expr rhs) {
    return context.fuel > 0 && holdsAtAllIntegers(there, Predicate::less(lhs, rhs), rowsOfPart, isComplete);
  };
  Expr zero = context.getConstant(0);
  if (values.upper > 0 && holds(zero, inner))
    return {range, 1};
  if (values.lower < 0 && holds(inner, zero))
    return {range, -1};
  return {range, std::nullopt};
}

Range SignSearch::getRange(FactStore &store) {
  Expr inner = symbol ? store.getInner(symbol) : Expr();
  Interval range = inner ? store.getRange(inner) : Interval();
  return {range.hasLower() ? std::optional(range.lower) : std::nullopt,
          range.hasUpper() ? std::optional(range.upper) : std::nullopt};
}

void SignSearch::startAtValue(Part &part) {
  bool isEmpty = false;
  FactStore there = makePart(part.range, isEmpty);
  std::optional<int64_t> first = isEmpty ? std::nullopt : getRange(there).lower;
  if (first && *first > *part.range.lower && *first <= part.range.upper.value_or(*first))
    part.range.lower = first;
}

/// How far one can go, in steps that double and halve, of at most so many.
static int64_t getFurthest(int64_t most, llvm::function_ref<bool(int64_t)> holds) {
  int64_t reached = 0, step = 1;
  while (step <= most - reached && holds(reached + step)) {
    reached += step;
    step *= 2;
  }
  while ((step /= 2) > 0)
    if (step <= most - reached && holds(reached + step))
      reached += step;
  return reached;
}

bool SignSearch::takeFirst(Range &range) {
  int64_t start = *range.lower;
  Part first = look({start, start});
  if (!first.hasSign())
    return false;
  int64_t end = range.upper.value_or(furthest);
  first.range.upper = start + getFurthest(checkedSub(end, start).value_or(0), [&](int64_t steps) {
                        return isEffortLeft() && look({start, start + steps}).isLike(first);
                      });
  range.lower = *first.range.upper + 1;
  parts.push_back(first);
  return true;
}

bool SignSearch::takeLast(Range &range) {
  if (!range.upper)
    return takeFar(range);
  int64_t end = *range.upper;
  Part last = look({end, end});
  if (!last.hasSign())
    return false;
  last.range.lower = end - getFurthest(checkedSub(end, *range.lower).value_or(0), [&](int64_t steps) {
                       return isEffortLeft() && look({end - steps, end}).isLike(last);
                     });
  startAtValue(last);
  range.upper = *last.range.lower - 1;
  parts.push_back(last);
  return true;
}

/// Of a range without an upper end.
bool SignSearch::takeFar(Range &range) {
  constexpr int64_t firstTry = 16, growth = 16;
  int64_t near = *range.lower;
  for (int64_t start = std::max(firstTry, 2 * std::abs(near)); start <= furthest && isEffortLeft(); start *= growth) {
    Part far = look({start, std::nullopt});
    if (!far.hasSign()) {
      near = start + 1;
      continue;
    }
    far.range.lower = start - getFurthest(start - near, [&](int64_t steps) {
                        return isEffortLeft() && look({start - steps, std::nullopt}).isLike(far);
                      });
    startAtValue(far);
    range.upper = *far.range.lower - 1;
    parts.push_back(far);
    return true;
  }
  return false;
}

std::vector<SignInterval> SignSearch::run(unsigned maximalIntervals) {
  known.store.forgetAnswers();
  known.store.getContext().refuel();
  std::deque<Range> open = {getRange(known.store)};
  for (; !open.empty(); open.pop_front()) {
    Range range = open.front();
    Part whole = difference && symbol && isEffortLeft() ? look(range) : Part{range, std::nullopt};
    bool isTooFar = !range.lower || *range.lower <= -furthest || *range.lower >= furthest;
    if (whole.hasSign() || isTooFar || range.lower == range.upper || !isEffortLeft()) {
      parts.push_back(whole);
      continue;
    }
    bool isTaken = takeFirst(range);
    auto isNothingLeft = [&] { return range.upper && *range.lower > *range.upper; };
    isTaken |= !isNothingLeft() && takeLast(range);
    if (isNothingLeft())
      continue;
    if (isTaken) {
      open.push_back(range);
      continue;
    }
    // An unbounded range further and further out.
    std::optional<int64_t> width = range.upper ? checkedSub(*range.upper, *range.lower) : std::nullopt;
    int64_t middle = width ? *range.lower + *width / 2 : std::max<int64_t>(2 * std::abs(*range.lower), 16);
    open.push_back({range.lower, middle});
    open.push_back({middle + 1, range.upper});
  }
  llvm::sort(parts, [](const Part &a, const Part &b) { return a.range.lower < b.range.lower; });
  return join(maximalIntervals);
}

std::vector<SignInterval> SignSearch::join(unsigned maximalIntervals) {
  std::vector<SignInterval> intervals;
  for (const Part &part : parts) {
    std::optional<int> sign = part.sign;
    if (part.isEmpty)
      sign = intervals.empty() ? std::optional(0) : intervals.back().sign;
    bool isFull = intervals.size() == maximalIntervals;
    if (!isFull && (intervals.empty() || intervals.back().sign != sign)) {
      intervals.push_back({part.range, sign});
      continue;
    }
    if (intervals.back().sign != sign)
      intervals.back().sign.reset();
    intervals.back().range.upper = part.range.upper;
  }
  return intervals;
}

std::vector<SignInterval> dyn::symbolic::getSigns(const Solver &solver, Expr difference, Expr symbol,
                                                  unsigned maximalIntervals) {
  if (!difference || !symbol.isSymbol() || maximalIntervals == 0)
    return {};
  return SignSearch(solver, difference, symbol).run(maximalIntervals);
}
