//===- Files that hold constant data -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// `#dyn.weight` names bytes of a file. Files are mapped, not read: whoever needs
// the bytes shares one mapping, and pages that nobody touches are never loaded.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_WEIGHTS_WEIGHTFILES_H
#define DYN_TARGET_WEIGHTS_WEIGHTFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace dyn {

/// Bytes of a mapped file. `owner` keeps the mapping alive.
struct MappedBytes {
  std::shared_ptr<const llvm::MemoryBuffer> owner;
  llvm::ArrayRef<char> bytes;
};

/// The files that the weights of a module lie in. Not thread-safe.
class WeightFiles {
public:
  /// Relative paths are relative to `folder`; empty: to the working folder.
  explicit WeightFiles(llvm::StringRef folder = "") : folder(folder) {}

  /// Maps `file` at its first use. An error names the file and what is wrong with it.
  llvm::Expected<MappedBytes> get(llvm::StringRef file, uint64_t offset, uint64_t length);

private:
  std::string folder;
  llvm::StringMap<std::shared_ptr<const llvm::MemoryBuffer>> mappings;
};

} // namespace dyn

#endif // DYN_TARGET_WEIGHTS_WEIGHTFILES_H
