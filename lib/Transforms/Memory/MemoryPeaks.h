//===- What launches need of memory at one time ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_MEMORY_MEMORYPEAKS_H
#define DYN_LIB_TRANSFORMS_MEMORY_MEMORYPEAKS_H

#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "dyn/Transforms/Memory/SizeExprs.h"
#include "llvm/ADT/MapVector.h"

namespace dyn {

/// What some launches in a row need of the memory that is allocated for them, at some sizes.
class MemoryPeaks {
public:
  MemoryPeaks(llvm::ArrayRef<shape::LaunchOp> launches, SizeExprs &sizes);

  /// The most that is needed at one time, at each of the sizes. `order` has the same launches, and `isBefore` tells of
  /// two places there whether the first launch has ended whenever the second, behind it, begins.
  llvm::SmallVector<double> get(llvm::ArrayRef<shape::LaunchOp> order,
                                llvm::function_ref<bool(unsigned, unsigned)> isBefore) const;

private:
  llvm::MapVector<mlir::Value, size_t> indices;
  llvm::SmallVector<llvm::SmallVector<double>> bytesAt; ///< of each buffer, for each of the sizes
};

/// Visits the blocks of all functions that are no kernels, with the sizes of each function. Fails where facts
/// contradict each other.
llvm::LogicalResult walkHostBlocks(mlir::ModuleOp module, llvm::function_ref<void(mlir::Block &, SizeExprs &)> visit);

/// Is it, at one of the sizes, more than twice as much, which two equal branches need, and 64 KiB?
bool isTooMuchMore(llvm::ArrayRef<double> peaks, llvm::ArrayRef<double> before);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_MEMORY_MEMORYPEAKS_H
