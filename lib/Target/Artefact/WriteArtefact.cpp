//===- From a module to a file -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Target/Files/TemporaryFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace dyn;

/// A file between two steps. Beside the artefact: where it fits, they are likely to as well.
static llvm::Expected<TemporaryFile> createIntermediateFile(llvm::StringRef artefact, llvm::StringRef suffix = ".o") {
  llvm::ErrorOr<TemporaryFile> file = TemporaryFile::create((artefact + ".").str(), suffix);
  if (!file)
    return llvm::createStringError("cannot make a file beside the artefact: %s", file.getError().message().c_str());
  return std::move(*file);
}

/// A shared object without a seal. What it was made of is gone afterwards.
static llvm::Expected<TemporaryFile> linkPrograms(llvm::ArrayRef<ArtefactProgram> programs,
                                                  const ArtefactOptions &options, llvm::StringRef path) {
  llvm::Expected<TemporaryFile> weights = createIntermediateFile(path);
  if (!weights)
    return weights.takeError();
  llvm::Expected<bool> hasWeights = writeWeights(programs, options, weights->getPath());
  if (!hasWeights)
    return hasWeights.takeError();
  std::vector<TemporaryFile> code;
  for (auto [index, program] : llvm::enumerate(programs)) {
    llvm::Expected<TemporaryFile> file = createIntermediateFile(path);
    if (!file)
      return file.takeError();
    llvm::LLVMContext context;
    llvm::Expected<std::unique_ptr<llvm::Module>> translated = translateProgram(programs, index, options, context);
    if (!translated)
      return translated.takeError();
    if (llvm::Error error = emitObject(**translated, program.cpu, options.optimization, file->getPath()))
      return std::move(error);
    code.push_back(std::move(*file));
  }
  llvm::SmallVector<llvm::StringRef> objects;
  for (const TemporaryFile &file : code)
    objects.push_back(file.getPath());
  if (*hasWeights)
    objects.push_back(weights->getPath());
  llvm::Expected<TemporaryFile> linked = createIntermediateFile(path, ".so");
  if (!linked)
    return linked.takeError();
  if (llvm::Error error = linkSharedObject(objects, linked->getPath()))
    return std::move(error);
  return linked;
}

llvm::Error dyn::writeArtefact(llvm::ArrayRef<ArtefactProgram> programs, const ArtefactOptions &options,
                               llvm::StringRef path) {
  llvm::Expected<TemporaryFile> linked = linkPrograms(programs, options, path);
  if (!linked)
    return linked.takeError();
  return sealArtefact(linked->getPath(), path);
}
