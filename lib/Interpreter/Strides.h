//===- Walks over broadcast and permuted operands ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_STRIDES_H
#define DYN_LIB_INTERPRETER_STRIDES_H

#include "Models.h"
#include <array>

namespace dyn::reference {

/// The dims of operands that broadcast against each other, or an error at the op.
mlir::FailureOr<Dims> broadcast(mlir::Operation *op, llvm::ArrayRef<llvm::ArrayRef<int64_t>> operands);

/// Row-major strides, in elements.
Dims getStrides(llvm::ArrayRef<int64_t> dims);

/// Strides that walk a tensor of `dims` over the dims `to` that it broadcasts to: 0 where it repeats.
Dims getBroadcastStrides(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> to);

/// The places of a tensor of these dims; of a part of the dims of an empty one there may be more than can be counted.
int64_t countPlaces(llvm::ArrayRef<int64_t> dims);

/// An axis, and the places before and behind it. To be walked over in tensors that are not empty.
struct AxisView {
  AxisView(llvm::ArrayRef<int64_t> dims, int64_t axis)
      : before(countPlaces(dims.take_front(axis))), size(dims[axis]), behind(countPlaces(dims.drop_front(axis + 1))) {}
  int64_t before, size, behind;
};

/// Walks an iteration space in row-major order. For each run along the innermost dim calls
/// `run(count, offsets, strides)`: offset and stride in each of N operands. Neighbouring dims that every operand walks
/// evenly are one dim, so that runs are long.
template <size_t N, typename Run>
void forEachRun(llvm::ArrayRef<int64_t> dims, const std::array<Dims, N> &operandStrides, Run &&run) {
  if (llvm::is_contained(dims, 0))
    return;
  // Merge dims, innermost first.
  Dims sizes;
  llvm::SmallVector<std::array<int64_t, N>> strides;
  for (int64_t dim = static_cast<int64_t>(dims.size()) - 1; dim >= 0; --dim) {
    if (dims[dim] == 1)
      continue;
    std::array<int64_t, N> here;
    for (size_t i = 0; i < N; ++i)
      here[i] = operandStrides[i][dim];
    bool merges = !sizes.empty();
    for (size_t i = 0; merges && i < N; ++i)
      merges = here[i] == strides.back()[i] * sizes.back();
    if (merges) {
      sizes.back() *= dims[dim];
    } else {
      sizes.push_back(dims[dim]);
      strides.push_back(here);
    }
  }
  std::array<int64_t, N> offsets{};
  if (sizes.empty()) {
    run(int64_t(1), offsets, offsets);
    return;
  }
  Dims position(sizes.size(), 0);
  while (true) {
    run(sizes[0], offsets, strides[0]);
    size_t dim = 1;
    for (; dim < sizes.size(); ++dim) {
      for (size_t i = 0; i < N; ++i)
        offsets[i] += strides[dim][i];
      if (++position[dim] < sizes[dim])
        break;
      for (size_t i = 0; i < N; ++i)
        offsets[i] -= strides[dim][i] * sizes[dim];
      position[dim] = 0;
    }
    if (dim == sizes.size())
      return;
  }
}

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_STRIDES_H
