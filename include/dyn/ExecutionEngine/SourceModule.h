//===- Modules from files that people give -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EXECUTIONENGINE_SOURCEMODULE_H
#define DYN_EXECUTIONENGINE_SOURCEMODULE_H

#include "dyn/ExecutionEngine/Compiler.h"
#include "dyn/Target/Files/TemporaryFile.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>

namespace dyn {

/// A module from an .onnx or .mlir file that holds a program: one public function, of one block, whose inputs and
/// outputs are tensors with element types and names that the runtime can deal with. Weights of a model lie in a
/// temporary file, which goes with this. With `mayHaveSequences`, inputs and outputs may be sequences,
/// optionals and strings.
class SourceModule {
public:
  /// What is wrong with the file goes to the diagnostics of the context, and there is no module then. Inputs and
  /// outputs without a name get one.
  SourceModule(llvm::StringRef input, const onnx::ImportOptions &options, mlir::MLIRContext &context,
               bool mayHaveSequences = false);
  SourceModule(const SourceModule &) = delete;
  SourceModule &operator=(const SourceModule &) = delete;

  explicit operator bool() const { return static_cast<bool>(module); }
  mlir::ModuleOp get() { return *module; }
  mlir::func::FuncOp getProgram() { return program; }
  /// What relative paths of weights start from.
  llvm::StringRef getWeightsDirectory() const { return weightsDirectory; }

private:
  void checkProgram(bool mayHaveSequences);

  std::string weightsDirectory;
  std::optional<TemporaryFile> temporary; ///< weights
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp program;
};

/// Compiles an .onnx or .mlir file to the artefact `output`, which appears complete or not at all; for CUDA, to a
/// folder of images (`writeCUDAImages`). Fails after diagnostics of the context.
llvm::LogicalResult compileFile(llvm::StringRef input, llvm::StringRef output, const onnx::ImportOptions &import,
                                CompileOptions options, mlir::MLIRContext &context);

} // namespace dyn

#endif // DYN_EXECUTIONENGINE_SOURCEMODULE_H
