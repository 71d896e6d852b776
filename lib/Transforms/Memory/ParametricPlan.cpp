//===- Plans for an arena that follow its sizes -------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Memory/ParametricPlan.h"
#include "SizeSamples.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace dyn;
using namespace dyn::symbolic;

/// A plan is close to the bound if it is no more than this above it: a twelfth, or, where that is little, 32 KiB.
static bool isClose(int64_t lines, int64_t bound) {
  constexpr int64_t fewLines = 1024; // 64 KiB
  return lines <= bound + (bound > fewLines ? bound / 12 : fewLines / 2);
}
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

/// Which buffer ends where another begins, found by packing at one point.
struct Packing {
  static constexpr unsigned bottom = ~0u;
  llvm::SmallVector<unsigned> support; ///< for each buffer; `bottom`: it begins at 0
  llvm::SmallVector<unsigned> order;   ///< a support comes before what it supports
  /// For each buffer the one, at least as large, in whose height the next begins above it: itself, or the largest of
  /// its class. Buffers of nearly the same size then fit in each other's places.
  llvm::SmallVector<unsigned> height;
  llvm::SmallVector<std::pair<unsigned, unsigned>> below; ///< of buffers needed at the same time: first, then second
  llvm::SmallVector<std::optional<int64_t>> sizes;        ///< at each point; nothing where buffers overlap
};

class RangePlanner {
public:
  RangePlanner(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver)
      : buffers(buffers), solver(solver), zero(solver.getContext().getConstant(0)) {}

  std::optional<ParametricPlan> run();

private:
  /// An expression, and its values at the points.
  struct Measured {
    Expr expr;
    std::vector<int64_t> values;
  };

  bool measure();
  void findLiveSets();
  llvm::SmallVector<unsigned> classify(size_t point, int64_t percent) const;
  Packing pack(size_t point, llvm::ArrayRef<int64_t> priority, llvm::ArrayRef<unsigned> height);
  Packing packBest(size_t point);
  void evaluatePacking(Packing &packing);
  std::optional<ArenaChoice> makeChoice(const Packing &packing);
  bool isProvedAtLeast(const Measured &larger, const Measured &smaller);
  std::vector<Measured> keepExtremes(std::vector<Measured> exprs, bool least);
  std::optional<std::vector<Predicate>> getConditions(const Packing &packing, llvm::ArrayRef<Measured> begins,
                                                      llvm::ArrayRef<Measured> ends);
  double getGain(const Packing &packing) const;
  void addChoices();
  bool isNeverLarger(size_t index) const;
  bool areNeededTogether(unsigned lhs, unsigned rhs) const {
    return buffers[lhs].first <= buffers[rhs].last && buffers[rhs].first <= buffers[lhs].last;
  }

  llvm::ArrayRef<ArenaBuffer> buffers;
  Solver &solver;
  Expr zero;
  ParametricPlan plan;
  std::vector<SizePoint> points;
  std::vector<std::vector<int64_t>> lines;  ///< of each buffer, at each point
  std::vector<int64_t> bounds;              ///< at each point
  std::vector<int64_t> best;                ///< the size that choices reach so far, at each point
  llvm::DenseMap<Expr, bool> isNonNegative; ///< proved
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
  for (const ArenaBuffer &buffer : buffers) {
    // What is needed at a position is most where a buffer begins.
    Expr sum = zero;
    values.assign(points.size(), 0);
    for (unsigned other = 0; other < buffers.size(); ++other) {
      if (buffers[other].first > buffer.first || buffer.first > buffers[other].last)
        continue;
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

/// For each buffer the largest of its class at a point, whose members have at least so much of the largest's size.
llvm::SmallVector<unsigned> RangePlanner::classify(size_t point, int64_t percent) const {
  llvm::SmallVector<unsigned> sequence = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::stable_sort(sequence, [&](unsigned lhs, unsigned rhs) { return lines[lhs][point] > lines[rhs][point]; });
  llvm::SmallVector<unsigned> height(buffers.size());
  unsigned largest = 0;
  for (auto [position, index] : llvm::enumerate(sequence)) {
    if (position == 0 || lines[index][point] * 100 < lines[largest][point] * percent)
      largest = index;
    height[index] = largest;
  }
  return height;
}

/// Places buffers in the order of falling priority, each as low as it fits between those that are needed together with
/// it.
Packing RangePlanner::pack(size_t point, llvm::ArrayRef<int64_t> priority, llvm::ArrayRef<unsigned> height) {
  Packing packing;
  packing.height.assign(height.begin(), height.end());
  packing.support.assign(buffers.size(), Packing::bottom);
  llvm::SmallVector<unsigned> sequence = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::stable_sort(sequence, [&](unsigned lhs, unsigned rhs) {
    return std::pair(priority[lhs], lines[lhs][point]) > std::pair(priority[rhs], lines[rhs][point]);
  });
  llvm::SmallVector<int64_t> begins(buffers.size()), ends(buffers.size());
  llvm::SmallVector<unsigned> neighbours;
  for (unsigned index : sequence) {
    neighbours.clear();
    for (unsigned other : packing.order)
      if (areNeededTogether(index, other))
        neighbours.push_back(other);
    llvm::stable_sort(neighbours, [&](unsigned lhs, unsigned rhs) { return begins[lhs] < begins[rhs]; });
    int64_t place = 0;
    unsigned support = Packing::bottom;
    size_t next = 0;
    for (; next < neighbours.size(); ++next) {
      unsigned other = neighbours[next];
      if (begins[other] - place >= lines[height[index]][point] && begins[other] > place)
        break;
      if (ends[other] > place || support == Packing::bottom) {
        support = other;
        place = std::max(place, ends[other]);
      }
    }
    for (auto [position, other] : llvm::enumerate(neighbours))
      packing.below.push_back(position < next ? std::pair(other, index) : std::pair(index, other));
    begins[index] = place;
    ends[index] = place + lines[height[index]][point];
    packing.support[index] = support;
    packing.order.push_back(index);
  }
  evaluatePacking(packing);
  return packing;
}

/// The smallest of some packings.
Packing RangePlanner::packBest(size_t point) {
  llvm::SmallVector<int64_t> sizes, lives, areas;
  for (unsigned index = 0; index < buffers.size(); ++index) {
    sizes.push_back(lines[index][point]);
    lives.push_back(buffers[index].last - buffers[index].first + 1);
    areas.push_back(sizes.back() * lives.back());
  }
  std::optional<Packing> smallest;
  auto getSize = [&](const Packing &packing) {
    return packing.sizes[point].value_or(std::numeric_limits<int64_t>::max());
  };
  // Classes waste what they round up; so the wide ones come last, for where the others leave holes.
  for (int64_t percent : {100, 85, 70, 50}) {
    llvm::SmallVector<unsigned> height = classify(point, percent);
    for (llvm::ArrayRef<int64_t> priority : {llvm::ArrayRef(sizes), llvm::ArrayRef(areas), llvm::ArrayRef(lives)}) {
      Packing packing = pack(point, priority, height);
      if (!smallest || getSize(packing) < getSize(*smallest))
        smallest = std::move(packing);
      if (isClose(getSize(*smallest), bounds[point]))
        return std::move(*smallest);
    }
  }
  return std::move(*smallest);
}

void RangePlanner::evaluatePacking(Packing &packing) {
  llvm::SmallVector<int64_t> begins(buffers.size());
  for (size_t point = 0; point < points.size(); ++point) {
    int64_t size = 0;
    for (unsigned index : packing.order) {
      unsigned support = packing.support[index];
      begins[index] = support == Packing::bottom ? 0 : begins[support] + lines[packing.height[support]][point];
      size = std::max(size, begins[index] + lines[index][point]);
    }
    bool isRight = llvm::all_of(
        packing.below, [&](auto pair) { return begins[pair.first] + lines[pair.first][point] <= begins[pair.second]; });
    packing.sizes.push_back(isRight ? std::optional(size) : std::nullopt);
  }
}

/// Is `larger` at least `smaller` at all sizes? Points refute most of what does not hold, for less than a proof.
bool RangePlanner::isProvedAtLeast(const Measured &larger, const Measured &smaller) {
  for (size_t point = 0; point < points.size(); ++point)
    if (larger.values[point] < smaller.values[point])
      return false;
  Expr difference = larger.expr - smaller.expr;
  if (!difference)
    return false;
  auto [entry, isNew] = isNonNegative.try_emplace(difference, false);
  if (isNew)
    entry->second = solver.getRange(difference).lower.value_or(-1) >= 0;
  return entry->second;
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
      Packing packing = packBest(point);
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
