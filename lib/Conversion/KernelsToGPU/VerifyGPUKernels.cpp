//===- The contract of GPU kernels ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelsToGPU/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYGPUKERNELSPASS
#include "dyn/Conversion/KernelsToGPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

/// What is wrong with an op; empty if nothing is.
static StringRef getFault(Operation *op) {
  if (isa<memref::AllocaOp, memref::AllocOp, LLVM::AllocaOp>(op))
    return "allocates memory, which a GPU kernel cannot do";
  if (isa<scf::ParallelOp, scf::ForallOp>(op))
    return "is a parallel loop that is not mapped to blocks and threads";
  auto isForeign = [](Type type) { return isa<TensorType, VectorType>(type); };
  if (llvm::any_of(op->getResultTypes(), isForeign) || llvm::any_of(op->getOperandTypes(), isForeign))
    return "works on tensors or vectors, which GPU kernels have not";
  return "";
}

namespace {

struct VerifyGPUKernelsPass : public dyn::impl::VerifyGPUKernelsPassBase<VerifyGPUKernelsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<mlir::gpu::GPUFuncOp>())
      kernel.walk([&](Operation *op) {
        StringRef fault = getFault(op);
        if (fault.empty())
          return;
        op->emitOpError() << fault << " (kernel '" << kernel.getName()
                          << "'); dyn-lower-kernels-to-gpu should have seen to that";
        signalPassFailure();
      });
  }
};

} // namespace
