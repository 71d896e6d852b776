//===- CUDA images of models as files ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EXECUTIONENGINE_CUDAIMAGES_H
#define DYN_EXECUTIONENGINE_CUDAIMAGES_H

#include "dyn/ExecutionEngine/Compiler.h"

namespace dyn {

/// Compiles the kernels of a module for CUDA and writes them to files in `folder`, which is made if needed:
/// `kernels.sm_80.ptx` for the oldest architecture of the options, and `kernels.sm_80.cubin` for each where `ptxas` is
/// there. Each file appears complete or not at all. The module is used up. Fails after diagnostics.
llvm::LogicalResult writeCUDAImages(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef folder);

} // namespace dyn

#endif // DYN_EXECUTIONENGINE_CUDAIMAGES_H
