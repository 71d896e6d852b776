//===- From what the user gives to a loaded model ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_PREPARE_H
#define DYN_TOOLS_DYN_RUN_PREPARE_H

#include "dyn-c/Runtime.h"
#include "dyn/ExecutionEngine/SourceModule.h"
#include "mlir/IR/Diagnostics.h"
#include <memory>

namespace dyn {

struct PrepareOptions {
  onnx::ImportOptions import;
  CompileOptions compile;
  unsigned threads = 0;
};

/// Prints what is said about `input` in `context` while it lives, a line each. Warnings come at the end, where no error
/// has left them behind; a file that is read twice needs them once.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::StringRef input, bool showsWarnings = true);
  ~DiagnosticPrinter();

private:
  std::string warnings;
  bool hasErrors = false;
  mlir::ScopedDiagnosticHandler handler;
};

struct FreeModel {
  void operator()(DynModel *model) const { dynModelFree(model); }
};
using LoadedModel = std::unique_ptr<DynModel, FreeModel>;

/// Compiles an .onnx or .mlir file to the artefact `output`. False after a line on standard error.
bool compileTo(llvm::StringRef input, llvm::StringRef output, const PrepareOptions &options);

/// Prints what the shapes phase finds out about a model, or what an artefact says of its inputs, outputs and guards.
/// False after a line on standard error.
bool printShapes(llvm::StringRef input, const PrepareOptions &options);

/// Loads an artefact, or compiles a model to a temporary one first, which is gone when this returns. Null after a line
/// on standard error.
LoadedModel prepareModel(llvm::StringRef input, const PrepareOptions &options);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_PREPARE_H
