//===- dyn-translate --import-onnx --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ImportCommand.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Target/Files/OutputFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Where weights go, and what their paths are relative to. Beside a device or a pipe is no place for them.
static LogicalResult placeWeights(StringRef output, dyn::onnx::ImportOptions &options) {
  if (output == "-" || dyn::isStream(output))
    return success();
  SmallString<128> weights(output);
  llvm::sys::path::replace_extension(weights, "weights");
  if (weights == output || dyn::isSameFile(weights, output)) {
    llvm::errs() << "dyn-translate: -o " << output << ": weights go to '" << weights
                 << "', so the module needs another name\n";
    return failure();
  }
  options.outputs.push_back(output.str());
  options.weightsFile = weights.str().str();
  options.copyExternalData = true;
  options.moduleDirectory = llvm::sys::path::parent_path(output).str();
  if (options.moduleDirectory.empty())
    options.moduleDirectory = ".";
  return success();
}

bool dyn::runImport(StringRef model, StringRef output, onnx::ImportOptions options) {
  // Whether it can be written shows before the work.
  std::optional<dyn::OutputFile> file;
  if (output != "-") {
    llvm::Expected<dyn::OutputFile> created = OutputFile::create(output);
    if (!created) {
      llvm::errs() << "dyn-translate: " << llvm::toString(created.takeError()) << '\n';
      return false;
    }
    file.emplace(std::move(*created));
  }
  if (failed(placeWeights(output, options)))
    return false;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { printDiagnostic(llvm::errs(), model, diagnostic); });
  OwningOpRef<ModuleOp> module = onnx::importONNXFile(model, options, &context);
  if (!module)
    return false;
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  auto print = [&](raw_ostream &os) { module->print(os, flags); };
  if (!file) {
    print(llvm::outs());
    return true;
  }
  llvm::Error error = file->write(print);
  if (!error)
    error = file->commit();
  if (!error)
    return true;
  llvm::errs() << "dyn-translate: " << llvm::toString(std::move(error)) << '\n';
  return false;
}
