//===- Files that go unless they are kept -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Files/TemporaryFile.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <csignal>

using namespace dyn;
namespace fs = llvm::sys::fs;

llvm::ErrorOr<TemporaryFile> TemporaryFile::create(llvm::StringRef prefix, llvm::StringRef suffix, unsigned mode) {
  std::error_code code;
  // As often as LLVM tries.
  for (int i = 0; i < 128; ++i) {
    llvm::SmallString<16> letters;
    fs::createUniquePath("%%%%%%%%%%%%", letters, /*MakeAbsolute=*/false);
    TemporaryFile file((prefix + letters + suffix).str());
    llvm::sys::RemoveFileOnSignal(file.path);
    int descriptor;
    code = fs::openFile(file.path, descriptor, fs::CD_CreateNew, fs::FA_Write, fs::OF_None, mode);
    if (!code) {
      llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
      return file;
    }
    // There is none, or another's.
    llvm::sys::DontRemoveFileOnSignal(file.path);
    file.path.clear();
    if (code != std::errc::file_exists)
      break;
  }
  return code;
}

llvm::Expected<TemporaryFile> TemporaryFile::createInSystemFolder(llvm::StringRef prefix, llvm::StringRef suffix) {
  llvm::SmallString<128> folder, path;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
  llvm::sys::path::append(path, folder, prefix);
  llvm::ErrorOr<TemporaryFile> file = create(path, suffix);
  if (!file)
    return llvm::createStringError(file.getError(), "cannot make a temporary file in '%s': %s", folder.c_str(),
                                   file.getError().message().c_str());
  return std::move(*file);
}

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  fs::remove(path);
  llvm::sys::DontRemoveFileOnSignal(path);
}

std::error_code TemporaryFile::keepAs(llvm::StringRef name) {
  if (std::error_code code = fs::rename(path, name))
    return code;
  llvm::sys::DontRemoveFileOnSignal(path);
  path.clear();
  return {};
}

void dyn::handleSignalsOfFiles() {
  signal(SIGXFSZ, SIG_IGN);
  // Whoever ignores the signal gets an error instead, where something is written.
  struct sigaction current;
  if (sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_IGN)
    return;
  // LLVM removes files at this signal only if there is a function for it, and that before the first file. When it is
  // called, the signal ends the process again.
  llvm::sys::SetOneShotPipeSignalFunction([] { raise(SIGPIPE); });
}
