//===- What shows that an artefact is whole ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The system's loader trusts shared objects: one that is cut off, or that has
// holes where a copy was interrupted, ends the process. So an artefact ends with
// a seal, which the runtime looks at before the loader sees the file. Weights are
// left out: there are many, and they can't crash anything.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTEFACTSEAL_H
#define DYN_RUNTIME_ARTEFACTSEAL_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dyn {

/// The last bytes of an artefact; where they begin, a shared object without a seal ends.
struct ArtefactSeal {
  static constexpr uint64_t kMagic = 0x4c414553'4e5944ull; // "DYNSEAL"

  uint64_t magic = kMagic;
  uint64_t bytes = 0; ///< of the file before the seal
  uint64_t weightsOffset = 0, weightsBytes = 0;
  uint64_t checksum = 0; ///< of the file before the seal, without weights

  bool isPossible() const { return magic == kMagic && weightsOffset <= bytes && weightsBytes <= bytes - weightsOffset; }
};

/// Goes on with a checksum. A piece of a range of bytes that is not the last one has a multiple of 8.
inline uint64_t addToChecksum(uint64_t checksum, const char *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, data + i, bytes - i < sizeof(word) ? bytes - i : sizeof(word));
    checksum = (checksum ^ word) * 0x9e3779b97f4a7c15ull;
    checksum ^= checksum >> 32;
  }
  return checksum;
}

/// `add(checksum, begin, end)` goes on with the bytes [begin, end) of the file, and fails by returning false.
template <typename Add>
bool computeChecksum(const ArtefactSeal &seal, Add add, uint64_t &checksum) {
  checksum = seal.weightsOffset ^ (seal.weightsBytes << 1);
  return add(checksum, uint64_t(0), seal.weightsOffset) &&
         add(checksum, seal.weightsOffset + seal.weightsBytes, seal.bytes);
}

} // namespace dyn

#endif // DYN_RUNTIME_ARTEFACTSEAL_H
