//===- GPU kernels to the nvvm dialect ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/ExpandMath/Passes.h"
#include "dyn/Conversion/KernelsToGPU/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void dyn::addGPUKernelLowerings(OpPassManager &manager) {
  manager.addPass(createVerifyGPUKernelsPass());
  manager.addPass(createExpandMathPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createLowerGPUToNVVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}
