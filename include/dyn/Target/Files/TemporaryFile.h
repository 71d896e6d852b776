//===- Files that go unless they are kept -----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_FILES_TEMPORARYFILE_H
#define DYN_TARGET_FILES_TEMPORARYFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"

namespace dyn {

/// An empty file of a name that nobody else has, for this process and what it calls to fill. It goes at the end, and
/// where a signal ends the process, whenever that comes: its name is registered before the file exists.
class TemporaryFile {
public:
  /// `prefix`, which may lead through folders, random letters and `suffix` make the name.
  static llvm::ErrorOr<TemporaryFile> create(llvm::StringRef prefix, llvm::StringRef suffix,
                                             unsigned mode = llvm::sys::fs::owner_read | llvm::sys::fs::owner_write);
  /// In the folder for temporary files, which an error names.
  static llvm::Expected<TemporaryFile> createInSystemFolder(llvm::StringRef prefix, llvm::StringRef suffix);
  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) { other.path.clear(); }
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  llvm::StringRef getPath() const { return path; }
  /// Gives the file another name in one step; it stays under that one.
  std::error_code keepAs(llvm::StringRef name);

private:
  explicit TemporaryFile(llvm::StringRef path) : path(path) {}
  llvm::SmallString<128> path; ///< empty when the file is kept
};

/// Makes a broken pipe end this process as other signals do, without leaving temporary files, and a file beyond the
/// size that the process may write (`ulimit -f`) an error, as a full disk is one. For programs, before they make any
/// file; a library leaves these signals to the program that it is part of.
void handleSignalsOfFiles();

} // namespace dyn

#endif // DYN_TARGET_FILES_TEMPORARYFILE_H
