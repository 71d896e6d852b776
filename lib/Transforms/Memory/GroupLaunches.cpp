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
          groupLaunches(block);
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
