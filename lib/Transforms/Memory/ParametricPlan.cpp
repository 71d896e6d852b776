//===- Plans for an arena that follow its sizes -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Memory/ParametricPlan.h"
#include "PointPacking.h"
#include "SizeProofs.h"
#include "SizeSamples.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace dyn;
using namespace dyn::symbolic;

/// A plan is close to the bound if it is no more than this: a twelfth above it, or, where that is little, 32 KiB.
static int64_t getEnough(int64_t bound) {
  constexpr int64_t fewLines = 1024; // 64 KiB
  return bound + (bound > fewLines ? bound / 12 : fewLines / 2);
}
static bool isClose(int64_t lines, int64_t bound) { return lines <= getEnough(bound); }
static constexpr size_t maxChoices = 7;
/// Sizes whose packings are tried before one is chosen.
static constexpr size_t maxTries = 6;
/// Sizes that no plan is found for, before the search ends.
static constexpr size_t maxGivenUp = 40;
/// What another plan must spare at least, see `getGain`.
static constexpr double leastGain = 0.1;
/// What a predicate tests at most; it is evaluated at each run.
static constexpr size_t maxConditions = 24;

/// Coefficients of a number of lines may fit in 64 bits where those of the number of bytes do not.
static bool hasPlacesInBytes(const ArenaPlan &plan) {
  auto isRight = [](Expr lines) { return bool(lines * ArenaPlan::bytesPerLine); };
  return isRight(plan.lines) && llvm::all_of(plan.offsets, isRight);
}

namespace {

class RangePlanner {
public:
  RangePlanner(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver)
      : buffers(buffers), solver(solver), proofs(solver), zero(solver.getContext().getConstant(0)) {}

  std::optional<ParametricPlan> run();

private:
  /// An expression, and its values at the points.
  struct Measured {
    Expr expr;
    std::vector<int64_t> values;
  };

  bool measure();
  void findLiveSets();
  std::optional<ArenaChoice> makeChoice(const Packing &packing);
  bool isProvedAtLeast(const Measured &larger, const Measured &smaller);
  std::vector<Measured> keepExtremes(std::vector<Measured> exprs, bool least);
  std::optional<std::vector<Predicate>> getConditions(const Packing &packing, llvm::ArrayRef<Measured> begins,
                                                      llvm::ArrayRef<Measured> ends);
  double getGain(const Packing &packing) const;
  void addChoices();
  bool isNeverLarger(size_t index) const;

  llvm::ArrayRef<ArenaBuffer> buffers;
  Solver &solver;
  SizeProofs proofs;
  Expr zero;
  ParametricPlan plan;
  std::vector<SizePoint> points;
  std::vector<std::vector<int64_t>> lines; ///< of each buffer, at each point
  std::vector<int64_t> bounds;             ///< at each point
  std::vector<int64_t> best;               ///< the size that choices reach so far, at each point
};

} // namespace

/// Evaluates sizes at the points; false if that is possible nowhere.
bool RangePlanner::measure() {
  llvm::SmallSetVector<Expr, 16> distinct(plan.lines.begin(), plan.lines.end());
  std::vector<SizePoint> kept;
  lines.resize(buffers.size());
  for (SizePoint &point : sampleSizes(distinct.getArrayRef(), solver)) {
    llvm::DenseMap<Expr, int64_t> values;
    // Beyond that, sums over all buffers might not fit in 64 bits; nobody has so much memory.
    constexpr int64_t limit = int64_t(1) << 45;
    bool fits = llvm::all_of(distinct, [&](Expr expr) {
      std::optional<int64_t> value = evaluateAt(expr, point);
      values[expr] = value.value_or(0);
      return value && *value >= 0 && *value < limit;
    });
    if (!fits)
      continue;
    for (auto [index, expr] : llvm::enumerate(plan.lines))
      lines[index].push_back(values[expr]);
    kept.push_back(std::move(point));
  }
  points = std::move(kept);
  return !points.empty();
}

/// The bounds at the points, and of the sums over what is needed at the same time those that are greatest at one.
void RangePlanner::findLiveSets() {
  bounds.assign(points.size(), 0);
  std::vector<Expr> greatest(points.size(), zero);
  std::vector<int64_t> values(points.size());
  for (unsigned index = 0; index < buffers.size(); ++index) {
    // What is needed at a position is most where a buffer begins.
    Expr sum = zero;
    values.assign(points.size(), 0);
    for (unsigned other : getLiveSet(buffers, index)) {
      sum = sum + plan.lines[other];
      for (size_t point = 0; point < points.size(); ++point)
        values[point] += lines[other][point];
    }
    for (size_t point = 0; point < points.size(); ++point)
      if (values[point] > bounds[point]) {
        bounds[point] = values[point];
        greatest[point] = sum;
      }
  }
  llvm::SmallSetVector<Expr, 8> distinct;
  for (Expr sum : greatest)
    if (sum && sum != zero && sum.isWithinBudget())
      distinct.insert(sum);
  plan.live = distinct.takeVector();
}

/// Is `larger` at least `smaller` at all sizes? Points refute most of what does not hold, for less than a proof.
bool RangePlanner::isProvedAtLeast(const Measured &larger, const Measured &smaller) {
  for (size_t point = 0; point < points.size(); ++point)
    if (larger.values[point] < smaller.values[point])
      return false;
  return proofs.isAtLeast(larger.expr, smaller.expr);
}

/// Keeps those that no other one is proved to be at least (or, with `least`, at most) as large as.
std::vector<RangePlanner::Measured> RangePlanner::keepExtremes(std::vector<Measured> exprs, bool least) {
  std::vector<Measured> kept;
  for (Measured &expr : exprs) {
    auto isCovered = [&](const Measured &lhs, const Measured &rhs) {
      return least ? isProvedAtLeast(lhs, rhs) : isProvedAtLeast(rhs, lhs);
    };
    if (llvm::any_of(kept, [&](const Measured &other) { return isCovered(expr, other); }))
      continue;
    llvm::erase_if(kept, [&](const Measured &other) { return isCovered(other, expr); });
    kept.push_back(std::move(expr));
  }
  return kept;
}

/// What must hold so that no two buffers overlap; nothing if that is too much.
std::optional<std::vector<Predicate>>
RangePlanner::getConditions(const Packing &packing, llvm::ArrayRef<Measured> begins, llvm::ArrayRef<Measured> ends) {
  Measured nothing{zero, std::vector<int64_t>(points.size(), 0)};
  llvm::DenseSet<Expr> seen;
  std::vector<Measured> differences;
  for (auto [lower, upper] : packing.below) {
    Measured difference{begins[upper].expr - ends[lower].expr, {}};
    if (!difference.expr)
      return std::nullopt;
    if (!seen.insert(difference.expr).second)
      continue;
    for (size_t point = 0; point < points.size(); ++point)
      difference.values.push_back(begins[upper].values[point] - ends[lower].values[point]);
    if (!isProvedAtLeast(difference, nothing))
      differences.push_back(std::move(difference));
  }
  if (differences.size() > 8 * maxConditions)
    return std::nullopt;
  differences = keepExtremes(std::move(differences), /*least=*/true);
  if (differences.size() > maxConditions)
    return std::nullopt;
  std::vector<Predicate> conditions;
  for (const Measured &difference : differences) {
    if (!difference.expr.isWithinBudget())
      return std::nullopt;
    conditions.push_back(Predicate::lessEqual(zero, difference.expr));
  }
  return conditions;
}

/// The packing as a plan for all sizes where it is right; nothing if that can't be said in few words.
std::optional<ArenaChoice> RangePlanner::makeChoice(const Packing &packing) {
  std::vector<Measured> begins(buffers.size()), ends(buffers.size());
  auto getAbove = [&](unsigned support) {
    Measured above = begins[support];
    unsigned height = packing.height[support];
    above.expr = above.expr + plan.lines[height];
    for (size_t point = 0; point < points.size(); ++point)
      above.values[point] += lines[height][point];
    return above;
  };
  for (unsigned index : packing.order) {
    unsigned support = packing.support[index];
    begins[index] =
        support == Packing::bottom ? Measured{zero, std::vector<int64_t>(points.size(), 0)} : getAbove(support);
    if (!begins[index].expr || !begins[index].expr.isWithinBudget())
      return std::nullopt;
    ends[index].expr = begins[index].expr + plan.lines[index];
    if (!ends[index].expr || !ends[index].expr.isWithinBudget())
      return std::nullopt;
    for (size_t point = 0; point < points.size(); ++point)
      ends[index].values.push_back(begins[index].values[point] + lines[index][point]);
  }
  std::optional<std::vector<Predicate>> conditions = getConditions(packing, begins, ends);
  if (!conditions)
    return std::nullopt;
  ArenaChoice choice;
  if (conditions->size() == 1)
    choice.valid = conditions->front();
  else if (!conditions->empty())
    choice.valid = Predicate::conjunction(std::move(*conditions));
  llvm::DenseSet<Expr> seen;
  std::vector<Measured> distinct;
  for (unsigned index = 0; index < buffers.size(); ++index) {
    choice.plan.offsets.push_back(begins[index].expr);
    if (seen.insert(ends[index].expr).second)
      distinct.push_back(std::move(ends[index]));
  }
  llvm::SmallVector<Expr> greatest;
  for (const Measured &end : keepExtremes(std::move(distinct), /*least=*/false))
    greatest.push_back(end.expr);
  choice.plan.lines = greatest.empty() ? zero : symbolic::max(greatest);
  if (!choice.plan.lines || !choice.plan.lines.isWithinBudget() || !hasPlacesInBytes(choice.plan))
    return std::nullopt;
  return choice;
}

/// The memory that a packing spares, in parts of the bound, summed over points.
double RangePlanner::getGain(const Packing &packing) const {
  double gain = 0;
  for (size_t point = 0; point < points.size(); ++point)
    if (packing.sizes[point] && *packing.sizes[point] < best[point] && !isClose(best[point], bounds[point]))
      gain += double(best[point] - *packing.sizes[point]) / double(bounds[point] + 1);
  return gain;
}

/// Adds choices until all points are close to their bounds, or no packing brings another one there.
void RangePlanner::addChoices() {
  llvm::DenseSet<size_t> given;
  PointPacker packer(buffers, lines);
  while (plan.choices.size() < maxChoices && given.size() < maxGivenUp) {
    llvm::SmallVector<size_t> open;
    for (size_t point = 0; point < points.size(); ++point)
      if (!isClose(best[point], bounds[point]) && !given.contains(point))
        open.push_back(point);
    if (open.empty())
      return;
    // The first is the likeliest; the others are spread over what is left.
    std::optional<Packing> chosen;
    size_t chosenPoint = 0;
    double chosenGain = leastGain;
    size_t tries = std::min(maxTries, open.size());
    for (size_t attempt = 0; attempt < tries; ++attempt) {
      size_t point = open[attempt * open.size() / tries];
      Packing packing = packer.pack(point, getEnough(bounds[point]));
      double gain = getGain(packing);
      if (gain <= leastGain)
        given.insert(point);
      if (gain > chosenGain)
        chosen = std::move(packing), chosenPoint = point, chosenGain = gain;
    }
    if (!chosen)
      continue;
    given.insert(chosenPoint);
    std::optional<ArenaChoice> choice = makeChoice(*chosen);
    if (!choice)
      continue;
    for (size_t point = 0; point < points.size(); ++point)
      best[point] = std::min(best[point], chosen->sizes[point].value_or(best[point]));
    plan.choices.push_back(std::move(*choice));
  }
}

/// Is a choice at no point larger than the first?
bool RangePlanner::isNeverLarger(size_t index) const {
  return llvm::all_of(points, [&](const SizePoint &point) {
    std::optional<int64_t> first = evaluateAt(plan.choices.front().plan.lines, point);
    std::optional<int64_t> other = evaluateAt(plan.choices[index].plan.lines, point);
    return other && (!first || *other <= *first);
  });
}

std::optional<ParametricPlan> RangePlanner::run() {
  std::optional<ArenaPlan> general = planArena(buffers, solver);
  if (!general || !hasPlacesInBytes(*general))
    return std::nullopt;
  for (const ArenaBuffer &buffer : buffers) {
    plan.lines.push_back(ceilDiv(buffer.bytes, ArenaPlan::bytesPerLine));
    if (!plan.lines.back())
      return std::nullopt;
  }
  plan.choices.push_back({Predicate(), std::move(*general)});
  if (!measure())
    return std::move(plan);
  findLiveSets();
  for (const SizePoint &point : points)
    best.push_back(
        evaluateAt(plan.choices.front().plan.lines, point).value_or(std::numeric_limits<int64_t>::max() / 2));
  addChoices();
  // One that is right everywhere makes the general plan superfluous if it is never larger.
  for (size_t index = 1; index < plan.choices.size(); ++index) {
    if (plan.choices[index].valid.kind != Predicate::Kind::True || !isNeverLarger(index))
      continue;
    std::swap(plan.choices.front(), plan.choices[index]);
    plan.choices.erase(plan.choices.begin() + index);
    break;
  }
  for (size_t point = 0; point < points.size(); ++point)
    plan.leavesGaps |= !isClose(best[point], bounds[point]);
  return std::move(plan);
}

std::optional<ParametricPlan> dyn::planArenaForRanges(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver) {
  return RangePlanner(buffers, solver).run();
}
