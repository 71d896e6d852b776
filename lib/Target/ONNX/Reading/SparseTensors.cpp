//===- Tensors of which a file holds what is not 0 --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SparseTensors.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace dyn::onnx;

static llvm::Error refuse(const llvm::Twine &problem) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), problem);
}

static std::string describe(llvm::ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (int64_t dim : dims)
    text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  return text + "]";
}

llvm::Expected<Tensor> dyn::onnx::makeDense(Model &model, const Tensor &values, const Tensor &indices,
                                            llvm::ArrayRef<int64_t> dims, int64_t &bytesLeft) {
  if (values.external || indices.external)
    return refuse("its data in another file is not supported");
  int64_t size = getByteSize(values.type);
  if (size == 0 || getElementsPerByte(values.type) != 1)
    return refuse("its elements of type " + getElementTypeName(values.type) + " are not supported");
  int64_t bytes = size;
  for (int64_t dim : dims)
    if (dim < 0 || llvm::MulOverflow(bytes, dim, bytes))
      return refuse("its dims are " + describe(dims));
  if (bytes > bytesLeft)
    return refuse("it has " + llvm::Twine(bytes) + " bytes when it is dense, more than the " + llvm::Twine(bytesLeft) +
                  " that are left for such tensors");
  auto count = static_cast<int64_t>(values.bytes.size()) / size;
  if (values.dims.size() != 1 || values.dims[0] != count || static_cast<int64_t>(values.bytes.size()) % size != 0)
    return refuse("its values have dims " + describe(values.dims) + " and " + llvm::Twine(values.bytes.size()) +
                  " bytes");
  auto rank = static_cast<int64_t>(dims.size());
  bool isFlat = indices.dims.size() == 1;
  int64_t numbers = isFlat ? 1 : rank, numberOfIndices = count * numbers;
  bool fits = indices.dims == llvm::ArrayRef<int64_t>{count} || indices.dims == llvm::ArrayRef<int64_t>{count, rank};
  if (indices.type != ElementType::Int64 || !fits ||
      static_cast<int64_t>(indices.bytes.size()) != numberOfIndices * int64_t(sizeof(int64_t)))
    return refuse("its " + llvm::Twine(count) + " values have indices of type " + getElementTypeName(indices.type) +
                  " with dims " + describe(indices.dims));
  bytesLeft -= bytes;
  std::string &dense = model.ownedBytes.emplace_back();
  dense.resize(static_cast<size_t>(bytes));
  auto getIndex = [&](int64_t number) {
    return llvm::support::endian::read64le(indices.bytes.data() + number * int64_t(sizeof(int64_t)));
  };
  int64_t last = -1;
  for (int64_t place = 0; place < count; ++place) {
    int64_t flat = isFlat ? static_cast<int64_t>(getIndex(place)) : 0;
    bool isInside = flat >= 0 && flat < bytes / size;
    for (int64_t dim = 0; !isFlat && dim < rank && isInside; ++dim) {
      auto index = static_cast<int64_t>(getIndex(place * rank + dim));
      isInside = index >= 0 && index < dims[static_cast<size_t>(dim)];
      flat = isInside ? flat * dims[static_cast<size_t>(dim)] + index : flat;
    }
    if (!isInside)
      return refuse("index " + llvm::Twine(place) + " is outside of " + describe(dims));
    if (flat <= last)
      return refuse("index " + llvm::Twine(place) + " is not behind the one before it");
    last = flat;
    memcpy(dense.data() + flat * size, values.bytes.data() + place * size, static_cast<size_t>(size));
  }
  Tensor tensor;
  tensor.name = values.name;
  tensor.type = values.type;
  tensor.dims.assign(dims.begin(), dims.end());
  tensor.bytes = dense;
  return tensor;
}
