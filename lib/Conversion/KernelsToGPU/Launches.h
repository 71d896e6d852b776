//===- Launches of GPU kernels ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOGPU_LAUNCHES_H
#define DYN_LIB_CONVERSION_KERNELSTOGPU_LAUNCHES_H

#include "GPUKernelForm.h"

namespace dyn::gpu {

/// A kernel that has been built, and what is needed to launch it.
struct LoweredKernel {
  struct Variant {
    std::unique_ptr<GPUKernelForm> form;
    mlir::gpu::GPUFuncOp function;
  };

  mlir::func::FuncOp source;
  /// The first whose condition holds is launched; the last has none.
  llvm::SmallVector<Variant> variants;
};

/// Replaces the launches in `function` by launches of grids.
llvm::LogicalResult lowerLaunches(mlir::func::FuncOp function, llvm::StringMap<LoweredKernel> &kernels);

} // namespace dyn::gpu

#endif // DYN_LIB_CONVERSION_KERNELSTOGPU_LAUNCHES_H
