//===- From imported models to artefacts ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_EXECUTIONENGINE_COMPILER_H
#define DYN_EXECUTIONENGINE_COMPILER_H

#include "dyn/Pipelines/Pipelines.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class DialectRegistry;
class ModuleOp;
class PassManager;
} // namespace mlir

namespace dyn {

struct CompileOptions {
  /// "cpu" or "cuda".
  std::string target = "cpu";
  /// "native", or a name that LLVM knows; several with commas between them for one artefact that runs on all.
  std::string targetCPU = "native";
  /// For CUDA: such as "sm_80"; none: the default ones.
  std::vector<std::string> cudaArchitectures;
  /// For CUDA: the program; empty: that of the PATH, if there is one.
  std::string ptxas;
  /// What relative paths of weights in the module start from; empty: the working directory.
  std::string weightsDirectory;
  /// What the module has been through already.
  Phase from = Phase::Import;
  /// 0 to 3, as for a C compiler.
  unsigned optimization = 2;
  /// Check the contract of every phase. Costs little; finds the pass to blame.
  bool verify = true;
  /// Asked for each pass manager before it runs: a place to print IR or take times.
  std::function<void(mlir::PassManager &)> configure;
};

/// Compiles a module to the artefact `path`, an `OutputFile`: it appears complete or not at all. With the target "cuda"
/// it holds the images that writeCUDAImages writes beside the program, which runs on the CPU. The module is used up.
/// Fails after diagnostics at the ops, or at the module, that say why.
llvm::LogicalResult compileModule(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef path);

/// Compiles the kernels of a module for CUDA and writes them to files in `folder`, which is made if needed:
/// `kernels.sm_80.ptx` for the oldest architecture of the options, and `kernels.sm_80.cubin` for each where `ptxas` is
/// there. Each file appears complete or not at all. The module is used up. Fails after diagnostics.
llvm::LogicalResult writeCUDAImages(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef folder);

/// All that a context needs so that compileModule can work on modules of it.
void registerCompilerDialects(mlir::DialectRegistry &registry);

} // namespace dyn

#endif // DYN_EXECUTIONENGINE_COMPILER_H
