//===- Registration of all passes of Dyn ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INITALLPASSES_H
#define DYN_INITALLPASSES_H

#include "dyn/Conversion/DynToLinalg/Passes.h"
#include "dyn/Conversion/ExpandMath/Passes.h"
#include "dyn/Conversion/GPUToBinary/Passes.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "dyn/Conversion/KernelsToGPU/Passes.h"
#include "dyn/Dialect/Dyn/Transforms/Passes.h"
#include "dyn/Pipelines/Pipelines.h"
#include "dyn/Transforms/Kernels/Passes.h"
#include "dyn/Transforms/Memory/Passes.h"
#include "dyn/Transforms/Shapes/Passes.h"

namespace dyn {

/// Adds the passes and pipelines of Dyn to MLIR's registry, one line for each library.
inline void registerAllPasses() {
  registerDynDynTransformsPasses();
  registerDynExpandMathPasses();
  registerDynGPUToBinaryPasses();
  registerDynHostToLLVMPasses();
  registerDynKernelsPasses();
  registerDynKernelsToGPUPasses();
  registerDynMemoryPasses();
  registerDynShapesPasses();
  registerDynToLinalgPasses();
  registerKernelsToCPUPasses();
  registerPipelines();
}

} // namespace dyn

#endif // DYN_INITALLPASSES_H
