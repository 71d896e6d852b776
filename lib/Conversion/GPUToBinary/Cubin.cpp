//===- Cubins from PTX ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Cubin.h"
#include "dyn/Target/Files/TemporaryFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;
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

static std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

llvm::Expected<std::string> dyn::gpu::assemblePtx(const CudaToolkit &toolkit, llvm::StringRef ptx, llvm::StringRef arch,
                                                  unsigned optimization) {
  llvm::SmallVector<TemporaryFile, 3> files;
  for (llvm::StringRef suffix : {".ptx", ".cubin", ".log"}) {
    llvm::Expected<TemporaryFile> file = TemporaryFile::createInSystemFolder("dyn-kernels-", suffix);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
  }
  llvm::StringRef source = files[0].getPath(), cubin = files[1].getPath(), log = files[2].getPath();
  std::error_code code;
  llvm::raw_fd_ostream os(source, code);
  os << ptx;
  os.close();
  if (code || os.has_error()) {
    os.clear_error();
    return llvm::createStringError("cannot write '%s'", source.str().c_str());
  }
  std::string target = ("--gpu-name=" + arch).str(), level = "-O" + std::to_string(std::min(optimization, 3u));
  llvm::StringRef arguments[] = {toolkit.ptxas, target, level, source, "-o", cubin};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), log, log};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(toolkit.ptxas, arguments, /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status != 0) {
    // One line: the first error of many.
    llvm::StringRef text(message);
    std::string printed = readFile(log);
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
  std::string bytes = readFile(cubin);
  if (!llvm::StringRef(bytes).starts_with(llvm::ELF::ElfMagic))
    return llvm::createStringError("'%s' makes no cubin for '%s', and does not say why", toolkit.ptxas.c_str(),
                                   arch.str().c_str());
  return bytes;
}
