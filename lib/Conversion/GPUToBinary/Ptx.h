//===- PTX from LLVM IR -----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_GPUTOBINARY_PTX_H
#define DYN_LIB_CONVERSION_GPUTOBINARY_PTX_H

#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace dyn::gpu {

/// An error unless LLVM can generate code for this architecture.
llvm::Error checkArchitecture(llvm::StringRef arch);

/// Links what the module calls but does not define from the bitcode file `libdevice` (empty: there is none).
llvm::Error linkLibdevice(llvm::Module &module, llvm::StringRef libdevice);

/// Optimizes and translates. The architecture is one that `checkArchitecture` accepts.
llvm::Expected<std::string> emitPtx(llvm::Module &module, llvm::StringRef arch, unsigned optimization);

} // namespace dyn::gpu

#endif // DYN_LIB_CONVERSION_GPUTOBINARY_PTX_H
