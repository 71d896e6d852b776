//===- GPU modules to images ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Cubin.h"
#include "Ptx.h"
#include "dyn/Conversion/GPUToBinary/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace dyn {
#define GEN_PASS_DEF_SERIALIZEGPUMODULESPASS
#include "dyn/Conversion/GPUToBinary/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn::gpu;

/// The architecture whose PTX most devices can run: the oldest; of those, one without features that only it has.
static StringRef getOldest(ArrayRef<std::string> archs) {
  auto rank = [](StringRef arch) {
    unsigned number = 0;
    bool isSpecific = arch.drop_front(3).consumeInteger(10, number) || !llvm::isDigit(arch.back());
    return std::pair(isSpecific, number);
  };
  return *llvm::min_element(archs, [&](StringRef a, StringRef b) { return rank(a) < rank(b); });
}

namespace {

struct SerializeGPUModulesPass : public dyn::impl::SerializeGPUModulesPassBase<SerializeGPUModulesPass> {
  using SerializeGPUModulesPassBase::SerializeGPUModulesPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeGPUModulesPassBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    SmallVector<std::string> targets(archs.begin(), archs.end());
    if (targets.empty())
      targets = {"sm_80", "sm_90"};
    auto modules = llvm::to_vector(getOperation().getOps<mlir::gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    auto refuse = [&](llvm::Error error) {
      getOperation().emitError() << llvm::toString(std::move(error));
      signalPassFailure();
    };
    for (StringRef arch : targets)
      if (llvm::Error error = checkArchitecture(arch))
        return refuse(std::move(error));
    llvm::Expected<CudaToolkit> toolkit = CudaToolkit::find(ptxas, libdevice);
    if (!toolkit)
      return refuse(toolkit.takeError());
    if (toolkit->ptxas.empty())
      emitRemark(getOperation().getLoc())
          << "there is no ptxas: the images are PTX for " << getOldest(targets)
          << ", which drivers compile on loading, without cubins for " << llvm::join(targets, ", ");
    for (mlir::gpu::GPUModuleOp module : modules)
      if (llvm::Error error = serialize(module, targets, *toolkit))
        return refuse(std::move(error));
  }

private:
  llvm::Error serialize(mlir::gpu::GPUModuleOp module, ArrayRef<std::string> targets, const CudaToolkit &toolkit) {
    OpBuilder builder(module);
    StringRef oldest = getOldest(targets);
    SmallVector<Attribute> objects;
    auto addObject = [&](StringRef arch, mlir::gpu::CompilationTarget format, StringRef bytes) {
      auto target = NVVM::NVVMTargetAttr::get(&getContext(), optimization, "nvptx64-nvidia-cuda", arch, "");
      return mlir::gpu::ObjectAttr::get(target, format, builder.getStringAttr(bytes));
    };
    for (StringRef arch : targets) {
      if (arch != oldest && toolkit.ptxas.empty())
        continue;
      llvm::Expected<std::string> ptx = translate(module, arch, toolkit);
      if (!ptx)
        return ptx.takeError();
      if (arch == oldest)
        objects.insert(objects.begin(), addObject(arch, mlir::gpu::CompilationTarget::Assembly, *ptx));
      if (toolkit.ptxas.empty())
        continue;
      llvm::Expected<std::string> cubin = assemblePtx(toolkit, *ptx, arch, optimization);
      if (!cubin)
        return cubin.takeError();
      objects.push_back(addObject(arch, mlir::gpu::CompilationTarget::Binary, *cubin));
      ++numCubins;
    }
    mlir::gpu::BinaryOp::create(builder, module.getLoc(), module.getName(), Attribute(), builder.getArrayAttr(objects));
    module.erase();
    return llvm::Error::success();
  }

  llvm::Expected<std::string> translate(mlir::gpu::GPUModuleOp module, StringRef arch, const CudaToolkit &toolkit) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, module.getName());
    if (!translated)
      return llvm::createStringError("cannot translate GPU module '%s' to LLVM IR", module.getName().str().c_str());
    if (llvm::Error error = linkLibdevice(*translated, toolkit.libdevice))
      return std::move(error);
    return emitPtx(*translated, arch, optimization);
  }
};

} // namespace
