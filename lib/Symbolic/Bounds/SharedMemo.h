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
  Map &get() { return *map; }
  /// Null where it is not known.
  const Value *lookUp(const Key &key) const {
    auto found = map->find(key);
    return found == map->end() ? nullptr : &found->second;
  }
  void forget() {
    if (map.use_count() == 1)
      map->clear();
    else
      map = std::make_shared<Map>();
  }

  /// What is found from now on is not for the copies that were made before.
  void detach() {
    if (map.use_count() > 1)
      map = std::make_shared<Map>(*map);
  }
  /// Forgets some results, by key and value, and detaches.
  template <typename IsStale>
  void forgetIf(IsStale isStale) {
    detach();
    for (auto entry = map->begin(); entry != map->end(); ++entry)
      if (isStale(entry->first, entry->second))
        map->erase(entry);
  }

private:
  std::shared_ptr<Map> map = std::make_shared<Map>();
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SHAREDMEMO_H
