//===- From LLVM IR to an object file ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Conversion/LLVMToCode/GenerateCode.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

using namespace dyn;

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const CPUTarget &target,
                                                                                unsigned optimization) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Triple triple(target.triple);
  std::string message;
  const llvm::Target *generator = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!generator)
    return llvm::createStringError("no code generator for '%s': %s", target.triple.c_str(), message.c_str());
  // On x86 the features say all, so that code uses nothing that the artefact does not list.
  std::string cpu = triple.isX86() ? "x86-64" : target.name, features;
  for (const std::string &feature : target.features)
    features += (features.empty() ? "+" : ",+") + feature;
  llvm::CodeGenOptLevel level = optimization == 0   ? llvm::CodeGenOptLevel::None
                                : optimization == 1 ? llvm::CodeGenOptLevel::Less
                                : optimization == 2 ? llvm::CodeGenOptLevel::Default
                                                    : llvm::CodeGenOptLevel::Aggressive;
  std::unique_ptr<llvm::TargetMachine> machine(generator->createTargetMachine(
      triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!machine)
    return llvm::createStringError("cannot generate code for CPU '%s'", target.name.c_str());
  return machine;
}

llvm::Error dyn::emitObject(llvm::Module &module, const CPUTarget &target, unsigned optimization,
                            llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(target, optimization);
  if (!machine)
    return machine.takeError();
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return llvm::createStringError("cannot write '%s': %s", path.str().c_str(), code.message().c_str());
  llvm::Error error = generateCode(module, **machine, optimization, llvm::CodeGenFileType::ObjectFile, os);
  os.close();
  if (os.has_error()) {
    llvm::consumeError(std::move(error));
    code = os.error();
    os.clear_error();
    return llvm::createStringError("cannot write '%s': %s", path.str().c_str(), code.message().c_str());
  }
  if (error)
    return llvm::createStringError("cannot generate code: %s", llvm::toString(std::move(error)).c_str());
  return llvm::Error::success();
}
