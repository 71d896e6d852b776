//===- The end of an artefact -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Runtime/ArtefactSeal.h"
#include "dyn/Runtime/LargePages.h"
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

/// Gives the system a large page at a time, at its place in the file: it keeps on large pages what comes so. The copy
/// in between is all there when the system reads it; of a mapped file it would take only what was read before.
static void writeLargePages(llvm::StringRef bytes, llvm::raw_ostream &os) {
  std::vector<char> page;
  for (; !bytes.empty(); bytes = bytes.drop_front(page.size())) {
    page.assign(bytes.begin(), bytes.begin() + std::min(bytes.size(), kLargePageBytes));
    os.write(page.data(), page.size());
  }
}

llvm::Error dyn::sealArtefact(llvm::StringRef sharedObject, llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(sharedObject, /*IsText=*/false, /*RequiresNullTerminator=*/false);
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
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    writeLargePages(bytes, os);
    os.write(reinterpret_cast<const char *>(&seal), sizeof(seal));
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError("cannot write the artefact: %s", code.message().c_str());
  return llvm::Error::success();
}
