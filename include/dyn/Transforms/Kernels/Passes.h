//===- Passes below the waterline that form kernels --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_KERNELS_PASSES_H
#define DYN_TRANSFORMS_KERNELS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dyn {

#define GEN_PASS_DECL
#include "dyn/Transforms/Kernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dyn/Transforms/Kernels/Passes.h.inc"

} // namespace dyn

#endif // DYN_TRANSFORMS_KERNELS_PASSES_H
