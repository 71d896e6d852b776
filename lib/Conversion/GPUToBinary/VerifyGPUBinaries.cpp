//===- The contract of images --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/GPUToBinary/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/Twine.h"

namespace dyn {
#define GEN_PASS_DEF_VERIFYGPUBINARIESPASS
#include "dyn/Conversion/GPUToBinary/Passes.h.inc"
} // namespace dyn

using namespace mlir;

static constexpr StringLiteral kCulprit{"; 'dyn-serialize-gpu-modules' should have seen to it"};

static LogicalResult verifyBinary(mlir::gpu::BinaryOp binary) {
  bool isFirst = true;
  for (auto object : binary.getObjects().getAsRange<mlir::gpu::ObjectAttr>()) {
    StringRef bytes = object.getObject().getValue();
    bool isText = object.getFormat() == mlir::gpu::CompilationTarget::Assembly;
    if (isText != isFirst)
      return binary.emitOpError() << "should have PTX first and cubins behind it" << kCulprit;
    if (isText ? !bytes.contains(".version")
               : !bytes.starts_with("\x7f"
                                    "ELF"))
      return binary.emitOpError() << "has an image that is no " << (isText ? "PTX" : "ELF file") << kCulprit;
    isFirst = false;
  }
  return success();
}

static LogicalResult verifyLaunch(mlir::gpu::LaunchFuncOp launch, SymbolTable &symbols) {
  auto binary = symbols.lookup<mlir::gpu::BinaryOp>(launch.getKernelModuleName());
  if (!binary)
    return launch.emitOpError() << "needs the images '" << launch.getKernelModuleName() << "', which are not there"
                                << kCulprit;
  auto ptx = cast<mlir::gpu::ObjectAttr>(binary.getObjects()[0]).getObject().getValue();
  StringRef name = launch.getKernelName();
  if (ptx.contains((".entry " + name + "(").str()))
    return success();
  return launch.emitOpError() << "needs the kernel '" << name << "', which '" << binary.getName() << "' has not"
                              << kCulprit;
}

namespace {

struct VerifyGPUBinaries : dyn::impl::VerifyGPUBinariesPassBase<VerifyGPUBinaries> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &op : getOperation().getOps()) {
      if (isa<mlir::gpu::GPUModuleOp>(op)) {
        op.emitOpError() << "is no image yet" << kCulprit;
        return signalPassFailure();
      }
      if (auto binary = dyn_cast<mlir::gpu::BinaryOp>(op); binary && failed(verifyBinary(binary)))
        return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](mlir::gpu::LaunchFuncOp launch) {
      return failed(verifyLaunch(launch, symbols)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
