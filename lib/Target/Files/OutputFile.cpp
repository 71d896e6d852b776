//===- Files that people name as outputs ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Files/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <climits>
#include <unistd.h>

using namespace dyn;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Replaces links by what they point to, which need not exist.
static std::error_code followLinks(llvm::SmallVectorImpl<char> &name) {
  // As many as the kernel follows.
  for (int i = 0; i < 40; ++i) {
    llvm::StringRef current(name.data(), name.size());
    if (!fs::is_symlink_file(current))
      return {};
    char buffer[PATH_MAX];
    ssize_t length = readlink(current.str().c_str(), buffer, sizeof(buffer));
    if (length < 0)
      return std::error_code(errno, std::generic_category());
    llvm::StringRef next(buffer, size_t(length));
    llvm::SmallString<128> resolved;
    if (path::is_relative(next))
      resolved = path::parent_path(current);
    path::append(resolved, next);
    name.assign(resolved.begin(), resolved.end());
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
}

/// A pipe that is open already has no name: what /proc says of it leads nowhere.
static bool isStream(fs::file_type type) {
  return type == fs::file_type::character_file || type == fs::file_type::block_file || type == fs::file_type::fifo_file;
}

bool dyn::isStream(llvm::StringRef path) {
  fs::file_status status;
  return !fs::status(path, status) && ::isStream(status.type());
}

bool dyn::isSameFile(llvm::StringRef path, llvm::StringRef other) {
  bool same;
  return !fs::equivalent(path, other, same) && same;
}

llvm::Error OutputFile::fail(std::error_code code) const {
  return llvm::createStringError(code, "cannot write '%s': %s", path.c_str(), code.message().c_str());
}

llvm::Expected<OutputFile> OutputFile::create(llvm::StringRef name) {
  OutputFile file;
  file.path = name.str();
  if (name.empty())
    return llvm::createStringError(std::errc::invalid_argument, "an output without a name cannot be written");
  fs::file_status status;
  std::error_code code = fs::status(name, status);
  if (code && code != std::errc::no_such_file_or_directory)
    return file.fail(code);
  if (!code && fs::is_directory(status))
    return file.fail(std::make_error_code(std::errc::is_a_directory));
  if (!code && status.type() == fs::file_type::socket_file)
    return llvm::createStringError(std::errc::invalid_argument, "cannot write '%s': it is a socket", file.path.c_str());
  file.isCopied = !code && ::isStream(status.type());
  file.target = name;
  if (file.isCopied) {
    if (std::error_code denied = fs::access(name, fs::AccessMode::Write))
      return file.fail(denied);
  } else if (std::error_code loop = followLinks(file.target)) {
    return file.fail(loop);
  }
  if (file.isCopied) {
    llvm::Expected<TemporaryFile> temporary = TemporaryFile::createInSystemFolder("dyn-", ".tmp");
    if (!temporary)
      return temporary.takeError();
    file.temporary.emplace(std::move(*temporary));
    return file;
  }
  // Its own name may be as long as names can be.
  llvm::SmallString<128> prefix = path::parent_path(file.target);
  path::append(prefix, ".dyn-");
  llvm::ErrorOr<TemporaryFile> temporary = TemporaryFile::create(prefix, ".tmp", fs::all_read | fs::all_write);
  if (!temporary)
    return file.fail(temporary.getError());
  file.temporary.emplace(std::move(*temporary));
  return file;
}

llvm::Error OutputFile::copyToTarget() const {
  auto buffer = llvm::MemoryBuffer::getFile(getTemporaryPath(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError());
  int descriptor;
  if (std::error_code code = fs::openFileForWrite(target, descriptor, fs::CD_OpenExisting, fs::OF_Append))
    return fail(code);
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << (*buffer)->getBuffer();
  os.close();
  std::error_code code = os.error();
  os.clear_error();
  return code ? fail(code) : llvm::Error::success();
}

llvm::Error OutputFile::commit() {
  if (isCopied)
    return copyToTarget();
  if (std::error_code code = temporary->keepAs(target))
    return fail(code);
  return llvm::Error::success();
}

std::unique_ptr<llvm::raw_fd_ostream> OutputFile::open(std::error_code &error) const {
  // Some file systems write a file that was truncated to the disk when it is closed, also if it was empty before.
  uint64_t size;
  bool isEmpty = !fs::file_size(getTemporaryPath(), size) && size == 0;
  return std::make_unique<llvm::raw_fd_ostream>(getTemporaryPath(), error,
                                                isEmpty ? fs::CD_OpenExisting : fs::CD_CreateAlways);
}

llvm::Error OutputFile::write(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  std::unique_ptr<llvm::raw_fd_ostream> os = open(code);
  if (code)
    return fail(code);
  write(*os);
  os->close();
  code = os->error();
  os->clear_error();
  return code ? fail(code) : llvm::Error::success();
}

llvm::Error dyn::writeOutputFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write(write))
    return error;
  return file->commit();
}
