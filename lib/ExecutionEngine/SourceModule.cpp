//===- Modules from files that people give ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/SourceModule.h"
#include "Program.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Target/Files/OutputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"

using namespace dyn;
using namespace mlir;

/// Says of ops that nobody knows that they are unknown, instead of how other programs can be made to accept them.
static OwningOpRef<ModuleOp> parse(StringRef path, MLIRContext &context) {
  context.loadDialect<DynDialect, func::FuncDialect>();
  bool allowed = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  context.allowUnregisteredDialects(allowed);
  if (!module)
    return {};
  WalkResult result = module->walk([](Operation *op) {
    if (op->isRegistered())
      return WalkResult::advance();
    mlir::emitError(op->getLoc()) << "unknown op '" << op->getName()
                                  << "': programs are made of ops of the dialect dyn";
    return WalkResult::interrupt();
  });
  return result.wasInterrupted() ? OwningOpRef<ModuleOp>() : std::move(module);
}

SourceModule::SourceModule(StringRef input, const onnx::ImportOptions &options, MLIRContext &context,
                           bool mayHaveSequences) {
  if (llvm::sys::path::extension(input) == ".mlir") {
    weightsDirectory = options.dataDirectory.value_or(llvm::sys::path::parent_path(input).str());
    module = parse(input, context);
    checkProgram(mayHaveSequences);
    return;
  }
  // A file and no folder: it goes where a signal ends the process.
  llvm::Expected<TemporaryFile> file = TemporaryFile::createInSystemFolder("dyn-model-", ".weights");
  if (!file) {
    mlir::emitError(UnknownLoc::get(&context)) << llvm::toString(file.takeError());
    return;
  }
  temporary.emplace(std::move(*file));
  weightsDirectory = llvm::sys::path::parent_path(temporary->getPath()).str();
  onnx::ImportOptions import = options;
  import.moduleDirectory = weightsDirectory;
  import.weightsFile = temporary->getPath().str();
  module = onnx::importONNXFile(input, import, &context);
  checkProgram(mayHaveSequences);
}

void SourceModule::checkProgram(bool mayHaveSequences) {
  if (!module)
    return;
  program = findProgram(*module, mayHaveSequences);
  if (!program)
    module = nullptr;
}

static bool readsWeightsFrom(SourceModule &source, StringRef file) {
  WalkResult result = source.get()->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto weight = dyn_cast<WeightAttr>(attribute.getValue())) {
        SmallString<128> path(weight.getFile());
        if (llvm::sys::path::is_relative(path)) {
          path = source.getWeightsDirectory();
          llvm::sys::path::append(path, weight.getFile());
        }
        if (isSameFile(path, file))
          return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult dyn::compileFile(StringRef input, StringRef output, const onnx::ImportOptions &import,
                               CompileOptions options, MLIRContext &context) {
  auto refuse = [&](const Twine &message) -> LogicalResult {
    return emitError(FileLineColLoc::get(&context, llvm::sys::path::filename(input), 0, 0)) << message;
  };
  if (isSameFile(input, output))
    return refuse("the output '" + output + "' is the model itself");
  onnx::ImportOptions importOptions = import;
  importOptions.outputs.push_back(output.str());
  // The artefact gets all weights before this is over.
  importOptions.referToModel = true;
  SourceModule module(input, importOptions, context);
  if (!module)
    return failure();
  if (readsWeightsFrom(module, output))
    return refuse("the output '" + output + "' holds weights of the model");
  options.weightsDirectory = module.getWeightsDirectory().str();
  if (failed(verifyIsAlone(module.getProgram())))
    return failure();
  // An artefact is one file; what else people name is a folder for files.
  if (options.target == "cuda" && llvm::sys::path::extension(output) != ".so")
    return writeCUDAImages(module.get(), options, output);
  return compileModule(module.get(), options, output);
}
