//===- From LLVM IR to an object file ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
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

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optimization) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::OptimizationLevel level = optimization == 0   ? llvm::OptimizationLevel::O0
                                  : optimization == 1 ? llvm::OptimizationLevel::O1
                                  : optimization == 2 ? llvm::OptimizationLevel::O2
                                                      : llvm::OptimizationLevel::O3;
  llvm::ModulePassManager passes =
      optimization == 0 ? builder.buildO0DefaultPipeline(level) : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

namespace {
/// Keeps the first error that the code generator or the assembler reports, instead of printing it or ending the
/// program.
struct KeepError : llvm::DiagnosticHandler {
  explicit KeepError(std::string &message) : message(message) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !message.empty())
      return true;
    llvm::raw_string_ostream os(message);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }
  std::string &message;
};
} // namespace

llvm::Error dyn::emitObject(llvm::Module &module, const CPUTarget &target, unsigned optimization,
                            llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(target, optimization);
  if (!machine)
    return machine.takeError();
  module.setDataLayout((*machine)->createDataLayout());
  std::string message;
  module.getContext().setDiagnosticHandler(std::make_unique<KeepError>(message));
  optimize(module, **machine, optimization);

  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return llvm::createStringError("cannot write '%s': %s", path.str().c_str(), code.message().c_str());
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("no object files can be written for '%s'", target.triple.c_str());
  passes.run(module);
  os.close();
  if (os.has_error()) {
    code = os.error();
    os.clear_error();
    return llvm::createStringError("cannot write '%s': %s", path.str().c_str(), code.message().c_str());
  }
  if (!message.empty())
    return llvm::createStringError("cannot generate code: %s", message.c_str());
  return llvm::Error::success();
}
