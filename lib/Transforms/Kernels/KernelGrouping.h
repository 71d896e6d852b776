//===- Which ops make a kernel ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_KERNELS_KERNELGROUPING_H
#define DYN_LIB_TRANSFORMS_KERNELS_KERNELGROUPING_H

#include "KernelOutliner.h"

namespace mlir::linalg {
class GenericOp;
}

namespace dyn {

/// `out + a * b`, summed from zero over at least one loop.
bool isContraction(mlir::linalg::GenericOp generic);
/// The kernel that a generic makes on its own.
KernelGroup classify(mlir::linalg::GenericOp generic);
/// A slice, from index 0 on, of which some strides may be known at run time only: 0 along dims that repeat. Products
/// read tensors so that may have to be repeated.
bool isRepeatedOperand(mlir::Operation *op);
/// Is it none of a kernel's business: sizes, checks, constants, destinations, views?
bool staysOnHost(mlir::Operation *op);

/// Partitions what belongs into kernels, one op or chain of updates each; fails after an error at an op that fits no
/// kind of kernel.
mlir::FailureOr<llvm::SmallVector<KernelGroup>> groupSeparately(mlir::Block &block);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_KERNELS_KERNELGROUPING_H
