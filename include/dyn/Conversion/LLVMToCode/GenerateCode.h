//===- Code from LLVM IR -----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_LLVMTOCODE_GENERATECODE_H
#define DYN_CONVERSION_LLVMTOCODE_GENERATECODE_H

#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class raw_pwrite_stream;
class TargetMachine;
} // namespace llvm

namespace dyn {

/// Optimizes a module for a machine and writes what its code generator makes of it. An error is the first one that
/// LLVM has of the module, instead of printing it or ending the program.
llvm::Error generateCode(llvm::Module &module, llvm::TargetMachine &machine, unsigned optimization,
                         llvm::CodeGenFileType type, llvm::raw_pwrite_stream &os);

} // namespace dyn

#endif // DYN_CONVERSION_LLVMTOCODE_GENERATECODE_H
