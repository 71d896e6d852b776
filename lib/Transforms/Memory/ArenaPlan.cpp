//===- Places for buffers of symbolic size ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Memory/ArenaPlan.h"
#include "SizeProofs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace dyn;
using namespace dyn::symbolic;

void dyn::addBeside(llvm::MutableArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<llvm::SmallVector<unsigned>> uses,
                    size_t window, llvm::function_ref<bool(unsigned, unsigned)> isBefore) {
  for (size_t second = 0; second < uses.size(); ++second)
    for (size_t first = second - std::min(second, window - 1); first < second; ++first) {
      if (isBefore(first, second))
        continue;
      for (unsigned lhs : uses[first])
        for (unsigned rhs : uses[second])
          if (!areNeededTogether(buffers, lhs, rhs)) {
            buffers[lhs].beside.insert(rhs);
            buffers[rhs].beside.insert(lhs);
          }
    }
}

llvm::SmallVector<unsigned> dyn::getLiveSet(llvm::ArrayRef<ArenaBuffer> buffers, unsigned index) {
  unsigned position = buffers[index].first;
  llvm::SmallVector<unsigned> live;
  for (unsigned other = 0; other < buffers.size(); ++other)
    if (buffers[other].first <= position && position <= buffers[other].last)
      live.push_back(other);
  for (unsigned other : buffers[index].beside)
    if (llvm::all_of(live, [&](unsigned member) { return areNeededTogether(buffers, member, other); }))
      live.push_back(other);
  return live;
}

namespace {

/// A size that a symbol is likely to have. It decides which plan is made, never whether one is right.
int64_t getTypicalValue(const SymbolFacts &facts) {
  if (facts.hint)
    return *facts.hint;
  if (!facts.likely.empty())
    return facts.likely.front();
  int64_t value = std::max<int64_t>(facts.range.lower.value_or(0), 128);
  return facts.range.upper ? std::min(value, *facts.range.upper) : value;
}

class Planner {
public:
  Planner(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver) : buffers(buffers), solver(solver), proofs(solver) {}

  std::optional<ArenaPlan> run() {
    llvm::SmallVector<unsigned> order;
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      lines.push_back(ceilDiv(buffer.bytes, ArenaPlan::bytesPerLine));
      if (!lines.back())
        return std::nullopt;
      order.push_back(index);
    }
    proofs.refuteAt(sampleBroadcasts(lines, solver));
    proofs.refuteAt(sampleSizes(lines, solver));
    llvm::stable_sort(order, [&](unsigned lhs, unsigned rhs) { return typical(lines[lhs]) > typical(lines[rhs]); });
    offsets.resize(buffers.size());
    ends.resize(buffers.size());
    top = solver.getContext().getConstant(0);
    places.insert(top);
    for (unsigned index : order) {
      offsets[index] = place(index);
      ends[index] = proofs.add(offsets[index], lines[index]);
      if (!ends[index] || !raiseTop(index))
        return std::nullopt;
      placed.push_back(index);
      places.insert(offsets[index]);
      places.insert(ends[index]);
    }
    ArenaPlan plan;
    plan.lines = getSize();
    plan.offsets.assign(offsets.begin(), offsets.end());
    return plan;
  }

private:
  /// The lowest place, at typical sizes, where it is proved that the buffer overlaps none that is needed at the same
  /// time: where another one begins or ends. Where there is none, the top, which is behind everything.
  Expr place(unsigned index) {
    llvm::SmallVector<unsigned> neighbours;
    for (unsigned other : placed)
      if (areNeededTogether(buffers, index, other))
        neighbours.push_back(other);
    auto candidates = llvm::to_vector(places);
    llvm::stable_sort(candidates, [&](Expr lhs, Expr rhs) { return typical(lhs) < typical(rhs); });
    for (Expr candidate : candidates) {
      Expr end = proofs.add(candidate, lines[index]);
      if (end && llvm::all_of(neighbours, [&](unsigned other) {
            return isLessEqual(ends[other], candidate) || isLessEqual(end, offsets[other]);
          }))
        return candidate;
    }
    return top;
  }

  /// Keeps the top at or behind the end of every buffer. Sums take the place of maxima, which would nest and defeat all
  /// later proofs: an end that is neither proved to be below the top nor above it begins below the top, so that the top
  /// raised by the size is above it. False if that overflows.
  bool raiseTop(unsigned index) {
    if (isLessEqual(ends[index], top))
      return true;
    top = isLessEqual(top, ends[index]) ? ends[index] : proofs.add(top, lines[index]);
    return bool(top);
  }

  /// The least, at typical sizes, of the ends that are proved to be behind all others, and of the top.
  Expr getSize() {
    Expr size = top;
    llvm::SmallSetVector<Expr, 8> distinct(ends.begin(), ends.end());
    for (Expr candidate : distinct)
      if (typical(candidate) < typical(size) &&
          llvm::all_of(distinct, [&](Expr end) { return isLessEqual(end, candidate); }))
        size = candidate;
    return size;
  }

  bool isLessEqual(Expr lhs, Expr rhs) {
    if (lhs == rhs)
      return true;
    // What is wrong at typical sizes needs no attempt at a proof.
    if (typical(lhs) > typical(rhs))
      return false;
    return proofs.isAtLeast(rhs, lhs);
  }

  int64_t typical(Expr expr) {
    auto [entry, isNew] = typicalValues.try_emplace(expr, 0);
    if (!isNew)
      return entry->second;
    std::optional<int64_t> value = evaluate(expr, [&](llvm::StringRef name) -> std::optional<int64_t> {
      auto [size, isFirst] = typicalSizes.try_emplace(name);
      if (isFirst)
        size->second = getTypicalValue(solver.getFacts(solver.getContext().getSymbol(name)));
      return size->second;
    });
    return typicalValues[expr] = value.value_or(std::numeric_limits<int64_t>::max());
  }

  llvm::ArrayRef<ArenaBuffer> buffers;
  Solver &solver;
  SizeProofs proofs;
  llvm::SmallVector<Expr> lines, offsets, ends;
  llvm::SmallVector<unsigned> placed;
  llvm::SmallSetVector<Expr, 8> places; ///< where buffers begin or end
  Expr top;
  llvm::StringMap<int64_t> typicalSizes; ///< of symbols
  llvm::DenseMap<Expr, int64_t> typicalValues;
};

} // namespace

std::optional<ArenaPlan> dyn::planArena(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver) {
  return Planner(buffers, solver).run();
}
