//===- CUDA images of a module ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_CUDA_IMAGES_H
#define DYN_TARGET_CUDA_IMAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace dyn {

/// PTX text or a cubin of one `gpu.binary`.
struct CUDAImage {
  std::string module, arch;
  bool isPtx;
  llvm::StringRef bytes; ///< lives as long as the context of the module

  llvm::StringRef getKind() const { return isPtx ? "ptx" : "cubin"; }
  /// "kernels.sm_80.ptx"
  std::string getFileName() const;
};

/// The images of all `gpu.binary` ops, in their order.
llvm::Expected<std::vector<CUDAImage>> getCUDAImages(mlir::ModuleOp module);

/// Writes each image to a file of its own in `folder`, which is made if need be. A file appears complete or not at all.
llvm::Error exportCUDAImages(mlir::ModuleOp module, llvm::StringRef folder);

} // namespace dyn

#endif // DYN_TARGET_CUDA_IMAGES_H
