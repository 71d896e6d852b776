//===- What kinds of kernels consist of -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_KERNELSTRUCTURE_H
#define DYN_CONVERSION_KERNELCODE_KERNELSTRUCTURE_H

#include "dyn/Conversion/KernelCode/LoopPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn::codegen {

/// Checks what the code of every target relies on.
llvm::LogicalResult verifyKernel(mlir::func::FuncOp kernel);

/// Sums of products may round once where they would round twice.
void allowFusedMultiplyAdd(mlir::func::FuncOp kernel);

/// The linalg ops of a kernel's entry block that are work: not fills that only begin a reduction.
llvm::SmallVector<mlir::linalg::LinalgOp> getStages(mlir::func::FuncOp kernel);

/// One linalg op, after it maybe a generic that reads its result point by point: "pointwise", lone reductions, and
/// every "contraction". Nothing for other kernels.
std::optional<FusedOps> matchSingleNest(mlir::func::FuncOp kernel);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_KERNELSTRUCTURE_H
