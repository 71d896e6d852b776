//===- dyn-group-launches: launches that may run at the same time --------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchGroups.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {
#define GEN_PASS_DEF_GROUPLAUNCHESPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

struct GroupLaunchesPass : dyn::impl::GroupLaunchesPassBase<GroupLaunchesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(DynDialect::kKernelAttrName))
        for (Block &block : function.getBody())
          orderLaunches(block), groupLaunches(block);
  }

  /// Ops up to the next one on memory that is no launch.
  using Stretch = SmallVector<Operation *>;

  /// Where this makes fewer groups, puts launches behind each other that need the same number of others before them.
  void orderLaunches(Block &block) {
    Stretch stretch;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Guards come before the first launch in any case.
      bool isSizeOrView = isMemoryEffectFree(&op) && !op.hasTrait<mlir::OpTrait::IsTerminator>();
      if (isSizeOrView || isa<shape::LaunchOp, memref::AllocOp, shape::CheckOp>(op)) {
        stretch.push_back(&op);
        continue;
      }
      orderLaunches(stretch, &op);
      stretch.clear();
    }
  }

  void orderLaunches(const Stretch &stretch, Operation *end) {
    LaunchLevels levels;
    SmallVector<std::pair<unsigned, shape::LaunchOp>> order;
    for (Operation *op : stretch)
      if (auto launch = dyn_cast<shape::LaunchOp>(op))
        order.push_back({levels.add(launch), launch});
    unsigned before = countGroups(order);
    llvm::stable_sort(order, llvm::less_first());
    if (countGroups(order) >= before)
      return;
    // What is no launch reads no memory.
    for (Operation *op : stretch)
      if (!isa<shape::LaunchOp>(op))
        op->moveBefore(end);
    for (auto [level, launch] : order)
      launch->moveBefore(end);
    numOrdered += order.size();
  }

  static unsigned countGroups(ArrayRef<std::pair<unsigned, shape::LaunchOp>> launches) {
    GrowingGroup group;
    unsigned count = 0;
    for (auto [level, launch] : launches) {
      if (!group.refuse(launch).empty()) {
        group = GrowingGroup();
        ++count;
      }
      group.add(launch);
    }
    return count;
  }

  void groupLaunches(Block &block) {
    GrowingGroup group;
    for (Operation &op : block) {
      auto launch = dyn_cast<shape::LaunchOp>(op);
      if (!launch) {
        group.pass(op);
        continue;
      }
      bool isConcurrent = group.refuse(launch).empty();
      launch.setConcurrent(isConcurrent);
      if (!isConcurrent)
        group = GrowingGroup();
      group.add(launch);
      numConcurrent += isConcurrent;
    }
  }
};

} // namespace
