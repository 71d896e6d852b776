//===- What kernels call --------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
// The members of `DynRunContext` (`dyn/Runtime/ArtefactABI.h`) that kernels use.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELSTOCPU_RUNCONTEXT_H
#define DYN_LIB_CONVERSION_KERNELSTOCPU_RUNCONTEXT_H

#include "dyn/Conversion/KernelCode/Code.h"
#include "mlir/IR/BuiltinOps.h"

namespace dyn::cpu {

using namespace codegen;

/// `context->scratch(context, bytes)`
mlir::Value callScratch(Code &code, mlir::Value context, mlir::Value bytes);

/// Writes `context->error` if no other thread has. `guard` and the values, at most two, are of type i64.
void callRecordError(Code &code, mlir::ModuleOp module, mlir::Value context, mlir::Value guard,
                     mlir::ValueRange values);

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_RUNCONTEXT_H
