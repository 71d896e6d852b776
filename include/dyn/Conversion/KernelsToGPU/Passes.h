//===- Kernels on tensors to GPU kernels ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELSTOGPU_PASSES_H
#define DYN_CONVERSION_KERNELSTOGPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/KernelsToGPU/Passes.h.inc"

/// Takes the bodies of what `dyn-lower-kernels-to-gpu` leaves (gpu, scf, arith, math, memref) to the nvvm and llvm
/// dialects, in place. The manager is one for `gpu.module`.
void addGPUKernelLowerings(mlir::OpPassManager &manager);

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/KernelsToGPU/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_KERNELSTOGPU_PASSES_H
