//===- The steps from a module to a shared object ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H
#define DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H

#include "dyn/Target/Artefact/Artefact.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace dyn {

/// Translates to LLVM IR, with weights read from their files by the assembler, and the exported table.
llvm::Expected<std::unique_ptr<llvm::Module>> translateArtefact(mlir::ModuleOp module, const ArtefactOptions &options,
                                                                llvm::LLVMContext &context);

/// Optimizes and writes an object file.
llvm::Error emitObject(llvm::Module &module, const ArtefactOptions &options, llvm::StringRef path);

/// Links one object file into a shared object.
llvm::Error linkSharedObject(llvm::StringRef objectPath, llvm::StringRef path);

} // namespace dyn

#endif // DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H
