//===- Files that hold constant data ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Weights/WeightFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace dyn;

llvm::Expected<MappedBytes> WeightFiles::get(llvm::StringRef file, uint64_t offset, uint64_t length) {
  llvm::SmallString<128> path(file);
  if (llvm::sys::path::is_relative(file) && !folder.empty()) {
    path = folder;
    llvm::sys::path::append(path, file);
  }
  std::shared_ptr<const llvm::MemoryBuffer> &mapping = mappings[path];
  if (!mapping) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return llvm::createStringError(buffer.getError(), "cannot read weights from '%s': %s", path.c_str(),
                                     buffer.getError().message().c_str());
    mapping = std::move(*buffer);
  }
  uint64_t size = mapping->getBufferSize();
  if (offset > size || length > size - offset)
    return llvm::createStringError(std::errc::invalid_argument,
                                   "weights at %llu, %llu bytes, exceed '%s', which has %llu bytes",
                                   static_cast<unsigned long long>(offset), static_cast<unsigned long long>(length),
                                   path.c_str(), static_cast<unsigned long long>(size));
  return MappedBytes{mapping, llvm::ArrayRef<char>(mapping->getBufferStart() + offset, length)};
}
