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

/// Translates the program at an index to LLVM IR, with its table. That of the first is the exported one and leads to
/// the others. Weights are declared only.
llvm::Expected<std::unique_ptr<llvm::Module>> translateProgram(llvm::ArrayRef<ArtefactProgram> programs, size_t index,
                                                               const ArtefactOptions &options,
                                                               llvm::LLVMContext &context);

/// Optimizes and writes an object file.
llvm::Error emitObject(llvm::Module &module, const CPUTarget &cpu, unsigned optimization, llvm::StringRef path);

/// The symbol of a weight of the program at an index.
std::string getWeightSymbol(llvm::StringRef name, size_t program);

/// Writes an object file that defines the weights of all programs, read from their files. False, and no file, if there
/// are none.
llvm::Expected<bool> writeWeights(llvm::ArrayRef<ArtefactProgram> programs, const ArtefactOptions &options,
                                  llvm::StringRef path);

/// The section that holds the weights and nothing else, in their object file and in the artefact.
inline constexpr llvm::StringLiteral kWeightsSectionName = ".dyn.weights";

/// Links object files into a shared object.
llvm::Error linkSharedObject(llvm::ArrayRef<llvm::StringRef> objectPaths, llvm::StringRef path);

/// Copies a shared object and adds what shows later that the file is whole. The copy may lie on large pages, which what
/// linkers write through small ones does not.
llvm::Error sealArtefact(llvm::StringRef sharedObject, llvm::StringRef path);

} // namespace dyn

#endif // DYN_LIB_TARGET_ARTEFACT_OBJECTCODE_H
