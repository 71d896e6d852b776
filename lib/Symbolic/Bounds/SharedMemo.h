//===- What was computed from facts --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SHAREDMEMO_H
#define DYN_LIB_SYMBOLIC_SHAREDMEMO_H

#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace dyn::symbolic {

/// Results that follow from what their owner knows. A copy knows the same, so both use and add to the same results,
/// until one of them forgets, which leaves the results to the other. There is always something to share: what a copy
/// finds is not to depend on whether anything was known when it was made.
template <typename Key, typename Value>
class SharedMemo {
public:
  using Map = llvm::DenseMap<Key, Value>;
  SharedMemo() = default;
  SharedMemo(const SharedMemo &other) : map(other.share()) {}
  SharedMemo(SharedMemo &&) = default;
  SharedMemo &operator=(const SharedMemo &other) {
    map = other.share();
    return *this;
  }
  SharedMemo &operator=(SharedMemo &&) = default;

  Map &get() { return *share(); }
  /// Null where it is not known.
  const Value *lookUp(const Key &key) const {
    if (!map)
      return nullptr;
    auto found = map->find(key);
    return found == map->end() ? nullptr : &found->second;
  }
  void forget() {
    if (map.use_count() == 1)
      map->clear();
    else
      map.reset();
  }

  /// What is found from now on is not for the copies that were made before.
  void detach() {
    if (map.use_count() > 1)
      map = std::make_shared<Map>(*map);
  }
  /// Forgets some results, by key and value, and detaches.
  template <typename IsStale>
  void forgetIf(IsStale isStale) {
    if (!map)
      return;
    detach();
    for (auto entry = map->begin(); entry != map->end(); ++entry)
      if (isStale(entry->first, entry->second))
        map->erase(entry);
  }

private:
  /// Made when it is needed: many stores are copied to at once, and share what the other has.
  const std::shared_ptr<Map> &share() const {
    if (!map)
      map = std::make_shared<Map>();
    return map;
  }

  mutable std::shared_ptr<Map> map;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SHAREDMEMO_H
