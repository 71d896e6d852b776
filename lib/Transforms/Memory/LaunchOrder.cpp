//===- Which launches wait for which --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"

using namespace mlir;
using namespace dyn;

bool dyn::separatesLaunches(Operation &op) {
  return !isa<shape::LaunchOp, memref::AllocOp, shape::ArenaOp>(op) && !isMemoryEffectFree(&op);
}

LaunchMemory::LaunchMemory(shape::LaunchOp launch, BufferRegions &regions) {
  for (Value value : launch.getInputs())
    read.push_back(regions.get(value));
  for (Value value : launch.getOutputs())
    written.push_back(regions.get(value));
}

StringRef LaunchMemory::needs(const LaunchMemory &before, BufferRegions &regions) const {
  auto meet = [&](ArrayRef<BufferRegion> own, ArrayRef<BufferRegion> others) {
    return llvm::any_of(own, [&](const BufferRegion &region) {
      return llvm::any_of(others, [&](const BufferRegion &other) { return regions.mayMeet(region, other); });
    });
  };
  if (meet(read, before.written))
    return "it reads what that one writes";
  if (meet(written, before.written))
    return "it writes what that one writes";
  if (meet(written, before.read))
    return "it writes what that one reads";
  return "";
}

EndedLaunches EndedBefore::get(shape::LaunchOp launch) const {
  std::optional<ArrayRef<int64_t>> after = launch.getAfter();
  if (!after)
    return kAllEnded;
  EndedLaunches ended = 0;
  for (int64_t distance : *after)
    if (distance <= int64_t(history.size()))
      ended = join(ended, distance);
  return ended;
}

LaunchOrder::LaunchOrder(Block &block) {
  EndedBefore ended;
  unsigned stretch = 0;
  for (Operation &op : block) {
    stretch += separatesLaunches(op);
    auto launch = dyn_cast<shape::LaunchOp>(op);
    if (!launch)
      continue;
    EndedLaunches before = ended.get(launch);
    unsigned number = places.size();
    places[launch] = {stretch, number, before};
    ended.add(before);
  }
}

bool LaunchOrder::isBefore(Operation *before, Operation *op) const {
  if (!before->isBeforeInBlock(op))
    return false;
  auto first = places.find(before), second = places.find(op);
  if (first == places.end() || second == places.end() || first->second.stretch != second->second.stretch)
    return true;
  unsigned distance = second->second.number - first->second.number;
  return distance >= shape::kLaunchWindow || second->second.ended >> (distance - 1) & 1;
}
