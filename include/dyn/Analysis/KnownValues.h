//===- What an analysis of shapes knows of values ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_ANALYSIS_KNOWNVALUES_H
#define DYN_ANALYSIS_KNOWNVALUES_H

#include "dyn/Analysis/ShapeRelations.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/Allocator.h"
#include <array>
#include <optional>

namespace dyn {

/// There is one for each value.
struct ValueKnowledge {
  std::optional<Dims> dims;
  llvm::SmallBitVector isComputed; ///< of each dim: has the defining op stated it?
  std::optional<ElementValues> elements;
  Bounds bounds;
};

/// What is known of values, each at an address that stays.
class KnownValues {
public:
  ValueKnowledge *find(mlir::Value value) const {
    Recent &last = getRecent(value);
    if (last.value != value) {
      Entry *entry = next && next->value == value ? next : places.lookup(value);
      if (!entry)
        return nullptr;
      visit(*entry, last);
    }
    return last.place;
  }
  void reserve(size_t count) { places.reserve(count); }
  ValueKnowledge &operator[](mlir::Value value) {
    if (Recent &last = getRecent(value); last.value == value)
      return *last.place;
    auto [place, isNew] = places.try_emplace(value);
    Entry *&entry = place->second;
    if (!isNew) {
      visit(*entry, getRecent(value));
      return entry->knowledge;
    }
    entry = new (memory.Allocate()) Entry{value, nullptr, {}};
    if (newest)
      newest->next = entry;
    newest = entry;
    visit(*entry, getRecent(value));
    return entry->knowledge;
  }

private:
  struct Entry {
    mlir::Value value;
    Entry *next; ///< that was added after it
    ValueKnowledge knowledge;
  };
  struct Recent {
    mlir::Value value;
    ValueKnowledge *place = nullptr;
  };
  Recent &getRecent(mlir::Value value) const {
    return recent[llvm::DenseMapInfo<mlir::Value>::getHashValue(value) % recent.size()];
  }
  void visit(Entry &entry, Recent &last) const {
    next = entry.next;
    last = {entry.value, &entry.knowledge};
  }

  llvm::DenseMap<mlir::Value, Entry *> places;
  llvm::SpecificBumpPtrAllocator<Entry> memory;
  Entry *newest = nullptr;
  // Of a large function, the map is too large for the caches. An op asks for the same few values over and over; and
  // whoever goes over all ops asks for values one after another as they were added.
  mutable std::array<Recent, 64> recent;
  mutable Entry *next = nullptr;
};

} // namespace dyn

#endif // DYN_ANALYSIS_KNOWNVALUES_H
