//===- The steps from a module to a shared object ---------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H
#define DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H

#include "dyn/Target/Artefact/Artefact.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace dyn {

/// Translates to LLVM IR, with the exported table. Weights are declared only.
llvm::Expected<std::unique_ptr<llvm::Module>> translateArtefact(mlir::ModuleOp module, const ArtefactOptions &options,
                                                                llvm::LLVMContext &context);

/// Optimizes and writes an object file.
llvm::Error emitObject(llvm::Module &module, const ArtefactOptions &options, llvm::StringRef path);

/// Writes an object file that defines the module's weights, read from their files. False, and no file, if it has none.
llvm::Expected<bool> writeWeights(mlir::ModuleOp module, const ArtefactOptions &options, llvm::StringRef path);

/// The section that holds the weights and nothing else, in their object file and in the artefact.
inline constexpr llvm::StringLiteral kWeightsSectionName = ".dyn.weights";

/// Links object files into a shared object.
llvm::Error linkSharedObject(llvm::ArrayRef<llvm::StringRef> objectPaths, llvm::StringRef path);

/// Adds what shows later that the file is whole.
llvm::Error sealArtefact(llvm::StringRef path);

} // namespace dyn

#endif // DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H
