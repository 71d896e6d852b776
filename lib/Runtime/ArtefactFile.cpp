//===- Is a file an artefact, and whole? --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ArtefactFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace dyn;

/// Not a mapping: a file that somebody cuts off meanwhile would end the process.
static bool readAt(int file, char *data, size_t bytes, uint64_t offset) {
  while (bytes) {
    ssize_t count = pread(file, data, bytes, off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    data += count;
    bytes -= size_t(count);
    offset += uint64_t(count);
  }
  return true;
}

std::string dyn::runtime::findDamage(int file, ArtefactSeal &seal) {
  struct stat status;
  if (fstat(file, &status))
    return std::strerror(errno);
  if (!S_ISREG(status.st_mode))
    return "it is not a regular file";
  char magic[4];
  if (!readAt(file, magic, sizeof(magic), 0) || std::memcmp(magic,
                                                            "\x7f"
                                                            "ELF",
                                                            sizeof(magic)))
    return "it is not a shared object";
  uint64_t size = uint64_t(status.st_size);
  if (size < sizeof(seal) || !readAt(file, reinterpret_cast<char *>(&seal), sizeof(seal), size - sizeof(seal)) ||
      seal.magic != ArtefactSeal::kMagic)
    return "it was not written by Dyn, or its end is missing";
  constexpr uint64_t kPiece = 1 << 16;
  std::vector<char> buffer(kPiece);
  uint64_t checksum;
  auto add = [&](uint64_t &checksum, uint64_t begin, uint64_t end) {
    for (uint64_t bytes; begin < end; begin += bytes) {
      bytes = std::min(kPiece, end - begin);
      if (!readAt(file, buffer.data(), size_t(bytes), begin))
        return false;
      checksum = addToChecksum(checksum, buffer.data(), size_t(bytes));
    }
    return true;
  };
  if (!seal.isPossible() || seal.bytes != size - sizeof(seal) || !computeChecksum(seal, add, checksum) ||
      checksum != seal.checksum)
    return "it is damaged: its contents are not those that were written";
  return "";
}
