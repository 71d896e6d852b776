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
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace dyn {

struct PrepareOptions {
  onnx::ImportOptions import;
  CompileOptions compile;
  unsigned threads = 0;
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
