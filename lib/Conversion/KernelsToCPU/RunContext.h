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

namespace dyn::cpu {

using namespace codegen;

/// `context->scratch(context, bytes)`
mlir::Value callScratch(Code &code, mlir::Value context, mlir::Value bytes);

} // namespace dyn::cpu

#endif // DYN_LIB_CONVERSION_KERNELSTOCPU_RUNCONTEXT_H
