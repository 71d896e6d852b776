//===- dyn-order-launches: independent launches side by side ---------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchGroups.h"
#include "SizeSamples.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {
#define GEN_PASS_DEF_ORDERLAUNCHESPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// Memory is compared at so many sizes.
static constexpr size_t maxPoints = 16;
/// How much memory another order may need: as much again, which is what two equal branches need, and what is nothing.
static constexpr double memoryFactor = 2, negligibleBytes = 65536;

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

/// The number of the group that each launch would be in.
SmallVector<unsigned> getGroups(const Order &order) {
  GrowingGroup group;
  SmallVector<unsigned> numbers;
  for (shape::LaunchOp launch : order) {
    bool isNew = !group.refuse(launch).empty();
    numbers.push_back(numbers.empty() ? 0 : numbers.back() + isNew);
    if (isNew)
      group = GrowingGroup();
    group.add(launch);
  }
  return numbers;
}

/// What some launches in a row need of the memory that is allocated for them, at some sizes.
class MemoryOfLaunches {
public:
  MemoryOfLaunches(const Order &launches, SizeExprs &sizes) {
    SmallVector<symbolic::Expr> bytes;
    for (shape::LaunchOp launch : launches)
      for (Value value : launch->getOperands())
        if (Value buffer = skipViews(value); buffer.getDefiningOp<memref::AllocOp>() && !indices.contains(buffer)) {
          indices.insert({buffer, bytes.size()});
          bytes.push_back(sizes.getBytes(buffer));
        }
    auto known = llvm::to_vector(llvm::make_filter_range(bytes, [](symbolic::Expr expr) { return bool(expr); }));
    std::vector<SizePoint> all = sampleSizes(known, sizes.getSolver());
    size_t step = all.size() / maxPoints + 1;
    for (size_t point = 0; point < all.size(); point += step)
      bytesAt.push_back(llvm::map_to_vector(
          bytes, [&](symbolic::Expr expr) { return expr ? double(evaluateAt(expr, all[point]).value_or(0)) : 0; }));
  }

  /// The most that is needed at one time, at each of the sizes.
  SmallVector<double> getPeaks(const Order &order, ArrayRef<unsigned> groups) const {
    // Later launches need what they write last; what others use is needed all the time.
    SmallVector<std::pair<unsigned, unsigned>> lives(indices.size(), {~0u, 0});
    DenseMap<Operation *, unsigned> groupOf;
    for (auto [launch, group] : llvm::zip_equal(order, groups))
      groupOf[launch] = group;
    for (auto [buffer, index] : indices)
      addUsers(buffer, groupOf, groups.back(), lives[index]);
    SmallVector<double> peaks;
    for (const SmallVector<double> &bytes : bytesAt) {
      SmallVector<double> needed(groups.back() + 2, 0);
      for (auto [life, size] : llvm::zip_equal(lives, bytes)) {
        needed[life.first] += size;
        needed[life.second + 1] -= size;
      }
      double now = 0, peak = 0;
      for (double change : needed)
        peak = std::max(peak, now += change);
      peaks.push_back(peak);
    }
    return peaks;
  }

private:
  static void addUsers(Value buffer, const DenseMap<Operation *, unsigned> &groupOf, unsigned lastGroup,
                       std::pair<unsigned, unsigned> &life) {
    for (Operation *user : buffer.getUsers()) {
      if (isView(user)) {
        addUsers(user->getResult(0), groupOf, lastGroup, life);
        continue;
      }
      auto found = groupOf.find(user);
      bool isOther = found == groupOf.end();
      life.first = std::min(life.first, isOther ? 0 : found->second);
      life.second = std::max(life.second, isOther ? lastGroup : found->second);
    }
  }

  llvm::MapVector<Value, size_t> indices;
  SmallVector<SmallVector<double>> bytesAt;
};

struct OrderLaunchesPass : dyn::impl::OrderLaunchesPassBase<OrderLaunchesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(DynDialect::kKernelAttrName) || function.isExternal())
        continue;
      SizeExprs sizes(function);
      if (failed(sizes.readFacts()))
        return signalPassFailure();
      for (Block &block : function.getBody())
        orderBlock(block, sizes);
    }
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
    MemoryOfLaunches memory(before, sizes);
    for (auto [peakBefore, peakAfter] :
         llvm::zip_equal(memory.getPeaks(before, groupsBefore), memory.getPeaks(after, groupsAfter)))
      if (peakAfter > memoryFactor * peakBefore + negligibleBytes)
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
