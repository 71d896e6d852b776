//===- The end of an artefact -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Runtime/ArtefactSeal.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace dyn;

/// Finds the section of the weights, if there is one.
static llvm::Error findWeights(llvm::StringRef bytes, ArtefactSeal &seal) {
  auto file = llvm::object::ELF64LEFile::create(bytes);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    llvm::Expected<llvm::StringRef> name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != kWeightsSectionName)
      continue;
    seal.weightsOffset = section.sh_offset;
    seal.weightsBytes = section.sh_size;
  }
  return llvm::Error::success();
}

llvm::Error dyn::sealArtefact(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read the artefact: %s", buffer.getError().message().c_str());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  ArtefactSeal seal;
  seal.bytes = bytes.size();
  if (llvm::Error error = findWeights(bytes, seal))
    return error;
  auto add = [&](uint64_t &checksum, uint64_t begin, uint64_t end) {
    checksum = addToChecksum(checksum, bytes.data() + begin, end - begin);
    return true;
  };
  computeChecksum(seal, add, seal.checksum);

  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                          llvm::sys::fs::OF_Append);
  if (!code) {
    os.write(reinterpret_cast<const char *>(&seal), sizeof(seal));
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError("cannot write the artefact: %s", code.message().c_str());
  return llvm::Error::success();
}
