//===- Files that people name as outputs ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_FILES_OUTPUTFILE_H
#define DYN_TARGET_FILES_OUTPUTFILE_H

#include "dyn/Target/Files/TemporaryFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>

namespace llvm {
class raw_fd_ostream;
class raw_ostream;
} // namespace llvm

namespace dyn {

/// An output that appears at its place complete or not at all. It is written to a temporary file, which `commit` gives
/// its name in one step; without that the temporary file is gone at the end.
///
/// A regular file is replaced. A symbolic link stays, and what it points to is replaced. A device or a pipe stays as
/// well, and `commit` copies to it. Folders and sockets are refused. Messages name the path as it was given.
class OutputFile {
public:
  /// Fails where nothing can be written, before anybody has spent time on what to write.
  static llvm::Expected<OutputFile> create(llvm::StringRef path);

  /// A file that is there already, empty, to be written or replaced.
  llvm::StringRef getTemporaryPath() const { return temporary->getPath(); }
  /// Opens that file, empty.
  std::unique_ptr<llvm::raw_fd_ostream> open(std::error_code &error) const;
  /// Writes that file as a whole; others may do it as well.
  llvm::Error write(llvm::function_ref<void(llvm::raw_ostream &)> write);
  llvm::Error commit();

private:
  OutputFile() = default;
  llvm::Error fail(std::error_code code) const;
  llvm::Error copyToTarget() const;

  std::string path;              ///< as given
  llvm::SmallString<128> target; ///< what is replaced or written to: `path` without links
  std::optional<TemporaryFile> temporary;
  bool isCopied = false; ///< the target stays, and receives a copy
};

/// Creates, writes and commits a file.
llvm::Error writeOutputFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Is there something at `path` that stays when it is written to: a device or a pipe, perhaps behind links?
bool isStream(llvm::StringRef path);

/// Is there one file that both paths lead to?
bool isSameFile(llvm::StringRef path, llvm::StringRef other);

} // namespace dyn

#endif // DYN_TARGET_FILES_OUTPUTFILE_H
