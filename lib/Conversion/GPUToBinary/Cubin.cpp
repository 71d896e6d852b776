//===- Cubins from PTX ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Cubin.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn::gpu;

llvm::Expected<CudaToolkit> CudaToolkit::find(llvm::StringRef ptxas, llvm::StringRef libdevice) {
  CudaToolkit toolkit{ptxas.str(), libdevice.str()};
  if (!ptxas.empty() && !llvm::sys::fs::can_execute(ptxas))
    return llvm::createStringError("'%s' is no program that can be run as ptxas", toolkit.ptxas.c_str());
  if (!libdevice.empty() && !llvm::sys::fs::exists(libdevice))
    return llvm::createStringError("there is no libdevice '%s'", toolkit.libdevice.c_str());
  if (ptxas.empty())
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
      toolkit.ptxas = *found;
  if (libdevice.empty() && !toolkit.ptxas.empty()) {
    llvm::SmallString<128> path(llvm::sys::path::parent_path(llvm::sys::path::parent_path(toolkit.ptxas)));
    llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
    if (llvm::sys::fs::exists(path))
      toolkit.libdevice = path.str().str();
  }
  return toolkit;
}

namespace {
/// A file in the folder for temporary files, gone at the end.
struct ScratchFile {
  llvm::SmallString<128> path;
  llvm::FileRemover remover;

  ~ScratchFile() { llvm::sys::DontRemoveFileOnSignal(path); }

  llvm::Error create(llvm::StringRef suffix) {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("dyn-kernels", suffix, path))
      return llvm::createStringError("cannot make a temporary file: %s", error.message().c_str());
    remover.setFile(path);
    llvm::sys::RemoveFileOnSignal(path);
    return llvm::Error::success();
  }
};
} // namespace

static std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

llvm::Expected<std::string> dyn::gpu::assemblePtx(const CudaToolkit &toolkit, llvm::StringRef ptx, llvm::StringRef arch,
                                                  unsigned optimization) {
  ScratchFile source, cubin, log;
  if (llvm::Error error =
          llvm::joinErrors(llvm::joinErrors(source.create("ptx"), cubin.create("cubin")), log.create("log")))
    return std::move(error);
  std::error_code code;
  llvm::raw_fd_ostream os(source.path, code);
  os << ptx;
  os.close();
  if (code || os.has_error()) {
    os.clear_error();
    return llvm::createStringError("cannot write '%s'", source.path.c_str());
  }
  std::string target = ("--gpu-name=" + arch).str(), level = "-O" + std::to_string(std::min(optimization, 3u));
  llvm::StringRef arguments[] = {toolkit.ptxas, target, level, source.path, "-o", cubin.path};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), log.path.str(), log.path.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(toolkit.ptxas, arguments, /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status != 0) {
    // One line: the first error of many.
    llvm::StringRef text(message);
    std::string printed = readFile(log.path);
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(printed).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : lines)
      if (text.empty() || line.contains("error") || line.contains("fatal")) {
        text = line;
        break;
      }
    return llvm::createStringError("'%s' makes no cubin for '%s': %s", toolkit.ptxas.c_str(), arch.str().c_str(),
                                   text.str().c_str());
  }
  return readFile(cubin.path);
}
