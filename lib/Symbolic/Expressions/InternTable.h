//===- Nodes by their content --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_INTERNTABLE_H
#define DYN_LIB_SYMBOLIC_INTERNTABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dyn::symbolic {

/// A set of nodes, each the only one with its content. `Traits` has a `Node`, the `Key` that its content is, `getKey`
/// and `hash`. Hashes stand beside the nodes: neither a search that passes other nodes nor growth reads them, and one
/// that fails tells where the new node goes.
template <typename Traits>
class InternTable {
public:
  using Node = typename Traits::Node;
  using Key = typename Traits::Key;

  /// The node with that content, else the one that `create` makes, which leaves the table alone.
  template <typename Create>
  const Node *get(const Key &key, Create create) {
    if (count >= hashes.size() / 7 * 6)
      grow();
    uint32_t hash = getHash(key);
    size_t place = find(key, hash);
    if (!nodes[place]) {
      nodes[place] = create();
      hashes[place] = hash;
      ++count;
    }
    return nodes[place];
  }
  bool contains(const Key &key) const { return count > 0 && nodes[find(key, getHash(key))]; }
  size_t size() const { return count; }

private:
  static constexpr uint32_t noHash = 0;
  static uint32_t getHash(const Key &key) {
    uint32_t hash = Traits::hash(key);
    return hash == noHash ? 1 : hash;
  }
  /// Any size will do, not powers of two only: less room is left empty.
  size_t getFirstPlace(uint32_t hash) const { return uint64_t(hash) * hashes.size() >> 32; }
  size_t getNextPlace(size_t place) const { return place + 1 == hashes.size() ? 0 : place + 1; }

  /// The place of the node, or the empty one where it belongs.
  size_t find(const Key &key, uint32_t hash) const {
    size_t place = getFirstPlace(hash);
    while (hashes[place] != noHash && !(hashes[place] == hash && Traits::getKey(nodes[place]) == key))
      place = getNextPlace(place);
    return place;
  }

  void grow() {
    constexpr size_t smallest = 64;
    std::vector<uint32_t> oldHashes(std::move(hashes));
    std::vector<const Node *> oldNodes(std::move(nodes));
    size_t size = oldHashes.empty() ? smallest : oldHashes.size() + oldHashes.size() / 2;
    hashes.assign(size, noHash);
    nodes.assign(size, nullptr);
    for (size_t i = 0; i < oldHashes.size(); ++i) {
      if (!oldNodes[i])
        continue;
      size_t place = getFirstPlace(oldHashes[i]);
      while (hashes[place] != noHash)
        place = getNextPlace(place);
      hashes[place] = oldHashes[i];
      nodes[place] = oldNodes[i];
    }
  }

  std::vector<uint32_t> hashes; ///< `noHash` where there is no node
  std::vector<const Node *> nodes;
  size_t count = 0;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_INTERNTABLE_H
