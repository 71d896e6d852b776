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
/// A file of a name that nobody else has, beside the artefact, so that renaming it is one step; gone at the end unless
/// it was given its name.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(const llvm::Twine &model) {
    TemporaryFile file;
    if (std::error_code code = llvm::sys::fs::createUniqueFile(model, file.path))
      return llvm::createStringError("cannot write '%s': %s", model.str().c_str(), code.message().c_str());
    llvm::sys::RemoveFileOnSignal(file.path);
    return file;
  }
  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) { other.path.clear(); }
  ~TemporaryFile() {
    if (path.empty())
      return;
    llvm::sys::fs::remove(path);
    llvm::sys::DontRemoveFileOnSignal(path);
  }
  llvm::StringRef getPath() const { return path; }
  llvm::Error renameTo(llvm::StringRef name) {
    if (std::error_code code = llvm::sys::fs::rename(path, name))
      return llvm::createStringError("cannot write '%s': %s", name.str().c_str(), code.message().c_str());
    llvm::sys::DontRemoveFileOnSignal(path);
    path.clear();
    return llvm::Error::success();
  }

private:
  TemporaryFile() = default;
  llvm::SmallString<128> path;
};
} // namespace

llvm::Error dyn::writeArtefact(mlir::ModuleOp module, const ArtefactOptions &options, llvm::StringRef name) {
  const std::string path = name.str();
  llvm::Expected<TemporaryFile> weights = TemporaryFile::create(path + ".%%%%%%%%.o");
  if (!weights)
    return weights.takeError();
  llvm::Expected<bool> hasWeights = writeWeights(module, options, weights->getPath());
  if (!hasWeights)
    return hasWeights.takeError();
  llvm::Expected<TemporaryFile> code = TemporaryFile::create(path + ".%%%%%%%%.o");
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
  llvm::Expected<TemporaryFile> shared = TemporaryFile::create(path + ".%%%%%%%%.so");
  if (!shared)
    return shared.takeError();
  llvm::SmallVector<llvm::StringRef, 2> objects{code->getPath()};
  if (*hasWeights)
    objects.push_back(weights->getPath());
  if (llvm::Error error = linkSharedObject(objects, shared->getPath()))
    return error;
  return shared->renameTo(path);
}
