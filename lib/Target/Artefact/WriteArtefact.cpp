//===- From a module to a file -----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

using namespace dyn;

namespace {
/// A file between two steps, of a name that nobody else has.
class IntermediateFile {
public:
  /// Beside the artefact: where it fits, they are likely to as well.
  static llvm::Expected<IntermediateFile> create(llvm::StringRef artefact) {
    IntermediateFile file;
    if (std::error_code code = llvm::sys::fs::createUniqueFile(artefact + ".%%%%%%%%.o", file.path))
      return llvm::createStringError("cannot make a file beside the artefact: %s", code.message().c_str());
    llvm::sys::RemoveFileOnSignal(file.path);
    return file;
  }
  IntermediateFile(IntermediateFile &&other) : path(std::move(other.path)) { other.path.clear(); }
  ~IntermediateFile() {
    if (path.empty())
      return;
    llvm::sys::fs::remove(path);
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  llvm::StringRef getPath() const { return path; }

private:
  IntermediateFile() = default;
  llvm::SmallString<128> path;
};
} // namespace

llvm::Error dyn::writeArtefact(llvm::ArrayRef<ArtefactProgram> programs, const ArtefactOptions &options,
                               llvm::StringRef path) {
  llvm::Expected<IntermediateFile> weights = IntermediateFile::create(path);
  if (!weights)
    return weights.takeError();
  llvm::Expected<bool> hasWeights = writeWeights(programs, options, weights->getPath());
  if (!hasWeights)
    return hasWeights.takeError();
  std::vector<IntermediateFile> code;
  for (auto [index, program] : llvm::enumerate(programs)) {
    llvm::Expected<IntermediateFile> file = IntermediateFile::create(path);
    if (!file)
      return file.takeError();
    llvm::LLVMContext context;
    llvm::Expected<std::unique_ptr<llvm::Module>> translated = translateProgram(programs, index, options, context);
    if (!translated)
      return translated.takeError();
    if (llvm::Error error = emitObject(**translated, program.cpu, options.optimization, file->getPath()))
      return error;
    code.push_back(std::move(*file));
  }
  llvm::SmallVector<llvm::StringRef> objects;
  for (const IntermediateFile &file : code)
    objects.push_back(file.getPath());
  if (*hasWeights)
    objects.push_back(weights->getPath());
  if (llvm::Error error = linkSharedObject(objects, path))
    return error;
  return sealArtefact(path);
}
