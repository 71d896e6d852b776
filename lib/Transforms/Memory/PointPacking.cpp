//===- Packings of buffers at one choice of sizes ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "PointPacking.h"
#include "dyn/Runtime/BufferPlacement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <limits>

using namespace dyn;

/// For each buffer the largest of its class at a point, whose members have at least so much of the largest's size.
llvm::SmallVector<unsigned> PointPacker::classify(size_t point, int64_t percent) const {
  llvm::SmallVector<unsigned> sequence = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::stable_sort(sequence, [&](unsigned lhs, unsigned rhs) { return lines[lhs][point] > lines[rhs][point]; });
  llvm::SmallVector<unsigned> height(buffers.size());
  unsigned largest = 0;
  for (auto [position, index] : llvm::enumerate(sequence)) {
    if (position == 0 || lines[index][point] * 100 < lines[largest][point] * percent)
      largest = index;
    height[index] = largest;
  }
  return height;
}

Packing PointPacker::pack(size_t point, const std::vector<int64_t> &priority, llvm::ArrayRef<unsigned> height) const {
  Packing packing;
  packing.height.assign(height.begin(), height.end());
  packing.support.assign(buffers.size(), Packing::bottom);
  std::vector<int64_t> sizes, heights;
  for (unsigned index = 0; index < buffers.size(); ++index) {
    sizes.push_back(lines[index][point]);
    heights.push_back(lines[height[index]][point]);
  }
  auto meet = [&](size_t lhs, size_t rhs) { return areNeededTogether(buffers, lhs, rhs); };
  placeBuffers(orderBuffers(priority, sizes), heights, meet,
               [&](unsigned index, const BufferPlacement &placement, llvm::ArrayRef<size_t> neighbours) {
                 for (auto [position, other] : llvm::enumerate(neighbours))
                   packing.below.push_back(position < placement.numBelow ? std::pair(unsigned(other), index)
                                                                         : std::pair(index, unsigned(other)));
                 if (placement.support != BufferPlacement::bottom)
                   packing.support[index] = placement.support;
                 packing.order.push_back(index);
               });
  evaluate(packing);
  return packing;
}

Packing PointPacker::pack(size_t point, int64_t enough) const {
  std::vector<int64_t> sizes, lives, areas;
  for (unsigned index = 0; index < buffers.size(); ++index) {
    sizes.push_back(lines[index][point]);
    lives.push_back(buffers[index].last - buffers[index].first + 1);
    areas.push_back(sizes.back() * lives.back());
  }
  std::optional<Packing> smallest;
  auto getSize = [&](const Packing &packing) {
    return packing.sizes[point].value_or(std::numeric_limits<int64_t>::max());
  };
  // Classes waste what they round up; so the wide ones come last, for where the others leave holes.
  for (int64_t percent : {100, 85, 70, 50}) {
    llvm::SmallVector<unsigned> height = classify(point, percent);
    for (const std::vector<int64_t> *priority : {&sizes, &areas, &lives}) {
      Packing packing = pack(point, *priority, height);
      if (!smallest || getSize(packing) < getSize(*smallest))
        smallest = std::move(packing);
      if (getSize(*smallest) <= enough)
        return std::move(*smallest);
    }
  }
  return std::move(*smallest);
}

void PointPacker::evaluate(Packing &packing) const {
  llvm::SmallVector<int64_t> begins(buffers.size());
  size_t numPoints = lines.empty() ? 0 : lines.front().size();
  for (size_t point = 0; point < numPoints; ++point) {
    int64_t size = 0;
    for (unsigned index : packing.order) {
      unsigned support = packing.support[index];
      begins[index] = support == Packing::bottom ? 0 : begins[support] + lines[packing.height[support]][point];
      size = std::max(size, begins[index] + lines[index][point]);
    }
    bool isRight = llvm::all_of(
        packing.below, [&](auto pair) { return begins[pair.first] + lines[pair.first][point] <= begins[pair.second]; });
    packing.sizes.push_back(isRight ? std::optional(size) : std::nullopt);
  }
}
