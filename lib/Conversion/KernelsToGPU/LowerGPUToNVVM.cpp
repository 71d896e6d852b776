//===- GPU kernels to the nvvm dialect -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelsToGPU/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

namespace dyn {
#define GEN_PASS_DEF_LOWERGPUTONVVMPASS
#include "dyn/Conversion/KernelsToGPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

/// Functions that a GPU has instructions for become intrinsics.
static LogicalResult lowerToIntrinsics(Operation *module) {
  MLIRContext *context = module->getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateMathToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp,
                      math::CountTrailingZerosOp, math::CtPopOp, math::FloorOp, math::FmaOp, math::IsNaNOp,
                      math::IsInfOp, math::IsFiniteOp, math::RoundOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {

struct LowerGPUToNVVMPass : public dyn::impl::LowerGPUToNVVMPassBase<LowerGPUToNVVMPass> {
  void runOnOperation() override {
    if (failed(lowerToIntrinsics(getOperation())))
      return signalPassFailure();
    LowerToLLVMOptions options(&getContext(), DataLayout(getOperation()));
    LLVMTypeConverter converter(&getContext(), options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addLegalOp<mlir::gpu::GPUModuleOp, UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
