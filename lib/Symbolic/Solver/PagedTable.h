//===- Tables whose copies share what neither changes -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A solver is copied for each branch of a program, and what a branch adds is little. A
// copy of such a table costs next to nothing; the first write to a part that is shared
// copies that part.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_PAGEDTABLE_H
#define DYN_LIB_SYMBOLIC_PAGEDTABLE_H

#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <memory>
#include <vector>

namespace dyn::symbolic {

/// Values by index, each a default one until it is written.
template <typename Value, size_t pageSize = 32>
class PagedTable {
public:
  const Value &look(size_t index) const {
    static const Value initial{};
    size_t chunk = index / valuesOfChunk;
    if (chunk >= chunks.size() || !chunks[chunk])
      return initial;
    const std::shared_ptr<Page> &page = (*chunks[chunk])[index / pageSize % pagesOfChunk];
    return page ? (*page)[index % pageSize] : initial;
  }
  Value &get(size_t index) {
    size_t chunk = index / valuesOfChunk;
    if (chunk >= chunks.size())
      chunks.resize(chunk + 1);
    return own(own(chunks[chunk])[index / pageSize % pagesOfChunk])[index % pageSize];
  }

private:
  static constexpr size_t valuesOfChunk = 256, pagesOfChunk = valuesOfChunk / pageSize;
  using Page = std::array<Value, pageSize>;
  using Chunk = std::array<std::shared_ptr<Page>, pagesOfChunk>;

  template <typename Part>
  static Part &own(std::shared_ptr<Part> &part) {
    if (!part)
      part = std::make_shared<Part>();
    else if (part.use_count() > 1)
      part = std::make_shared<Part>(*part);
    return *part;
  }

  std::vector<std::shared_ptr<Chunk>> chunks;
};

/// Values one after the other.
template <typename Value, size_t pageSize = 32>
class PagedList {
public:
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const Value &operator[](size_t index) const { return values.look(index); }
  Value &get(size_t index) { return values.get(index); }
  const Value &back() const { return values.look(count - 1); }
  void push_back(Value value) { values.get(count++) = std::move(value); }

  class const_iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value *;
    using reference = const Value &;
    const_iterator(const PagedList &list, size_t index) : list(&list), index(index) {}
    reference operator*() const { return (*list)[index]; }
    pointer operator->() const { return &(*list)[index]; }
    const_iterator &operator++() {
      ++index;
      return *this;
    }
    bool operator==(const const_iterator &other) const { return index == other.index; }
    bool operator!=(const const_iterator &other) const { return index != other.index; }

  private:
    const PagedList *list;
    size_t index;
  };
  const_iterator begin() const { return {*this, 0}; }
  const_iterator end() const { return {*this, count}; }

private:
  PagedTable<Value, pageSize> values;
  size_t count = 0;
};

/// Values by key. The table of a hash map that grows would be new as a whole in each copy that adds to it; here one
/// place is divided after the other.
template <typename Key, typename Value>
class PagedMap {
public:
  size_t size() const { return count; }
  /// Null where there is none.
  const Value *find(const Key &key) const {
    for (const Entry &entry : entries.look(getPlace(key)))
      if (entry.first == key)
        return &entry.second;
    return nullptr;
  }
  bool contains(const Key &key) const { return find(key) != nullptr; }
  Value lookup(const Key &key) const {
    const Value *found = find(key);
    return found ? *found : Value();
  }
  /// The value, which may be written until the next one is added, and whether it is new.
  std::pair<Value *, bool> try_emplace(const Key &key, Value value = Value()) {
    if (find(key)) {
      for (Entry &entry : entries.get(getPlace(key)))
        if (entry.first == key)
          return {&entry.second, false};
    }
    if (++count > places)
      dividePlace();
    Place &place = entries.get(getPlace(key));
    place.emplace_back(key, std::move(value));
    return {&place.back().second, true};
  }
  Value &operator[](const Key &key) { return *try_emplace(key).first; }
  void erase(const Key &key) {
    if (!find(key))
      return;
    Place &place = entries.get(getPlace(key));
    for (Entry &entry : place)
      if (entry.first == key) {
        std::swap(entry, place.back());
        place.pop_back();
        --count;
        return;
      }
  }

private:
  using Entry = std::pair<Key, Value>;
  // Most solvers know few symbols: pages are to be small.
  static constexpr unsigned entriesInPlace = sizeof(Entry) <= 2 * sizeof(void *) ? 1 : 0;
  using Place = llvm::SmallVector<Entry, entriesInPlace>;

  size_t getPlace(const Key &key) const {
    size_t hash = llvm::DenseMapInfo<Key>::getHashValue(key) * 0x9E3779B97F4A7C15u >> 32;
    size_t place = hash & (2 * half - 1);
    return place < places ? place : place & (half - 1);
  }
  void dividePlace() {
    size_t divided = places++ - half;
    Place known = std::move(entries.get(divided));
    entries.get(divided).clear();
    for (Entry &entry : known)
      entries.get(getPlace(entry.first)).push_back(std::move(entry));
    if (places == 2 * half)
      half *= 2;
  }

  PagedTable<Place, 16> entries;
  size_t half = 1, places = 1, count = 0; ///< from half to twice as many places
};

/// What a copy is to find for itself.
template <typename Value>
struct LeftBehind : Value {
  using Value::Value;
  LeftBehind() = default;
  LeftBehind(const LeftBehind &) : Value() {}
  LeftBehind(LeftBehind &&) = default;
  LeftBehind &operator=(const LeftBehind &) {
    static_cast<Value &>(*this) = Value();
    return *this;
  }
  LeftBehind &operator=(LeftBehind &&) = default;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_PAGEDTABLE_H
