//===- Cubins from PTX ------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_GPUTOBINARY_CUBIN_H
#define DYN_LIB_CONVERSION_GPUTOBINARY_CUBIN_H

#include "llvm/Support/Error.h"
#include <string>

namespace dyn::gpu {

/// Programs and files of a CUDA toolkit; empty where there are none.
struct CudaToolkit {
  std::string ptxas, libdevice;

  /// Those given, which must exist, or else those that are found: ptxas in PATH, libdevice in the toolkit of ptxas.
  static llvm::Expected<CudaToolkit> find(llvm::StringRef ptxas, llvm::StringRef libdevice);
};

/// Runs ptxas.
llvm::Expected<std::string> assemblePtx(const CudaToolkit &toolkit, llvm::StringRef ptx, llvm::StringRef arch,
                                        unsigned optimization);

} // namespace dyn::gpu

#endif // DYN_LIB_CONVERSION_GPUTOBINARY_CUBIN_H
