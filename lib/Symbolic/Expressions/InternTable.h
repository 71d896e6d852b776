//===- Nodes by their content --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_INTERNTABLE_H
#define DYN_LIB_SYMBOLIC_INTERNTABLE_H

#include "llvm/ADT/SmallVector.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dyn::symbolic {

/// A set of nodes, each the only one with its content. `Traits` has a `Node`, the `Key` that its content is, `getKey`
/// and `hash`. Hashes stand beside the nodes: neither a search that passes other nodes nor growth reads them, and one
/// that fails tells where the new node goes.
///
/// Extendible hashing (Fagin et al., 1979): the first bits of a hash lead to a shard, and a full one is divided in two,
/// so that no node takes the time of moving all others.
template <typename Traits>
class InternTable {
public:
  using Node = typename Traits::Node;
  using Key = typename Traits::Key;

  /// The node with that content, else the one that `create` makes, which leaves the table alone.
  template <typename Create>
  const Node *get(const Key &key, Create create) {
    uint32_t hash = getHash(key);
    Shard *shard = &shards[getShard(hash)];
    while (shard->count >= shard->hashes.size() / 7 * 6) {
      makeRoom(getShard(hash));
      shard = &shards[getShard(hash)];
    }
    size_t place = find(*shard, key, hash);
    if (!shard->nodes[place]) {
      shard->put(place, hash, create());
      ++count;
    }
    return shard->nodes[place];
  }
  bool contains(const Key &key) const {
    uint32_t hash = getHash(key);
    const Shard &shard = shards[getShard(hash)];
    return shard.count > 0 && shard.nodes[find(shard, key, hash)];
  }
  size_t size() const { return count; }

private:
  static constexpr uint32_t noHash = 0;
  struct Shard {
    std::vector<uint32_t> hashes; ///< `noHash` where there is no node
    std::vector<const Node *> nodes;
    size_t count = 0;
    unsigned bits = 0; ///< of hashes, which all its nodes share

    Shard() = default;
    Shard(size_t size, unsigned bits) : hashes(size, noHash), nodes(size, nullptr), bits(bits) {}
    /// Any size will do, not powers of two only: less room is left empty.
    size_t getFirstPlace(uint32_t hash) const { return uint64_t(hash << bits) * hashes.size() >> 32; }
    size_t getNextPlace(size_t place) const { return place + 1 == hashes.size() ? 0 : place + 1; }
    void put(size_t place, uint32_t hash, const Node *node) {
      hashes[place] = hash;
      nodes[place] = node;
      ++count;
    }
    /// One that is not there.
    void add(uint32_t hash, const Node *node) {
      size_t place = getFirstPlace(hash);
      while (hashes[place] != noHash)
        place = getNextPlace(place);
      put(place, hash, node);
    }
  };

  static uint32_t getHash(const Key &key) {
    uint32_t hash = Traits::hash(key);
    return hash == noHash ? 1 : hash;
  }
  unsigned getShard(uint32_t hash) const { return directory[uint64_t(hash) >> (32 - bits)]; }

  /// The place of the node, or the empty one where it belongs.
  static size_t find(const Shard &shard, const Key &key, uint32_t hash) {
    size_t place = shard.getFirstPlace(hash);
    while (shard.hashes[place] != noHash && !(shard.hashes[place] == hash && Traits::getKey(shard.nodes[place]) == key))
      place = shard.getNextPlace(place);
    return place;
  }

  void makeRoom(unsigned index) {
    constexpr size_t smallest = 16, nodesToDivide = 4096;
    constexpr unsigned maximalBits = 20;
    Shard old = std::move(shards[index]);
    if (old.count >= nodesToDivide && old.bits < maximalBits)
      return divide(std::move(old), index);
    shards[index] = Shard(old.hashes.empty() ? smallest : old.hashes.size() + old.hashes.size() / 2, old.bits);
    for (size_t i = 0; i < old.hashes.size(); ++i)
      if (old.nodes[i])
        shards[index].add(old.hashes[i], old.nodes[i]);
  }

  void divide(Shard old, unsigned index) {
    unsigned shared = old.bits + 1;
    if (shared > bits) {
      llvm::SmallVector<unsigned, 1> twice;
      for (unsigned entry : directory)
        twice.append(2, entry);
      directory = std::move(twice);
      bits = shared;
    }
    auto isUpper = [&](uint32_t hash) { return hash >> (32 - shared) & 1; };
    size_t upper = 0;
    for (uint32_t hash : old.hashes)
      upper += hash != noHash && isUpper(hash);
    auto getRoom = [](size_t nodes) { return 64 + nodes + nodes / 2; };
    shards[index] = Shard(getRoom(old.count - upper), shared);
    shards.emplace_back(getRoom(upper), shared);
    for (size_t i = 0; i < old.hashes.size(); ++i)
      if (old.nodes[i])
        (isUpper(old.hashes[i]) ? shards.back() : shards[index]).add(old.hashes[i], old.nodes[i]);
    for (size_t entry = 0; entry < directory.size(); ++entry)
      if (directory[entry] == index && (entry >> (bits - shared) & 1))
        directory[entry] = shards.size() - 1;
  }

  // Most contexts are small: one shard takes no memory of its own.
  llvm::SmallVector<Shard, 1> shards{Shard()};
  llvm::SmallVector<unsigned, 1> directory{0}; ///< of shards, by the first `bits` of a hash
  unsigned bits = 0;
  size_t count = 0;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_INTERNTABLE_H
