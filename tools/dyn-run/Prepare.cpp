//===- From what the user gives to a loaded model -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "dyn/Dialect/Dyn/IR/SymbolOrigin.h"
#include "dyn/ExecutionEngine/DiagnosticText.h"
#include "dyn/Symbolic/Parser.h"
#include "dyn/Target/Files/TemporaryFile.h"
#include "dyn/Transforms/Shapes/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;
using namespace mlir;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, StringRef input, bool showsWarnings)
    : handler(&context, [this, input = input.str(), showsWarnings](Diagnostic &diagnostic) {
        bool isWarning = diagnostic.getSeverity() == DiagnosticSeverity::Warning;
        hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        llvm::raw_string_ostream stream(warnings);
        if (showsWarnings || !isWarning)
          printDiagnostic(isWarning ? static_cast<llvm::raw_ostream &>(stream) : llvm::errs(), input, diagnostic);
      }) {}

DiagnosticPrinter::~DiagnosticPrinter() {
  if (!hasErrors)
    llvm::errs() << warnings;
}

bool dyn::compileTo(StringRef input, StringRef output, const PrepareOptions &options) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  DiagnosticPrinter printer(context, input);
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
  llvm::outs() << "artefact " << path << "\n  symbols\n";
  symbolic::ParseError error;
  auto getInputName = [&](unsigned index) {
    const char *name = dynModelGetInput(model.get(), index).name;
    return std::string(name ? name : "");
  };
  auto getInputDim = [&](unsigned input, unsigned dim) -> std::string {
    DynTensorInfo info = dynModelGetInput(model.get(), input);
    return dim < info.rank ? info.dims[dim] : "";
  };
  if (auto symbols = symbolic::parseSymbolDeclarations(dynModelGetSymbolFacts(model.get()), error))
    for (const symbolic::SymbolDeclaration &symbol : *symbols)
      llvm::outs() << "    " << describeSymbol(symbol, {getInputName, getInputDim}) << '\n';
  llvm::outs() << "  guards\n";
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
  DiagnosticPrinter printer(context, input);
  SourceModule module(input, options.import, context);
  if (!module)
    return false;
  PassManager manager(&context, ModuleOp::getOperationName());
  addPhases(manager, Phase::Import, Phase::Shapes, {});
  manager.addPass(createPrintShapesPass());
  return succeeded(manager.run(module.get()));
}

LoadedModel dyn::prepareModel(StringRef input, const PrepareOptions &options) {
  std::string artefact = input.str();
  std::optional<TemporaryFile> temporary;
  if (llvm::sys::path::extension(input) != ".so") {
    llvm::Expected<TemporaryFile> file = TemporaryFile::createInSystemFolder("dyn-run-", ".so");
    if (!file) {
      llvm::errs() << llvm::toString(file.takeError()) << '\n';
      return nullptr;
    }
    temporary.emplace(std::move(*file));
    artefact = temporary->getPath().str();
    if (!compileTo(input, artefact, options))
      return nullptr;
  }
  DynModel *model = nullptr;
  if (dynModelLoad(artefact.c_str(), options.threads, &model)) {
    llvm::errs() << getLine(dynGetLastError()) << '\n';
    return nullptr;
  }
  return LoadedModel(model);
}
