//===- The forms of kernels ---------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_KERNELFORM_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_KERNELFORM_H

#include "CPUKernelCode.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dyn::cpu {

/// How kernels of one form are divided into items of work and run. What `match...` returned can be emitted.
class KernelForm {
public:
  virtual ~KernelForm() = default;
  /// The number of leading dims of temporaries of which one row is held.
  virtual unsigned getRows() const { return 0; }
  /// Runs the items [kernel.begin, kernel.end).
  virtual void emitRun(CPUKernelCode &kernel) = 0;
  virtual mlir::Value emitCount(CPUKernelCode &kernel) = 0;
  /// Roughly how many instructions an item takes.
  virtual mlir::Value emitItemCost(CPUKernelCode &kernel) = 0;
  /// The most bytes of the context's memory that a call of `run` takes.
  virtual mlir::Value emitScratchBytes(CPUKernelCode &kernel) { return kernel.code.index(0); }
};

/// Each of these returns null for a kernel that is not of the form.
/// One linalg op, after it maybe a generic that reads its result point by point: "pointwise", lone reductions, and
/// every "contraction".
std::unique_ptr<KernelForm> matchNestKernel(mlir::func::FuncOp kernel);
/// A contraction that can be computed in tiles of rows times columns, with an epilogue or none.
std::unique_ptr<KernelForm> formTiledKernel(mlir::linalg::LinalgOp main, mlir::linalg::GenericOp epilogue);
/// "row": ops on rows that are independent of each other.
std::unique_ptr<KernelForm> matchRowKernel(mlir::func::FuncOp kernel);
/// "attention"; says what is wrong with one that it does not know.
std::unique_ptr<KernelForm> matchAttentionKernel(mlir::func::FuncOp kernel);
/// "concat".
std::unique_ptr<KernelForm> matchConcatKernel(mlir::func::FuncOp kernel);
/// "sequential": anything, as one item.
std::unique_ptr<KernelForm> matchSequentialKernel(mlir::func::FuncOp kernel);

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_KERNELFORM_H
