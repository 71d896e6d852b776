//===- Walks over broadcast and permuted operands -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Strides.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

FailureOr<Dims> reference::broadcast(Operation *op, ArrayRef<ArrayRef<int64_t>> operands) {
  size_t rank = 0;
  for (ArrayRef<int64_t> dims : operands)
    rank = std::max(rank, dims.size());
  Dims result(rank, 1);
  for (auto [number, dims] : llvm::enumerate(operands)) {
    for (auto [index, dim] : llvm::enumerate(dims)) {
      int64_t &into = result[rank - dims.size() + index];
      if (dim == into || dim == 1)
        continue;
      if (into != 1) {
        auto other = llvm::find_if(operands, [&](ArrayRef<int64_t> each) {
          size_t place = rank - dims.size() + index, skipped = rank - each.size();
          return place >= skipped && each[place - skipped] == into;
        });
        unsigned otherNumber = other - operands.begin();
        return emitError(op) << "operands do not broadcast: dim " << index << " of " << describeOperand(op, number)
                             << " is " << dim << ", expected 1 or " << into << " as in "
                             << describeOperand(op, otherNumber) << "; their dims are " << print(dims) << " and "
                             << print(*other);
      }
      into = dim;
    }
  }
  return result;
}

int64_t reference::countPlaces(ArrayRef<int64_t> dims) {
  std::optional<int64_t> count = dyn::getNumElements(dims);
  return count.value_or(INT64_MAX);
}

Dims reference::getStrides(ArrayRef<int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (int64_t dim = static_cast<int64_t>(dims.size()) - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= dims[dim];
  }
  return strides;
}

Dims reference::getBroadcastStrides(ArrayRef<int64_t> dims, ArrayRef<int64_t> to) {
  Dims strides(to.size(), 0), own = getStrides(dims);
  size_t skipped = to.size() - dims.size();
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (dims[dim] != 1)
      strides[skipped + dim] = own[dim];
  return strides;
}
