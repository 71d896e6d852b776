//===- dyn-group-launches: launches that may run at the same time --------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Views.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {
#define GEN_PASS_DEF_GROUPLAUNCHESPASS
#include "dyn/Transforms/Memory/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

/// The launches since the last that waits, and what they use.
struct Group {
  unsigned size = 0;
  DenseSet<Value> read, written;

  bool admits(shape::LaunchOp launch) const {
    auto isRead = [&](Value value) { return read.contains(skipViews(value)); };
    auto isWritten = [&](Value value) { return written.contains(skipViews(value)); };
    return size > 0 && size < shape::kMaxLaunchGroup && llvm::none_of(launch.getInputs(), isWritten) &&
           llvm::none_of(launch.getOutputs(), isWritten) && llvm::none_of(launch.getOutputs(), isRead);
  }
  void add(shape::LaunchOp launch) {
    ++size;
    for (Value value : launch.getInputs())
      read.insert(skipViews(value));
    for (Value value : launch.getOutputs())
      written.insert(skipViews(value));
  }
};

struct GroupLaunchesPass : dyn::impl::GroupLaunchesPassBase<GroupLaunchesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(DynDialect::kKernelAttrName))
        for (Block &block : function.getBody())
          groupLaunches(block);
  }

  void groupLaunches(Block &block) {
    Group group;
    for (Operation &op : block) {
      auto launch = dyn_cast<shape::LaunchOp>(op);
      if (!launch) {
        // Memory that appears changes nothing of what is there.
        if (!isa<memref::AllocOp>(op) && !isMemoryEffectFree(&op))
          group = Group();
        continue;
      }
      bool isConcurrent = group.admits(launch);
      launch.setConcurrent(isConcurrent);
      if (!isConcurrent)
        group = Group();
      group.add(launch);
      numConcurrent += isConcurrent;
    }
  }
};

} // namespace
