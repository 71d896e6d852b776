//===- The forms of GPU kernels ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOGPU_GPUKERNELFORM_H
#define DYN_LIB_CONVERSION_KERNELSTOGPU_GPUKERNELFORM_H

#include "GPUKernelCode.h"
#include "dyn/Conversion/KernelCode/KernelStructure.h"

namespace dyn::gpu {

/// How kernels of one form are divided among blocks and threads. What `match...` returned can be emitted. A kernel is
/// right for any number of blocks.
class GPUKernelForm {
public:
  virtual ~GPUKernelForm() = default;
  /// Forms of the same kernel that are better at some sizes, the best first. Each has a name and a condition.
  virtual llvm::SmallVector<std::unique_ptr<GPUKernelForm>> getVariants() const { return {}; }
  /// Of a variant: what its function's name ends with.
  virtual llvm::StringRef getName() const { return ""; }
  /// Of a variant: whether a launch is better one of this form.
  virtual mlir::Value emitCondition(KernelCode &launch) { llvm_unreachable("no variant"); }
  /// The number of leading dims of temporaries of which one row is held.
  virtual unsigned getRows() const { return 0; }
  /// Threads of a block: a multiple of the size of a warp, or 1.
  virtual int64_t getThreads() const { return 256; }
  virtual void emit(GPUKernelCode &kernel) = 0;
  /// The number of blocks that have something to do; may be 0.
  virtual mlir::Value emitBlockCount(KernelCode &launch) = 0;
};

/// Each of these returns null for a kernel that is not of the form.
/// One linalg op, maybe with an epilogue: each point of the parallel loops is computed by one thread.
std::unique_ptr<GPUKernelForm> matchPointKernel(mlir::func::FuncOp kernel);
/// Contractions in tiles that blocks hold in shared memory and registers.
std::unique_ptr<GPUKernelForm> matchContractionKernel(mlir::func::FuncOp kernel);
/// "row": each row is computed by a block. Also reductions along which memory is contiguous.
std::unique_ptr<GPUKernelForm> matchRowKernel(mlir::func::FuncOp kernel);
std::unique_ptr<GPUKernelForm> matchReductionKernel(mlir::func::FuncOp kernel);
/// "concat".
std::unique_ptr<GPUKernelForm> matchConcatKernel(mlir::func::FuncOp kernel);
/// "sequential": anything, by one thread. Says why if there is no code for it.
std::unique_ptr<GPUKernelForm> matchSequentialKernel(mlir::func::FuncOp kernel);

} // namespace dyn::gpu

#endif // DYN_LIB_CONVERSION_KERNELSTOGPU_GPUKERNELFORM_H
