//===- Kernels that run in program order ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_PROGRAMORDER_H
#define DYN_CONVERSION_KERNELCODE_PROGRAMORDER_H

#include "dyn/Conversion/KernelCode/KernelCode.h"

namespace dyn::codegen {

/// Whether `emitInOrder` knows every op of the block of a kernel; says which it does not.
llvm::LogicalResult verifySequential(mlir::Block &block);

/// The kernel's ops one after another. Its temporaries have memory already.
void emitInOrder(KernelCode &kernel);

/// 1, or 0 where everything that the kernel writes is empty.
mlir::Value emitIsWork(KernelCode &kernel);

} // namespace dyn::codegen

#endif // DYN_CONVERSION_KERNELCODE_PROGRAMORDER_H
