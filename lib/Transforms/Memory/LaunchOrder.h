//===- Which launches wait for which --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_LAUNCHORDER_H
#define DYN_LIB_TRANSFORMS_MEMORY_LAUNCHORDER_H

#include "BufferRegions.h"
#include "Views.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

namespace dyn {

/// Does the op wait for all launches before it, and those behind it for the op? So does what works on memory and is no
/// launch, but for allocations.
bool separatesLaunches(mlir::Operation &op);

/// What a launch works on.
class LaunchMemory {
public:
  LaunchMemory(shape::LaunchOp launch, BufferRegions &regions);
  /// Why a launch must have ended before this one, behind it, begins; empty where it need not.
  llvm::StringRef needs(const LaunchMemory &before, BufferRegions &regions) const;
  llvm::ArrayRef<BufferRegion> getRead() const { return read; }
  llvm::ArrayRef<BufferRegion> getWritten() const { return written; }

private:
  llvm::SmallVector<BufferRegion, 4> read, written;
};

/// The launches that another one may still run beside, while a block is walked through.
class LaunchWindow {
public:
  /// The launch `distance` before the next one, from 1 to `size`.
  const LaunchMemory &getBefore(unsigned distance) const { return launches[launches.size() - distance]; }
  unsigned size() const { return launches.size(); }
  void add(LaunchMemory launch) {
    launches.push_back(std::move(launch));
    if (launches.size() == shape::kLaunchWindow)
      launches.pop_front();
  }
  void clear() { launches.clear(); }

private:
  std::deque<LaunchMemory> launches;
};

/// The launches that have ended when one begins: bit d - 1 is for that d before it.
using EndedLaunches = uint32_t;
inline constexpr EndedLaunches kAllEnded = (EndedLaunches(1) << (shape::kLaunchWindow - 1)) - 1;

/// Those that a launch is after, and those that they were after.
class EndedBefore {
public:
  /// What `ended` becomes with the launch `distance` before the next one.
  EndedLaunches join(EndedLaunches ended, unsigned distance) const {
    EndedLaunches itself = EndedLaunches(1) << (distance - 1);
    return (ended | itself | (history[history.size() - distance] << distance)) & kAllEnded;
  }
  /// As the launch's attribute says; distances beyond the first launch are nothing.
  EndedLaunches get(shape::LaunchOp launch) const;
  void add(EndedLaunches ended) { history.push_back(ended); }

private:
  llvm::SmallVector<EndedLaunches> history;
};

/// Which ops of a block have ended when another one begins, as the launches' attributes say.
class LaunchOrder {
public:
  explicit LaunchOrder(mlir::Block &block);
  /// Has `before` ended whenever `op` begins? False for the same op.
  bool isBefore(mlir::Operation *before, mlir::Operation *op) const;

private:
  struct Place {
    unsigned stretch; ///< ops that separate launches lie between two of these
    unsigned number;  ///< of the launch
    EndedLaunches ended;
  };
  llvm::DenseMap<mlir::Operation *, Place> places; ///< of launches
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_LAUNCHORDER_H
