//===- Files that weights are read from and written to ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "WeightFile.h"
#include "dyn/Target/ONNX/ExternalData.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dyn;
using namespace dyn::onnx;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

Error ExternalFiles::verifyLocation(const ExternalData &data) const {
  if (!data.error.empty())
    return llvm::createStringError("external data: " + data.error);
  StringRef location = data.location;
  // Both kinds of separators and roots: a file may come from another system.
  bool absolute =
      path::is_absolute(location) || path::is_absolute(location, path::Style::windows) || location.starts_with("\\");
  if (absolute)
    return llvm::createStringError("external data " + quoteName(location) + " has an absolute path");
  if (location.contains('\0'))
    return llvm::createStringError("external data " + quoteName(location) + " is no path");
  for (auto style : {path::Style::posix, path::Style::windows})
    for (auto part = path::begin(location, style); part != path::end(location); ++part)
      if (*part == "..")
        return llvm::createStringError("external data " + quoteName(location) + " lies outside the model's folder");
  return Error::success();
}

Expected<std::string> ExternalFiles::resolve(const ExternalData &data) const {
  if (Error error = verifyLocation(data))
    return std::move(error);
  if (folder.empty())
    return llvm::createStringError("external data " + quoteName(data.location) +
                                   " is not available: the model was given without the folder that it lies in");
  llvm::SmallString<256> root, file, joined(folder);
  path::append(joined, data.location);
  if (std::error_code error = fs::real_path(folder, root))
    return llvm::createStringError("folder " + quoteName(folder) + ": " + error.message());
  if (std::error_code error = fs::real_path(joined, file))
    return llvm::createStringError("external data " + quoteName(joined) + ": " + error.message());
  if (fs::is_directory(file))
    return llvm::createStringError("external data " + quoteName(data.location) + " is a folder, not a file");
  StringRef inside = file;
  if (!inside.consume_front(root) || !(root.ends_with("/") || inside.starts_with("/")))
    return llvm::createStringError("external data " + quoteName(data.location) +
                                   " is a link that leaves the model's folder");
  if (!fs::is_regular_file(file))
    return llvm::createStringError("external data " + quoteName(joined) + " is not a regular file");
  for (const std::string &output : outputs)
    if (isSameFile(file, output))
      return llvm::createStringError("external data " + quoteName(data.location) +
                                     " would be overwritten by the output " + quoteName(output));
  return file.str().str();
}

Expected<std::string> dyn::onnx::findExternalFile(StringRef folder, StringRef location) {
  ExternalFiles files(folder.empty() ? "." : folder, {});
  ExternalData data;
  data.location = location.str();
  if (Error error = files.verifyLocation(data))
    return std::move(error);
  llvm::SmallString<256> joined(folder);
  path::append(joined, location);
  if (!fs::exists(joined))
    return std::string();
  return files.resolve(data);
}

Expected<ExternalFiles::View> ExternalFiles::read(const ExternalData &data, uint64_t length) {
  std::string &file = resolved[data.location];
  if (file.empty()) {
    Expected<std::string> found = resolve(data);
    if (!found)
      return found.takeError();
    file = std::move(*found);
  }
  std::unique_ptr<llvm::MemoryBuffer> &buffer = buffers[file];
  if (!buffer) {
    auto opened = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!opened)
      return llvm::createStringError("external data " + quoteName(data.location) + ": " + opened.getError().message());
    buffer = std::move(*opened);
  }
  if (data.length && *data.length != length)
    return llvm::createStringError("external data " + quoteName(data.location) + " is declared with " +
                                   std::to_string(*data.length) + " bytes instead of the " + std::to_string(length) +
                                   " that its type needs");
  uint64_t size = buffer->getBufferSize();
  if (data.offset > size || length > size - data.offset)
    return llvm::createStringError("external data " + quoteName(data.location) + " holds " + std::to_string(size) +
                                   " bytes, too few for " + std::to_string(length) + " bytes at offset " +
                                   std::to_string(data.offset));
  return View{file, data.offset, buffer->getBuffer().substr(data.offset, length)};
}

WeightWriter::~WeightWriter() {
  if (!stream)
    return;
  stream->close();
  stream->clear_error();
}

static Error writeFailed(StringRef path, std::error_code error) {
  return llvm::createStringError("cannot write " + quoteName(path) + ": " + error.message());
}

Expected<uint64_t> WeightWriter::append(StringRef bytes) {
  if (!stream) {
    Expected<OutputFile> created = OutputFile::create(path);
    if (!created)
      return created.takeError();
    file.emplace(std::move(*created));
    std::error_code error;
    stream = file->open(error);
    if (error)
      return writeFailed(path, error);
  }
  stream->write_zeros(static_cast<unsigned>(llvm::offsetToAlignment(stream->tell(), llvm::Align(alignment))));
  uint64_t offset = stream->tell();
  *stream << bytes;
  if (std::error_code error = stream->error())
    return writeFailed(path, error);
  return offset;
}

Error WeightWriter::keep() {
  if (!stream)
    return Error::success();
  stream->close();
  if (std::error_code error = stream->error())
    return writeFailed(path, error);
  stream.reset();
  return file->commit();
}
