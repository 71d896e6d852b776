//===- From what the user gives to a loaded model -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;
using namespace mlir;

static void printDiagnostic(StringRef input, Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    return;
  StringRef severity = diagnostic.getSeverity() == DiagnosticSeverity::Error ? "error: " : "";
  llvm::errs() << input << ": " << severity << diagnostic.str() << '\n';
}

bool dyn::compileFile(StringRef input, StringRef output, const PrepareOptions &options) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Warnings of the import would hide the one line of a failure.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      printDiagnostic(input, diagnostic);
  });
  CompileOptions compile = options.compile;
  OwningOpRef<ModuleOp> module;
  SmallString<128> scratch;
  auto removeScratch = llvm::make_scope_exit([&] {
    if (!scratch.empty())
      llvm::sys::fs::remove_directories(scratch);
  });
  if (llvm::sys::path::extension(input) == ".mlir") {
    module = parseSourceFile<ModuleOp>(input, &context);
    compile.weightsDirectory = llvm::sys::path::parent_path(input).str();
  } else {
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("dyn-run", scratch)) {
      llvm::errs() << "can't make a temporary folder: " << error.message() << '\n';
      return false;
    }
    onnx::ImportOptions import = options.import;
    import.moduleDirectory = scratch.str().str();
    import.weightsFile = (scratch + "/model.weights").str();
    compile.weightsDirectory = scratch.str().str();
    module = onnx::importONNXFile(input, import, &context);
  }
  return module && succeeded(compileModule(*module, compile, output));
}

LoadedModel dyn::prepareModel(StringRef input, const PrepareOptions &options) {
  std::string artefact = input.str();
  SmallString<128> temporary;
  auto removeTemporary = llvm::make_scope_exit([&] {
    if (!temporary.empty())
      llvm::sys::fs::remove(temporary);
  });
  if (llvm::sys::path::extension(input) != ".so") {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("dyn-run", "so", temporary)) {
      llvm::errs() << "can't make a temporary file: " << error.message() << '\n';
      return nullptr;
    }
    if (!compileFile(input, temporary, options))
      return nullptr;
    artefact = temporary.str().str();
  }
  DynModel *model = nullptr;
  if (dynModelLoad(artefact.c_str(), options.threads, &model)) {
    llvm::errs() << dynGetLastError() << '\n';
    return nullptr;
  }
  return LoadedModel(model);
}
