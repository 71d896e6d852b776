//===- dyn-translate --import-onnx --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ImportCommand.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static void printDiagnostic(StringRef model, Diagnostic &diagnostic) {
  StringRef severity = diagnostic.getSeverity() == DiagnosticSeverity::Error     ? "error"
                       : diagnostic.getSeverity() == DiagnosticSeverity::Warning ? "warning"
                                                                                 : "note";
  llvm::errs() << model << ": " << severity << ": ";
  diagnostic.print(llvm::errs());
  llvm::errs() << '\n';
}

/// Where weights go, and what their paths are relative to.
static void placeWeights(StringRef output, dyn::onnx::ImportOptions &options) {
  if (output == "-")
    return;
  SmallString<128> weights(output);
  llvm::sys::path::replace_extension(weights, "weights");
  options.weightsFile = weights.str().str();
  options.moduleDirectory = llvm::sys::path::parent_path(output).str();
  if (options.moduleDirectory.empty())
    options.moduleDirectory = ".";
}

/// Readers never see half a file.
static bool writeModule(ModuleOp module, StringRef output) {
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  if (output == "-") {
    module->print(llvm::outs(), flags);
    return true;
  }
  llvm::Error error = llvm::writeToOutput(output, [&](raw_ostream &os) {
    module->print(os, flags);
    return llvm::Error::success();
  });
  if (!error)
    return true;
  llvm::errs() << "can't write " << output << ": " << llvm::toString(std::move(error)) << '\n';
  return false;
}

bool dyn::runImport(StringRef model, StringRef output, onnx::ImportOptions options) {
  placeWeights(output, options);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { printDiagnostic(model, diagnostic); });
  OwningOpRef<ModuleOp> module = onnx::importONNXFile(model, options, &context);
  return module && writeModule(*module, output);
}
