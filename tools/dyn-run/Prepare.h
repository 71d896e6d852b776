//===- From what the user gives to a loaded model ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_RUN_PREPARE_H
#define DYN_TOOLS_DYN_RUN_PREPARE_H

#include "dyn-c/Runtime.h"
#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace dyn {

struct PrepareOptions {
  onnx::ImportOptions import;
  CompileOptions compile;
  unsigned threads = 0;
};

/// A module from an .onnx or .mlir file. Weights of a model lie in a temporary folder, which goes with this.
class SourceModule {
public:
  /// Prints a line on standard error where there is nothing to read. Diagnostics go to the handlers of the context.
  SourceModule(llvm::StringRef input, const onnx::ImportOptions &options, mlir::MLIRContext &context);
  ~SourceModule();
  SourceModule(const SourceModule &) = delete;
  SourceModule &operator=(const SourceModule &) = delete;

  explicit operator bool() const { return static_cast<bool>(module); }
  mlir::ModuleOp get() { return *module; }
  /// What relative paths of weights start from.
  llvm::StringRef getWeightsDirectory() const { return weightsDirectory; }

private:
  std::string weightsDirectory, temporary;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Prints errors that arise in `context` while it lives, a line each; warnings of the import would hide them.
class ErrorPrinter {
public:
  ErrorPrinter(mlir::MLIRContext &context, llvm::StringRef input);

private:
  mlir::ScopedDiagnosticHandler handler;
};

struct FreeModel {
  void operator()(DynModel *model) const { dynModelFree(model); }
};
using LoadedModel = std::unique_ptr<DynModel, FreeModel>;

/// Compiles an .onnx or .mlir file to the artefact `output`. False after a line on standard error.
bool compileFile(llvm::StringRef input, llvm::StringRef output, const PrepareOptions &options);

/// Loads an artefact, or compiles a model to a temporary one first, which is gone when this returns. Null after a line
/// on standard error.
LoadedModel prepareModel(llvm::StringRef input, const PrepareOptions &options);

} // namespace dyn

#endif // DYN_TOOLS_DYN_RUN_PREPARE_H
