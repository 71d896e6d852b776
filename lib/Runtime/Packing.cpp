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

namespace {

/// Which buffers are needed at the same time.
class Lifetimes {
public:
  Lifetimes(const std::vector<int64_t> &ends, const std::vector<int64_t> &pairs) : ends(ends) {
    for (size_t k = 0; k + 1 < pairs.size(); k += 2)
      beside.push_back(std::minmax(pairs[k], pairs[k + 1]));
    std::sort(beside.begin(), beside.end());
  }
  bool meet(size_t lhs, size_t rhs) const {
    if (ends[2 * lhs] <= ends[2 * rhs + 1] && ends[2 * rhs] <= ends[2 * lhs + 1])
      return true;
    std::pair<int64_t, int64_t> pair = std::minmax(int64_t(lhs), int64_t(rhs));
    return std::binary_search(beside.begin(), beside.end(), pair);
  }

private:
  const std::vector<int64_t> &ends;
  std::vector<std::pair<int64_t, int64_t>> beside; ///< sorted, the lesser first
};

} // namespace

/// Places buffers in the order of falling priority; gives the lines of all.
static int64_t place(const std::vector<int64_t> &lines, const Lifetimes &lifetimes,
                     const std::vector<int64_t> &priority, std::vector<int64_t> &begins) {
  auto areNeededTogether = [&](size_t lhs, size_t rhs) { return lifetimes.meet(lhs, rhs); };
  int64_t total = 0;
  placeBuffers(orderBuffers(priority, lines), lines, areNeededTogether,
               [&](size_t index, const BufferPlacement &placement, const std::vector<size_t> &) {
                 begins[index] = placement.begin;
                 total = std::max(total, placement.begin + lines[index]);
               });
  return total;
}

Packing dyn::runtime::packBuffers(const std::vector<int64_t> &lines, const std::vector<int64_t> &ends,
                                  const std::vector<int64_t> &beside) {
  // Nothing lies behind the sum of all.
  int64_t sum = 0;
  for (int64_t some : lines)
    if (__builtin_add_overflow(sum, some, &sum) || sum > INT64_MAX / Packing::kBytesPerLine)
      return {{}, INT64_MAX};
  std::vector<int64_t> lives(lines.size()), areas(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    lives[i] = ends[2 * i + 1] - ends[2 * i] + 1;
    // An order is all that this is for.
    if (__builtin_mul_overflow(lines[i], lives[i], &areas[i]))
      areas[i] = INT64_MAX;
  }
  Lifetimes lifetimes(ends, beside);
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
