//===- Modules from files that people give ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/ExecutionEngine/SourceModule.h"
#include "dyn/ExecutionEngine/CUDAImages.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dyn;
using namespace mlir;

SourceModule::SourceModule(StringRef input, const onnx::ImportOptions &options, MLIRContext &context) {
  if (llvm::sys::path::extension(input) == ".mlir") {
    module = parseSourceFile<ModuleOp>(input, &context);
    weightsDirectory = llvm::sys::path::parent_path(input).str();
    return;
  }
  SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("dyn", folder)) {
    mlir::emitError(UnknownLoc::get(&context)) << "can't make a temporary folder: " << error.message();
    return;
  }
  temporary = weightsDirectory = folder.str().str();
  onnx::ImportOptions import = options;
  import.moduleDirectory = temporary;
  import.weightsFile = temporary + "/model.weights";
  module = onnx::importONNXFile(input, import, &context);
}

SourceModule::~SourceModule() {
  if (!temporary.empty())
    llvm::sys::fs::remove_directories(temporary);
}

LogicalResult dyn::compileFile(StringRef input, StringRef output, const onnx::ImportOptions &import,
                               CompileOptions options, MLIRContext &context) {
  SourceModule module(input, import, context);
  if (!module)
    return failure();
  options.weightsDirectory = module.getWeightsDirectory().str();
  if (options.target == "cuda")
    return writeCUDAImages(module.get(), options, output);
  return compileModule(module.get(), options, output);
}
