//===- The contract of code ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelsToCPU/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYCODEPASS
#include "dyn/Conversion/KernelsToCPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;

namespace {

struct VerifyCode : dyn::impl::VerifyCodePassBase<VerifyCode> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (op == getOperation() || isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      auto diagnostic = op->emitOpError() << "is not in the llvm dialect";
      if (auto function = op->getParentOfType<LLVM::LLVMFuncOp>())
        diagnostic << ", in '" << function.getName() << "'";
      diagnostic << "; the conversions before should have seen to it";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
