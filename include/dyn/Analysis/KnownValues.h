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
#include <memory>

namespace dyn {

/// Small: there is one for each value, and most have no elements.
struct ValueKnowledge {
  std::optional<Dims> dims;
  llvm::SmallBitVector isComputed;         ///< of each dim: has the defining op stated it?
  std::unique_ptr<ElementValues> elements; ///< null where none is known
  Bounds bounds;

  ValueKnowledge() = default;
  ValueKnowledge &operator=(const ValueKnowledge &other) {
    dims = other.dims;
    isComputed = other.isComputed;
    elements = other.elements ? std::make_unique<ElementValues>(*other.elements) : nullptr;
    bounds = other.bounds;
    return *this;
  }
};

/// What is known of values, each at an address that stays.
class KnownValues {
public:
  ValueKnowledge *find(mlir::Value value) const {
    Recent &last = getRecent(value);
    if (last.value != value) {
      ValueKnowledge *place = places.lookup(value);
      if (!place)
        return nullptr;
      last = {value, place};
    }
    return last.place;
  }
  void reserve(size_t count) { places.reserve(count); }
  ValueKnowledge &operator[](mlir::Value value) {
    Recent &last = getRecent(value);
    if (last.value == value)
      return *last.place;
    ValueKnowledge *&place = places[value];
    if (!place)
      place = new (memory.Allocate()) ValueKnowledge();
    last = {value, place};
    return *place;
  }

private:
  struct Recent {
    mlir::Value value;
    ValueKnowledge *place = nullptr;
  };
  Recent &getRecent(mlir::Value value) const {
    return recent[llvm::DenseMapInfo<mlir::Value>::getHashValue(value) % recent.size()];
  }

  llvm::DenseMap<mlir::Value, ValueKnowledge *> places;
  /// An op asks for the same few values over and over; of a large function, the map is too large for the caches.
  mutable std::array<Recent, 64> recent;
  llvm::SpecificBumpPtrAllocator<ValueKnowledge> memory;
};

} // namespace dyn

#endif // DYN_ANALYSIS_KNOWNVALUES_H
