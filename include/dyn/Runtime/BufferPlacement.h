//===- Placing buffers of known sizes in one arena --------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What the runtime does for the sizes of a run, and the planner of memory for sizes that it tries. Of the standard
// library only, as the runtime is.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_BUFFERPLACEMENT_H
#define DYN_RUNTIME_BUFFERPLACEMENT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dyn {

/// Where a buffer was put.
struct BufferPlacement {
  static constexpr size_t bottom = SIZE_MAX;
  int64_t begin = 0;
  size_t support = bottom; ///< the buffer whose end is its begin
  size_t numBelow = 0;     ///< how many of its neighbours lie below it: the first ones
};

/// The buffers by falling priority, and by falling size where that is the same.
inline std::vector<size_t> orderBuffers(const std::vector<int64_t> &priority, const std::vector<int64_t> &sizes) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t lhs, size_t rhs) {
    return std::pair(priority[lhs], sizes[lhs]) > std::pair(priority[rhs], sizes[rhs]);
  });
  return order;
}

/// Places buffers in an order, each as low as its height fits between its neighbours: those before it in the order
/// that are needed together with it. Calls `visit` with the buffer, its placement, and its neighbours from below.
template <typename AreNeededTogether, typename Visit>
void placeBuffers(const std::vector<size_t> &order, const std::vector<int64_t> &heights,
                  AreNeededTogether areNeededTogether, Visit visit) {
  std::vector<int64_t> begins(heights.size());
  std::vector<size_t> placed, neighbours;
  for (size_t index : order) {
    neighbours.clear();
    std::copy_if(placed.begin(), placed.end(), std::back_inserter(neighbours),
                 [&](size_t other) { return areNeededTogether(index, other); });
    std::stable_sort(neighbours.begin(), neighbours.end(),
                     [&](size_t lhs, size_t rhs) { return begins[lhs] < begins[rhs]; });
    BufferPlacement placement;
    for (size_t other : neighbours) {
      if (begins[other] > placement.begin && begins[other] - placement.begin >= heights[index])
        break;
      int64_t end = begins[other] + heights[other];
      if (end > placement.begin || placement.support == BufferPlacement::bottom) {
        placement.support = other;
        placement.begin = std::max(placement.begin, end);
      }
      ++placement.numBelow;
    }
    begins[index] = placement.begin;
    visit(index, placement, neighbours);
    placed.push_back(index);
  }
}

} // namespace dyn

#endif // DYN_RUNTIME_BUFFERPLACEMENT_H
