//===- Files that weights are read from and written to -----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_WEIGHTFILE_H
#define DYN_LIB_TARGET_ONNX_WEIGHTFILE_H

#include "Model.h"
#include "dyn/Target/Files/OutputFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace dyn::onnx {

/// The external data of one model. Opens only regular files inside the model's folder: a model is data from elsewhere,
/// and must not make us read other files.
class ExternalFiles {
public:
  /// With an empty folder every access fails, as does that to a file which is an output.
  ExternalFiles(llvm::StringRef folder, std::vector<std::string> outputs)
      : folder(folder), outputs(std::move(outputs)) {}

  /// Fails if the location leaves the folder. The file need not exist.
  llvm::Error verifyLocation(const ExternalData &data) const;

  /// A part of a file, by its absolute path.
  struct View {
    std::string path;
    uint64_t offset;
    llvm::StringRef bytes;
  };
  /// The `length` bytes of a tensor.
  llvm::Expected<View> read(const ExternalData &data, uint64_t length);

  /// The real path of the file.
  llvm::Expected<std::string> resolve(const ExternalData &data) const;

private:
  std::string folder;
  std::vector<std::string> outputs;
  llvm::StringMap<std::string> resolved; ///< by location
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> buffers;
};

/// Writes weights one after the other, each at a multiple of 64 bytes. The file gets its name in `keep`; without that
/// nothing is left behind.
class WeightWriter {
public:
  explicit WeightWriter(llvm::StringRef path) : path(path) {}
  ~WeightWriter();

  const std::string &getPath() const { return path; }
  /// The offset at which the bytes stand.
  llvm::Expected<uint64_t> append(llvm::StringRef bytes);
  llvm::Error keep();

private:
  static constexpr uint64_t alignment = 64;

  std::string path;
  std::optional<OutputFile> file;
  std::unique_ptr<llvm::raw_fd_ostream> stream;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_WEIGHTFILE_H
