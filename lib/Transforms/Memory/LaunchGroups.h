//===- Launches that start together -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_LAUNCHGROUPS_H
#define DYN_LIB_TRANSFORMS_MEMORY_LAUNCHGROUPS_H

#include "Views.h"

namespace dyn {

/// Stands for a buffer: the value that its views begin with, where the plan has put it the offset in the arena.
inline mlir::Value getPlace(mlir::Value value) {
  value = skipViews(value);
  auto view = value.getDefiningOp<mlir::memref::ViewOp>();
  return view && !llvm::is_contained(view.getType().getShape(), 0) ? view.getByteShift() : value;
}

/// A group of launches while a block is walked through, and what they use.
class GrowingGroup {
public:
  /// Why the next launch of the block may not run at the same time as those of the group; empty where it may.
  llvm::StringRef refuse(shape::LaunchOp launch) const {
    auto isRead = [&](mlir::Value value) { return read.contains(getPlace(value)); };
    auto isWritten = [&](mlir::Value value) { return written.contains(getPlace(value)); };
    if (size == 0)
      return "no launch comes right before it";
    if (size >= shape::kMaxLaunchGroup)
      return "its group has as many launches as start together already";
    if (llvm::any_of(launch.getInputs(), isWritten))
      return "it reads what another launch of its group writes";
    if (llvm::any_of(launch.getOutputs(), isWritten))
      return "it writes what another launch of its group writes";
    if (llvm::any_of(launch.getOutputs(), isRead))
      return "it writes what another launch of its group reads";
    return "";
  }

  void add(shape::LaunchOp launch) {
    ++size;
    for (mlir::Value value : launch.getInputs())
      read.insert(getPlace(value));
    for (mlir::Value value : launch.getOutputs())
      written.insert(getPlace(value));
  }

  /// Takes notice of an op that is no launch: what works on memory ends the group.
  void pass(mlir::Operation &op) {
    // Memory that appears changes nothing of what is there.
    if (!llvm::isa<mlir::memref::AllocOp, shape::ArenaOp>(op) && !mlir::isMemoryEffectFree(&op))
      *this = GrowingGroup();
  }

private:
  unsigned size = 0;
  llvm::DenseSet<mlir::Value> read, written;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_LAUNCHGROUPS_H
