//===- CPU kernels to the llvm dialect ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/ExpandMath/Passes.h"
#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void dyn::addCPUKernelLowerings(OpPassManager &manager, unsigned vectorBits) {
  manager.addPass(createExpandMathPass({vectorBits}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // There are no bf16 registers; f16 has conversions only.
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"bf16", "f16"};
  floats.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  manager.addPass(createExpandExtremesPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  // Takes vectors apart, one lane for each call.
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createHoldBfloat16AsIntegersPass());
}
