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
  /// The level of the next launch.
  unsigned add(shape::LaunchOp launch) {
    unsigned level = 0;
    for (Value value : launch.getInputs())
      level = std::max(level, written.lookup(getPlace(value)));
    for (Value value : launch.getOutputs())
      level = std::max({level, written.lookup(getPlace(value)), read.lookup(getPlace(value))});
    auto raise = [&](DenseMap<Value, unsigned> &levels, ValueRange values) {
      for (Value value : values) {
        unsigned &next = levels[getPlace(value)];
        next = std::max(next, level + 1);
      }
    };
    raise(read, launch.getInputs());
    raise(written, launch.getOutputs());
    return level;
  }

private:
  DenseMap<Value, unsigned> read, written; ///< the first level after those that do so
};

using Order = SmallVector<shape::LaunchOp>;

/// The number of the group that each launch would be in: neighbours of which none needs another one.
SmallVector<unsigned> getGroups(const Order &order) {
  LaunchWindow group;
  SmallVector<unsigned> numbers;
  for (shape::LaunchOp launch : order) {
    LaunchMemory memory(launch);
    bool isNew = group.size() + 1 == shape::kLaunchWindow;
    for (unsigned distance = 1; distance <= group.size() && !isNew; ++distance)
      isNew = !memory.needs(group.getBefore(distance)).empty();
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
    // Ops up to the next one on memory that is no launch.
    SmallVector<Operation *> stretch;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Guards come before the first launch in any case.
      bool isSizeOrView = isMemoryEffectFree(&op) && !op.hasTrait<mlir::OpTrait::IsTerminator>();
      if (isSizeOrView || isa<shape::LaunchOp, memref::AllocOp, shape::CheckOp>(op)) {
        stretch.push_back(&op);
        continue;
      }
      orderStretch(stretch, &op, sizes);
      stretch.clear();
    }
  }

  void orderStretch(ArrayRef<Operation *> stretch, Operation *end, SizeExprs &sizes) {
    LaunchLevels levels;
    SmallVector<std::pair<unsigned, shape::LaunchOp>> ranked;
    Order before;
    for (Operation *op : stretch)
      if (auto launch = dyn_cast<shape::LaunchOp>(op)) {
        ranked.push_back({levels.add(launch), launch});
        before.push_back(launch);
      }
    llvm::stable_sort(ranked, llvm::less_first());
    Order after = llvm::map_to_vector(ranked, [](const auto &entry) { return entry.second; });
    SmallVector<unsigned> groupsBefore = getGroups(before), groupsAfter = getGroups(after);
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
