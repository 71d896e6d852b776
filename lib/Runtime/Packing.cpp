//===- Placing buffers when their sizes are known -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Packing.h"
#include "dyn/Runtime/BufferPlacement.h"
#include <algorithm>

using namespace dyn;
using namespace dyn::runtime;

/// Places buffers in the order of falling priority; gives the lines of all.
static int64_t place(const std::vector<int64_t> &lines, const std::vector<int64_t> &lifetimes,
                     const std::vector<int64_t> &priority, std::vector<int64_t> &begins) {
  auto areNeededTogether = [&](size_t lhs, size_t rhs) {
    return lifetimes[2 * lhs] <= lifetimes[2 * rhs + 1] && lifetimes[2 * rhs] <= lifetimes[2 * lhs + 1];
  };
  int64_t total = 0;
  placeBuffers(orderBuffers(priority, lines), lines, areNeededTogether,
               [&](size_t index, const BufferPlacement &placement, const std::vector<size_t> &) {
                 begins[index] = placement.begin;
                 total = std::max(total, placement.begin + lines[index]);
               });
  return total;
}

Packing dyn::runtime::packBuffers(const std::vector<int64_t> &lines, const std::vector<int64_t> &lifetimes) {
  // Nothing lies behind the sum of all.
  int64_t sum = 0;
  for (int64_t some : lines)
    if (__builtin_add_overflow(sum, some, &sum) || sum > INT64_MAX / Packing::kBytesPerLine)
      return {{}, INT64_MAX};
  std::vector<int64_t> lives(lines.size()), areas(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    lives[i] = lifetimes[2 * i + 1] - lifetimes[2 * i] + 1;
    // An order is all that this is for.
    if (__builtin_mul_overflow(lines[i], lives[i], &areas[i]))
      areas[i] = INT64_MAX;
  }
  Packing packing{std::vector<int64_t>(lines.size()), 0};
  int64_t best = place(lines, lifetimes, lines, packing.places);
  for (const std::vector<int64_t> &priority : {lives, areas}) {
    std::vector<int64_t> places(lines.size());
    if (int64_t total = place(lines, lifetimes, priority, places); total < best) {
      best = total;
      packing.places = std::move(places);
    }
  }
  packing.bytes = best * Packing::kBytesPerLine;
  for (int64_t &begin : packing.places)
    begin *= Packing::kBytesPerLine;
  return packing;
}

bool PackingCache::find(const std::vector<int64_t> &symbols, Entry &found) {
  std::lock_guard<std::mutex> lock(mutex);
  auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto &known) { return known.first == symbols; });
  if (entry == entries.end())
    return false;
  entries.splice(entries.begin(), entries, entry);
  found = entry->second;
  return true;
}

void PackingCache::add(std::vector<int64_t> symbols, Entry packing) {
  std::lock_guard<std::mutex> lock(mutex);
  entries.emplace_front(std::move(symbols), std::move(packing));
  if (entries.size() > kMaxEntries)
    entries.pop_back();
}
