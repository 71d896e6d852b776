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

llvm::Error dyn::writeArtefact(mlir::ModuleOp module, const ArtefactOptions &options, llvm::StringRef path) {
  llvm::Expected<IntermediateFile> weights = IntermediateFile::create(path);
  if (!weights)
    return weights.takeError();
  llvm::Expected<bool> hasWeights = writeWeights(module, options, weights->getPath());
  if (!hasWeights)
    return hasWeights.takeError();
  llvm::Expected<IntermediateFile> code = IntermediateFile::create(path);
  if (!code)
    return code.takeError();
  {
    llvm::LLVMContext context;
    llvm::Expected<std::unique_ptr<llvm::Module>> translated = translateArtefact(module, options, context);
    if (!translated)
      return translated.takeError();
    if (llvm::Error error = emitObject(**translated, options, code->getPath()))
      return error;
  }
  llvm::SmallVector<llvm::StringRef, 2> objects{code->getPath()};
  if (*hasWeights)
    objects.push_back(weights->getPath());
  if (llvm::Error error = linkSharedObject(objects, path))
    return error;
  return sealArtefact(path);
}
