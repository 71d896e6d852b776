//===- dyn-order-launches: independent launches side by side ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"
#include "MemoryPeaks.h"
#include "dyn/Transforms/Memory/Passes.h"

namespace dyn {
#define GEN_PASS_DEF_ORDERLAUNCHESPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

/// How many launches must have ended, one behind the other, before each of a block may begin.
class LaunchLevels {
public:
  explicit LaunchLevels(BufferRegions &regions) : regions(regions) {}

  /// The level of the next launch.
  unsigned add(const LaunchMemory &launch) {
    unsigned level = 0;
    for (const BufferRegion &region : launch.getRead())
      raise(level, region, &Uses::afterWritten);
    for (const BufferRegion &region : launch.getWritten()) {
      raise(level, region, &Uses::afterWritten);
      raise(level, region, &Uses::afterRead);
    }
    for (const BufferRegion &region : launch.getRead())
      addUse(region, &Uses::afterRead, level + 1);
    for (const BufferRegion &region : launch.getWritten())
      addUse(region, &Uses::afterWritten, level + 1);
    return level;
  }

private:
  /// The first levels after all launches that use a region.
  struct Uses {
    BufferRegion region;
    unsigned afterRead = 0, afterWritten = 0;
  };
  /// So many parts of a buffer are told apart, so that the time does not grow with the square of their number. Further
  /// ones count as all of it.
  static constexpr size_t maxParts = 64;

  void raise(unsigned &level, const BufferRegion &region, unsigned Uses::*after) {
    auto found = uses.find(region.place);
    if (found == uses.end())
      return;
    for (const Uses &other : found->second)
      if (other.*after > level && regions.mayMeet(region, other.region))
        level = other.*after;
  }

  void addUse(BufferRegion region, unsigned Uses::*after, unsigned level) {
    SmallVector<Uses, 1> &known = uses[region.place];
    auto find = [&] { return llvm::find_if(known, [&](const Uses &other) { return other.region == region; }); };
    auto found = find();
    if (found == known.end() && known.size() >= maxParts) {
      region = BufferRegion{region.place, symbolic::Expr(), symbolic::Expr()};
      found = find();
    }
    if (found == known.end())
      found = known.insert(found, Uses{region});
    found->*after = std::max(found->*after, level);
  }

  BufferRegions &regions;
  DenseMap<Value, SmallVector<Uses, 1>> uses; ///< of each place
};

using Order = SmallVector<shape::LaunchOp>;

/// The number of the group that each launch would be in: neighbours of which none needs another one.
SmallVector<unsigned> getGroups(const Order &order, BufferRegions &regions) {
  LaunchWindow group;
  SmallVector<unsigned> numbers;
  for (shape::LaunchOp launch : order) {
    LaunchMemory memory(launch, regions);
    bool isNew = group.size() + 1 == shape::kLaunchWindow;
    for (unsigned distance = 1; distance <= group.size() && !isNew; ++distance)
      isNew = !memory.needs(group.getBefore(distance), regions).empty();
    numbers.push_back(numbers.empty() ? 0 : numbers.back() + isNew);
    if (isNew)
      group.clear();
    group.add(std::move(memory));
  }
  return numbers;
}

struct OrderLaunchesPass : dyn::impl::OrderLaunchesPassBase<OrderLaunchesPass> {
  void runOnOperation() override {
    if (failed(walkHostBlocks(getOperation(), [&](Block &block, SizeExprs &sizes) { orderBlock(block, sizes); })))
      signalPassFailure();
  }

private:
  void orderBlock(Block &block, SizeExprs &sizes) {
    BufferRegions regions(sizes);
    // Ops up to the next one on memory that is no launch.
    SmallVector<Operation *> stretch;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Guards come before the first launch in any case.
      bool isSizeOrView = isMemoryEffectFree(&op) && !op.hasTrait<mlir::OpTrait::IsTerminator>();
      if (isSizeOrView || isa<shape::LaunchOp, memref::AllocOp, shape::CheckOp>(op)) {
        stretch.push_back(&op);
        continue;
      }
      orderStretch(stretch, &op, sizes, regions);
      stretch.clear();
    }
  }

  void orderStretch(ArrayRef<Operation *> stretch, Operation *end, SizeExprs &sizes, BufferRegions &regions) {
    LaunchLevels levels(regions);
    SmallVector<std::pair<unsigned, shape::LaunchOp>> ranked;
    Order before;
    for (Operation *op : stretch)
      if (auto launch = dyn_cast<shape::LaunchOp>(op)) {
        ranked.push_back({levels.add(LaunchMemory(launch, regions)), launch});
        before.push_back(launch);
      }
    llvm::stable_sort(ranked, llvm::less_first());
    Order after = llvm::map_to_vector(ranked, [](const auto &entry) { return entry.second; });
    SmallVector<unsigned> groupsBefore = getGroups(before, regions), groupsAfter = getGroups(after, regions);
    if (before.empty() || groupsAfter.back() >= groupsBefore.back())
      return;
    MemoryPeaks memory(before, sizes);
    auto getPeaks = [&](const Order &order, ArrayRef<unsigned> groups) {
      return memory.get(order, [&](unsigned first, unsigned second) { return groups[first] < groups[second]; });
    };
    if (isTooMuchMore(getPeaks(after, groupsAfter), getPeaks(before, groupsBefore)))
      return;
    // What is no launch reads no memory.
    for (Operation *op : stretch)
      if (!isa<shape::LaunchOp>(op))
        op->moveBefore(end);
    for (shape::LaunchOp launch : after)
      launch->moveBefore(end);
    numOrdered += after.size();
  }
};

} // namespace
