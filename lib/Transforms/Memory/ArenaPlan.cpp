//===- Places for buffers of symbolic size ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Transforms/Memory/ArenaPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace dyn;
using namespace dyn::symbolic;

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
  Planner(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver) : buffers(buffers), solver(solver) {}

  std::optional<ArenaPlan> run() {
    llvm::SmallVector<unsigned> order;
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      lines.push_back(ceilDiv(buffer.bytes, ArenaPlan::bytesPerLine));
      if (!lines.back())
        return std::nullopt;
      order.push_back(index);
    }
    llvm::stable_sort(order, [&](unsigned lhs, unsigned rhs) { return typical(lines[lhs]) > typical(lines[rhs]); });
    offsets.resize(buffers.size());
    ends.resize(buffers.size());
    llvm::SmallSetVector<Expr, 8> allEnds;
    for (unsigned index : order) {
      offsets[index] = place(index);
      ends[index] = offsets[index] + lines[index];
      if (!offsets[index] || !ends[index])
        return std::nullopt;
      placed.push_back(index);
      allEnds.insert(ends[index]);
    }
    ArenaPlan plan;
    plan.lines = maximum(allEnds.getArrayRef());
    if (!plan.lines)
      return std::nullopt;
    plan.offsets.assign(offsets.begin(), offsets.end());
    return plan;
  }

private:
  /// The lowest proved place, at typical sizes, that touches no buffer needed at the same time.
  Expr place(unsigned index) {
    llvm::SmallVector<unsigned> neighbours;
    llvm::SmallSetVector<Expr, 8> candidates, neighbourEnds;
    candidates.insert(solver.getContext().getConstant(0));
    for (unsigned other : placed)
      if (buffers[other].first <= buffers[index].last && buffers[index].first <= buffers[other].last) {
        neighbours.push_back(other);
        candidates.insert(ends[other]);
        neighbourEnds.insert(ends[other]);
      }
    auto sorted = candidates.takeVector();
    llvm::stable_sort(sorted, [&](Expr lhs, Expr rhs) { return typical(lhs) < typical(rhs); });
    for (Expr candidate : sorted) {
      Expr end = candidate + lines[index];
      if (end && llvm::all_of(neighbours, [&](unsigned other) {
            return isLessEqual(ends[other], candidate) || isLessEqual(end, offsets[other]);
          }))
        return candidate;
    }
    return maximum(neighbourEnds.getArrayRef());
  }

  /// The maximum, without those that another one is proved to reach.
  Expr maximum(llvm::ArrayRef<Expr> values) {
    llvm::SmallVector<Expr> kept;
    for (Expr value : values) {
      if (llvm::any_of(kept, [&](Expr other) { return isLessEqual(value, other); }))
        continue;
      llvm::erase_if(kept, [&](Expr other) { return isLessEqual(other, value); });
      kept.push_back(value);
    }
    if (kept.empty())
      return solver.getContext().getConstant(0);
    return kept.size() == 1 ? kept.front() : max(kept);
  }

  bool isLessEqual(Expr lhs, Expr rhs) {
    if (lhs == rhs)
      return true;
    auto [entry, isNew] = proofs.try_emplace({lhs, rhs}, false);
    if (isNew)
      // What is wrong at typical sizes needs no attempt at a proof.
      entry->second = typical(lhs) <= typical(rhs) && solver.isLessEqual(lhs, rhs) == Verdict::Yes;
    return entry->second;
  }

  int64_t typical(Expr expr) {
    auto [entry, isNew] = typicalValues.try_emplace(expr, 0);
    if (!isNew)
      return entry->second;
    std::optional<int64_t> value = evaluate(expr, [&](llvm::StringRef name) -> std::optional<int64_t> {
      return getTypicalValue(solver.getFacts(solver.getContext().getSymbol(name)));
    });
    return typicalValues[expr] = value.value_or(std::numeric_limits<int64_t>::max());
  }

  llvm::ArrayRef<ArenaBuffer> buffers;
  Solver &solver;
  llvm::SmallVector<Expr> lines, offsets, ends;
  llvm::SmallVector<unsigned> placed;
  llvm::DenseMap<std::pair<Expr, Expr>, bool> proofs;
  llvm::DenseMap<Expr, int64_t> typicalValues;
};

} // namespace

std::optional<ArenaPlan> dyn::planArena(llvm::ArrayRef<ArenaBuffer> buffers, Solver &solver) {
  return Planner(buffers, solver).run();
}
