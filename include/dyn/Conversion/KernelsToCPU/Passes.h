//===- Kernels on tensors to CPU code on pointers ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELSTOCPU_PASSES_H
#define DYN_CONVERSION_KERNELSTOCPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"

/// Takes what `dyn-lower-kernels-to-cpu` leaves (scf, arith, math, vector, index, cf, func) to the llvm dialect, in
/// place, for a whole module.
void addCPUKernelLowerings(mlir::OpPassManager &manager, unsigned vectorBits);

#define GEN_PASS_REGISTRATION
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"

} // namespace dyn

#endif // DYN_CONVERSION_KERNELSTOCPU_PASSES_H
