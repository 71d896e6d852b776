//===- From what the user gives to a loaded model -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;
using namespace mlir;

ErrorPrinter::ErrorPrinter(MLIRContext &context, StringRef input)
    : handler(&context, [input = input.str()](Diagnostic &diagnostic) {
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        if (!isError && diagnostic.getSeverity() != DiagnosticSeverity::Remark)
          return;
        llvm::errs() << input;
        std::string text = diagnostic.str();
        auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
        if (place && place.getLine())
          llvm::errs() << ':' << place.getLine() << ':' << place.getColumn();
        else
          text = getNodePrefix(diagnostic.getLocation(), text) + text;
        llvm::errs() << (isError ? ": error: " : ": note: ") << getLine(text) << '\n';
      }) {}

bool dyn::compileTo(StringRef input, StringRef output, const PrepareOptions &options) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ErrorPrinter printer(context, input);
  return succeeded(compileFile(input, output, options.import, options.compile, context));
}

/// `name  [B, S]` for each input or output.
template <typename Get>
static void printPorts(StringRef title, size_t count, Get get) {
  llvm::outs() << "  " << title << '\n';
  for (size_t i = 0; i < count; ++i) {
    DynTensorInfo info = get(i);
    llvm::outs() << "    " << info.name << "  [";
    llvm::interleaveComma(llvm::ArrayRef(info.dims, info.rank), llvm::outs());
    llvm::outs() << "]\n";
  }
}

static bool printArtefact(StringRef path, const PrepareOptions &options) {
  LoadedModel model = prepareModel(path, options);
  if (!model)
    return false;
  llvm::outs() << "artefact " << path << "\n  symbols\n    " << dynModelGetSymbolFacts(model.get()) << "\n  guards\n";
  SmallVector<StringRef> lines;
  StringRef(dynModelGetGuards(model.get())).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    SmallVector<StringRef, 3> fields;
    line.split(fields, '\t');
    llvm::outs() << "    " << fields[0] << "  (" << fields[1] << (fields[2].empty() ? "" : ", node ") << fields[2]
                 << ")\n";
  }
  printPorts("inputs", dynModelGetNumInputs(model.get()), [&](size_t i) { return dynModelGetInput(model.get(), i); });
  printPorts("outputs", dynModelGetNumOutputs(model.get()),
             [&](size_t i) { return dynModelGetOutput(model.get(), i); });
  if (size_t numImages = dynModelGetNumImages(model.get())) {
    llvm::outs() << "  images\n";
    for (size_t i = 0; i < numImages; ++i) {
      DynImageInfo image = dynModelGetImage(model.get(), i);
      llvm::outs() << "    " << image.kind << "  " << image.arch << ", module " << image.module << ", " << image.bytes
                   << " bytes\n";
    }
  }
  return true;
}

bool dyn::printShapes(StringRef input, const PrepareOptions &options) {
  if (llvm::sys::path::extension(input) == ".so")
    return printArtefact(input, options);
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ErrorPrinter printer(context, input);
  SourceModule module(input, options.import, context);
  if (!module)
    return false;
  PassManager manager(&context, ModuleOp::getOperationName());
  addPhases(manager, Phase::Import, Phase::Shapes, {});
  manager.addNestedPass<func::FuncOp>(createPrintShapesPass());
  return succeeded(manager.run(module.get()));
}

LoadedModel dyn::prepareModel(StringRef input, const PrepareOptions &options) {
  std::string artefact = input.str();
  SmallString<128> temporary;
  auto removeTemporary = llvm::make_scope_exit([&] {
    if (temporary.empty())
      return;
    llvm::sys::fs::remove(temporary);
    llvm::sys::DontRemoveFileOnSignal(temporary);
  });
  if (llvm::sys::path::extension(input) != ".so") {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("dyn-run", "so", temporary)) {
      llvm::errs() << "can't make a temporary file: " << error.message() << '\n';
      return nullptr;
    }
    llvm::sys::RemoveFileOnSignal(temporary);
    if (!compileTo(input, temporary, options))
      return nullptr;
    artefact = temporary.str().str();
  }
  DynModel *model = nullptr;
  if (dynModelLoad(artefact.c_str(), options.threads, &model)) {
    llvm::errs() << getLine(dynGetLastError()) << '\n';
    return nullptr;
  }
  return LoadedModel(model);
}
