//===- Writing artefacts ----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ARTEFACT_ARTEFACT_H
#define DYN_TARGET_ARTEFACT_ARTEFACT_H

#include "dyn/Target/CUDA/Images.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace dyn {

/// What code is generated for.
struct CPUTarget {
  std::string triple;
  std::string name;                  ///< as people say it; what "native" stands for
  std::vector<std::string> features; ///< all that generated code may use beyond the base of the architecture
  unsigned vectorBits = 128;         ///< width of the widest vectors worth using
  int64_t l2Bytes = 256 * 1024;      ///< size of the second-level cache of a core, or a guess
  int64_t l1Ways = 8;                ///< lines 4096 bytes apart that the first-level cache holds, or a guess

  /// "native", or a name that LLVM knows: "x86-64-v3", "skylake-avx512", ...
  static llvm::Expected<CPUTarget> get(llvm::StringRef name);
  /// Several such names with commas between them; the one whose code may use most comes first. Refuses two that are the
  /// same.
  static llvm::Expected<std::vector<CPUTarget>> getList(llvm::StringRef names);
};

/// The code of a model for one kind of CPU: a module in the `llvm` dialect, with the entry points and the descriptor
/// that `dyn-lower-host` leaves.
struct ArtefactProgram {
  mlir::ModuleOp module;
  CPUTarget cpu;
};

struct ArtefactOptions {
  /// What relative paths of weights start from; empty: the working directory.
  std::string weightsDirectory;
  /// 0 to 3, as for a C compiler.
  unsigned optimization = 2;
  /// Of the same kernels for other devices; their bytes live until the artefact is written.
  std::vector<CUDAImage> images;
};

/// Turns programs of one model into a shared object that exports `dyn_artefact`; whoever loads it takes the first that
/// its CPU can run. Weights that lie in the same order for several are there once. A file at `path` is replaced without
/// further ado (see `OutputFile`).
llvm::Error writeArtefact(llvm::ArrayRef<ArtefactProgram> programs, const ArtefactOptions &options,
                          llvm::StringRef path);

/// What a context needs so that writeArtefact can translate modules of it.
void registerArtefactTranslations(mlir::DialectRegistry &registry);

} // namespace dyn

#endif // DYN_TARGET_ARTEFACT_ARTEFACT_H
