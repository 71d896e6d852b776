//===- From what the user gives to a loaded model -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;
using namespace mlir;

ErrorPrinter::ErrorPrinter(MLIRContext &context, StringRef input)
    : handler(&context, [input = input.str()](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          llvm::errs() << input << ": error: " << diagnostic.str() << '\n';
      }) {}

bool dyn::compileTo(StringRef input, StringRef output, const PrepareOptions &options) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ErrorPrinter printer(context, input);
  return succeeded(compileFile(input, output, options.import, options.compile, context));
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
    if (!compileTo(input, temporary, options))
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
