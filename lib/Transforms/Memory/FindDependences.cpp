//===- dyn-find-dependences: what each launch waits for -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"
#include "MemoryPeaks.h"
#include "dyn/Transforms/Memory/Passes.h"

namespace dyn {
#define GEN_PASS_DEF_FINDDEPENDENCESPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

/// Launches in a row, and what each is after.
struct Dependences {
  SmallVector<std::optional<SmallVector<int64_t>>> after; ///< nothing: all before it
  SmallVector<EndedLaunches> ended;

  bool waitForAll() const {
    return llvm::all_of(after, [](const auto &distances) { return !distances; });
  }
  /// Of two places, whether the first launch has ended whenever the second, behind it, begins.
  bool isBefore(unsigned first, unsigned second) const {
    unsigned distance = second - first;
    return distance >= shape::kLaunchWindow || ended[second] >> (distance - 1) & 1;
  }
};

/// Each launch is after those that it needs, and all that are `window` or more before it.
Dependences findDependences(ArrayRef<LaunchMemory> launches, BufferRegions &regions, unsigned window) {
  Dependences result;
  EndedBefore history;
  for (unsigned place = 0; place < launches.size(); ++place) {
    unsigned numBefore = std::min(place, shape::kLaunchWindow - 1);
    SmallVector<int64_t> after;
    EndedLaunches ended = 0;
    for (unsigned distance = 1; distance <= numBefore; ++distance) {
      bool isEnded = ended >> (distance - 1) & 1;
      bool isNeeded = distance >= window || !launches[place].needs(launches[place - distance], regions).empty();
      if (isEnded || !isNeeded)
        continue;
      after.push_back(distance);
      ended = history.join(ended, distance);
    }
    EndedLaunches all = (EndedLaunches(1) << numBefore) - 1;
    bool waitsForAll = (ended & all) == all;
    history.add(waitsForAll ? kAllEnded : ended);
    result.ended.push_back(waitsForAll ? kAllEnded : ended);
    result.after.push_back(waitsForAll ? std::nullopt : std::optional(std::move(after)));
  }
  return result;
}

struct FindDependencesPass : dyn::impl::FindDependencesPassBase<FindDependencesPass> {
  void runOnOperation() override {
    if (failed(walkHostBlocks(getOperation(), [&](Block &block, SizeExprs &sizes) { runOnBlock(block, sizes); })))
      signalPassFailure();
  }

private:
  void runOnBlock(Block &block, SizeExprs &sizes) {
    BufferRegions regions(sizes);
    SmallVector<shape::LaunchOp> launches;
    for (Operation &op : block) {
      if (separatesLaunches(op)) {
        runOnStretch(launches, sizes, regions);
        launches.clear();
      }
      if (auto launch = dyn_cast<shape::LaunchOp>(op))
        launches.push_back(launch);
    }
    runOnStretch(launches, sizes, regions);
  }

  void runOnStretch(ArrayRef<shape::LaunchOp> launches, SizeExprs &sizes, BufferRegions &regions) {
    auto memory = llvm::map_to_vector(launches, [&](shape::LaunchOp launch) { return LaunchMemory(launch, regions); });
    unsigned window = shape::kLaunchWindow;
    Dependences dependences = findDependences(memory, regions, window);
    if (!dependences.waitForAll()) {
      MemoryPeaks peaks(launches, sizes);
      SmallVector<double> least = peaks.get(launches, [](unsigned, unsigned) { return true; });
      auto needsTooMuch = [&] {
        return isTooMuchMore(
            peaks.get(launches, [&](unsigned first, unsigned second) { return dependences.isBefore(first, second); }),
            least);
      };
      while (window > 1 && needsTooMuch())
        dependences = findDependences(memory, regions, window /= 2);
    }
    for (auto [place, after] : llvm::enumerate(dependences.after)) {
      shape::LaunchOp launch = launches[place];
      if (after)
        launch.setAfter(*after);
      else
        launch.removeAfterAttr();
      numConcurrent += after.has_value();
    }
  }
};

} // namespace
