//===- Code from LLVM IR -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/LLVMToCode/GenerateCode.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

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
  llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min(optimization, 3u)];
  llvm::ModulePassManager passes =
      optimization == 0 ? builder.buildO0DefaultPipeline(level) : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

llvm::Error dyn::generateCode(llvm::Module &module, llvm::TargetMachine &machine, unsigned optimization,
                              llvm::CodeGenFileType type, llvm::raw_pwrite_stream &os) {
  std::string message;
  llvm::LLVMContext &context = module.getContext();
  std::unique_ptr<llvm::DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<KeepError>(message));
  auto restore = llvm::make_scope_exit([&] { context.setDiagnosticHandler(std::move(before)); });
  module.setDataLayout(machine.createDataLayout());
  optimize(module, machine, optimization);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, type))
    return llvm::createStringError("this LLVM writes no such code");
  passes.run(module);
  return message.empty() ? llvm::Error::success() : llvm::createStringError(message);
}
