//===- PTX from LLVM IR ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"
#include "dyn/Conversion/LLVMToCode/GenerateCode.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

// The code generator for NVIDIA GPUs, which llvm/Support/TargetSelect.h offers only together with all others.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace dyn::gpu;

static llvm::Triple getTriple() { return llvm::Triple("nvptx64-nvidia-cuda"); }

static llvm::Expected<const llvm::Target *> getTarget() {
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(getTriple(), message);
  if (!target)
    return llvm::createStringError("this LLVM has no code generator for NVIDIA GPUs: %s", message.c_str());
  return target;
}

/// 90 of `sm_90a`.
static unsigned getNumber(llvm::StringRef arch) {
  unsigned number = 0;
  arch = arch.drop_front(3);
  (void)arch.consumeInteger(10, number);
  return number;
}

llvm::Error dyn::gpu::checkArchitecture(llvm::StringRef arch) {
  llvm::Expected<const llvm::Target *> target = getTarget();
  if (!target)
    return target.takeError();
  std::unique_ptr<llvm::MCSubtargetInfo> known((*target)->createMCSubtargetInfo(getTriple(), "", ""));
  if (!arch.starts_with("sm_") || !known->isCPUStringValid(arch))
    return llvm::createStringError("unknown CUDA architecture '%s': expected sm_80, sm_90 or another that LLVM knows",
                                   arch.str().c_str());
  // What LLVM cannot select for a device ends the program; from this one on it can select all that kernels have.
  constexpr unsigned oldest = 60;
  if (unsigned number = getNumber(arch); number < oldest)
    return llvm::createStringError("CUDA architecture '%s' is too old: kernels are for sm_%u and newer",
                                   arch.str().c_str(), oldest);
  return llvm::Error::success();
}

/// The first function of libdevice that is not defined, and a function that calls it.
static std::pair<llvm::Function *, llvm::Function *> findUndefined(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      for (llvm::User *user : function.users())
        if (auto *call = llvm::dyn_cast<llvm::Instruction>(user))
          return {&function, call->getFunction()};
  return {nullptr, nullptr};
}

llvm::Error dyn::gpu::linkLibdevice(llvm::Module &module, llvm::StringRef libdevice) {
  auto [needed, caller] = findUndefined(module);
  if (!needed)
    return llvm::Error::success();
  if (libdevice.empty())
    return llvm::createStringError("kernel '%s' needs the function '%s' of libdevice, which was not found: give the "
                                   "path of libdevice.10.bc",
                                   caller->getName().str().c_str(), needed->getName().str().c_str());
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::parseIRFile(libdevice, diagnostic, module.getContext());
  if (!library)
    return llvm::createStringError("cannot read libdevice '%s': %s", libdevice.str().c_str(),
                                   diagnostic.getMessage().str().c_str());
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded,
                                [](llvm::Module &linked, const llvm::StringSet<> &symbols) {
                                  llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
                                    return !value.hasName() || symbols.count(value.getName()) == 0;
                                  });
                                }))
    return llvm::createStringError("cannot link libdevice '%s'", libdevice.str().c_str());
  if (llvm::Function *missing = findUndefined(module).first)
    return llvm::createStringError("libdevice '%s' does not define '%s'", libdevice.str().c_str(),
                                   missing->getName().str().c_str());
  return llvm::Error::success();
}

llvm::Expected<std::string> dyn::gpu::emitPtx(llvm::Module &module, llvm::StringRef arch, unsigned optimization) {
  llvm::Expected<const llvm::Target *> target = getTarget();
  if (!target)
    return target.takeError();
  // Without features LLVM writes the oldest version of PTX that knows the architecture; for some, one without shuffles.
  llvm::StringRef features = getNumber(arch) < 70 ? "+ptx60" : "";
  std::unique_ptr<llvm::TargetMachine> machine((*target)->createTargetMachine(
      getTriple(), arch, features, llvm::TargetOptions(), std::nullopt, std::nullopt,
      optimization == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("cannot generate code for '%s'", arch.str().c_str());
  module.setTargetTriple(getTriple());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  if (llvm::Error error = generateCode(module, *machine, optimization, llvm::CodeGenFileType::AssemblyFile, os))
    return llvm::createStringError("cannot generate code for '%s': %s", arch.str().c_str(),
                                   llvm::toString(std::move(error)).c_str());
  return text.str().str();
}
