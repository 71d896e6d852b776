//===- Main becomes the entry points of an artefact -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "Plans.h"
#include "dyn/Conversion/HostToLLVM/Passes.h"
#include "dyn/Dialect/DynShape/IR/DynShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace dyn {
#define GEN_PASS_DEF_LOWERHOSTPASS
#include "dyn/Conversion/HostToLLVM/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {

/// The one function with a body that others may call: the program. Null, with a diagnostic, if there is not one.
func::FuncOp getMain(ModuleOp module) {
  func::FuncOp main;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal() || function->hasAttr(DynDialect::kKernelAttrName))
      continue;
    if (main) {
      function.emitOpError("is a second public function, after '") << main.getName() << "'; an artefact has one";
      return nullptr;
    }
    main = function;
  }
  if (!main)
    module.emitError("has no public function, so that there is nothing to run");
  return main;
}

/// Fails, with a diagnostic, for what other targets than CPUs leave.
LogicalResult verifyTarget(func::FuncOp main) {
  WalkResult result = main.walk([](mlir::gpu::LaunchFuncOp launch) {
    emitError(launch.getLoc()) << "kernels run on a GPU, for which there is no host program: 'target=cuda' ends with "
                                  "'to=target', and an artefact's program runs on the CPU";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

struct LowerHostPass : dyn::impl::LowerHostPassBase<LowerHostPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp main = getMain(module);
    if (!main || failed(verifyTarget(main)))
      return signalPassFailure();
    DenseSet<func::FuncOp> others(llvm::from_range, module.getOps<func::FuncOp>());
    host::Program program(main);
    host::HostCode code(main.getLoc(), &getContext());
    code.setInsertionPoint(main);
    if (failed(program.read()) || failed(host::emitCheckFunction(program, code)) ||
        failed(host::emitRunFunction(program, code)) || failed(host::emitScratchFunction(program, code)) ||
        failed(host::emitArenaFunction(program, code)) || failed(host::emitBuffersFunction(program, code)))
      return signalPassFailure();
    // Sizes of parts have much in common, and what follows takes its time for each op.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!others.contains(function))
        eliminateCommonSubExpressions(rewriter, dominance, function);
    module->setAttr(DynDialect::kDescriptorAttrName, code.getStringAttr(program.getDescriptor()));
    main.erase();
  }
};

} // namespace
