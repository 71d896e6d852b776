//===- Reference evaluation of indexing ---------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "../Strides.h"
#include "../Strings.h"
#include "Combine.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"
#include <cstring>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// The place that an index names in a dim of `size`, or an error that names index and size.
static FailureOr<int64_t> getPlace(Operation *op, int64_t index, int64_t size, int64_t dim) {
  if (index >= -size && index < size)
    return index < 0 ? index + size : index;
  return emitError(op) << "index " << index << " is out of bounds for dim " << dim << ", which is " << size;
}

static Result evaluateGather(GatherOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &data = operands[0];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), data.getRank());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> before = data.getDims().take_front(*axis), behind = data.getDims().drop_front(*axis + 1);
  Dims dims(before);
  llvm::append_range(dims, operands[1].getDims());
  llvm::append_range(dims, behind);
  Result result = allocate(op, data.getElementType(), dims);
  if (failed(result))
    return failure();
  AxisView view(data.getDims(), *axis);
  SmallVector<int64_t> places;
  for (int64_t index : operands[1].getIntegers()) {
    FailureOr<int64_t> place = getPlace(op, index, view.size, *axis);
    if (failed(place))
      return failure();
    places.push_back(*place);
  }
  if (result->getNumElements() == 0)
    return result;
  char *out = result->getMutableData();
  int64_t bytes = view.behind * data.getElementBytes();
  for (int64_t block = 0; block < view.before; ++block)
    for (int64_t place : places) {
      std::memcpy(out, data.getBytes().data() + (block * view.size + place) * bytes, bytes);
      out += bytes;
    }
  return result;
}

static Result evaluateGatherElements(GatherElementsOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &data = operands[0], &indices = operands[1];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), data.getRank());
  if (failed(axis))
    return failure();
  bool fits = indices.getRank() == data.getRank();
  for (int64_t dim = 0; fits && dim < data.getRank(); ++dim)
    fits = dim == *axis || indices.getDim(dim) <= data.getDim(dim);
  if (!fits)
    return emitError(op) << "indices of dims " << print(indices.getDims()) << " exceed data of dims "
                         << print(data.getDims()) << " outside axis " << *axis;
  Result result = allocate(op, data.getElementType(), indices.getDims());
  if (failed(result))
    return failure();
  Dims strides = getStrides(data.getDims()), position(data.getRank(), 0);
  int64_t bytes = data.getElementBytes();
  char *out = result->getMutableData();
  for (int64_t index : indices.getIntegers()) {
    FailureOr<int64_t> place = getPlace(op, index, data.getDim(*axis), *axis);
    if (failed(place))
      return failure();
    int64_t offset = 0;
    for (int64_t dim = 0; dim < data.getRank(); ++dim)
      offset += (dim == *axis ? *place : position[dim]) * strides[dim];
    std::memcpy(out, data.getBytes().data() + offset * bytes, bytes);
    out += bytes;
    for (int64_t dim = data.getRank(); dim-- > 0;) {
      if (++position[dim] < indices.getDim(dim))
        break;
      position[dim] = 0;
    }
  }
  return result;
}

/// The offset of the slice that a tuple of indices addresses, in slices; dims from `first` on.
static FailureOr<int64_t> getSlice(Operation *op, ArrayRef<int64_t> tuple, ArrayRef<int64_t> dims, int64_t first) {
  int64_t offset = 0;
  for (auto [number, index] : llvm::enumerate(tuple)) {
    FailureOr<int64_t> place = getPlace(op, index, dims[first + number], first + number);
    if (failed(place))
      return failure();
    offset = offset * dims[first + number] + *place;
  }
  return offset;
}

static Result evaluateGatherND(GatherNDOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> data = operands[0].getDims(), indices = operands[1].getDims();
  size_t batch = op.getBatchDims();
  if (indices.size() <= batch || data.size() <= batch || indices.back() > static_cast<int64_t>(data.size() - batch) ||
      data.take_front(batch) != indices.take_front(batch))
    return emitError(op) << "indices of dims " << print(indices) << " do not fit data of dims " << print(data)
                         << " with " << batch << " batch dims";
  int64_t tuple = indices.back();
  ArrayRef<int64_t> slice = data.drop_front(batch + tuple);
  Dims dims(indices.drop_back());
  llvm::append_range(dims, slice);
  Result result = allocate(op, operands[0].getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t bytes = result->getNumElements() ? countPlaces(slice) * operands[0].getElementBytes() : 0;
  int64_t blocks = countPlaces(indices.take_front(batch)), slices = countPlaces(data.slice(batch, tuple));
  int64_t tuples = countPlaces(indices.drop_front(batch).drop_back());
  SmallVector<int64_t> values = operands[1].getIntegers();
  char *out = result->getMutableData();
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t i = 0; i < tuples; ++i) {
      FailureOr<int64_t> offset =
          getSlice(op, ArrayRef<int64_t>(values).slice((block * tuples + i) * tuple, tuple), data, batch);
      if (failed(offset))
        return failure();
      std::memcpy(out, operands[0].getBytes().data() + (block * slices + *offset) * bytes, bytes);
      out += bytes;
    }
  return result;
}

/// Combines the elements at `to` with those at `from`.
static void combine(ReduceKind kind, Type type, char *to, const char *from, int64_t bytes) {
  dispatchElement(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto *target = reinterpret_cast<T *>(to);
    for (T update : ArrayRef(reinterpret_cast<const T *>(from), bytes / sizeof(T))) {
      *target = combineElements(kind, *target, update);
      ++target;
    }
  });
}

static Result evaluateScatterND(ScatterNDOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> data = operands[0].getDims(), indices = operands[1].getDims();
  bool fits = !indices.empty() && indices.back() <= static_cast<int64_t>(data.size());
  Dims expected;
  if (fits) {
    expected.assign(indices.begin(), indices.end() - 1);
    llvm::append_range(expected, data.drop_front(indices.back()));
  }
  if (!fits || operands[2].getDims() != ArrayRef<int64_t>(expected))
    return emitError(op) << "indices of dims " << print(indices) << " and updates of dims "
                         << print(operands[2].getDims()) << " do not fit data of dims " << print(data);
  Result result = allocate(op, operands[0].getElementType(), data);
  if (failed(result))
    return failure();
  llvm::copy(operands[0].getBytes(), result->getMutableData());
  int64_t tuple = indices.back();
  int64_t bytes = result->getNumElements() ? countPlaces(data.drop_front(tuple)) * operands[0].getElementBytes() : 0;
  SmallVector<int64_t> values = operands[1].getIntegers();
  for (int64_t i = 0, tuples = countPlaces(indices.drop_back()); i < tuples; ++i) {
    FailureOr<int64_t> offset = getSlice(op, ArrayRef<int64_t>(values).slice(i * tuple, tuple), data, 0);
    if (failed(offset))
      return failure();
    char *to = result->getMutableData() + *offset * bytes;
    const char *from = operands[2].getBytes().data() + i * bytes;
    if (op.getReduction())
      combine(*op.getReduction(), result->getElementType(), to, from, bytes);
    else
      std::memcpy(to, from, bytes);
  }
  return result;
}

static Result evaluateNonZero(NonZeroOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  SmallVector<int64_t> found;
  auto find = [&](auto elements, auto isNonZero) {
    for (auto [place, value] : llvm::enumerate(elements))
      if (isNonZero(value))
        found.push_back(place);
  };
  if (isa<StringType>(operand.getElementType()))
    find(operand.getElements<uint64_t>(), [](uint64_t number) { return !getStringOfNumber(number).empty(); });
  else
    dispatchElement(operand.getElementType(), [&](auto tag) {
      find(operand.getElements<typename decltype(tag)::Type>(),
           [](auto value) { return convertElement<Boolean>(value) == Boolean::True; });
    });
  int64_t count = found.size();
  Dims strides = getStrides(operand.getDims()), dims = {operand.getRank(), count};
  SmallVector<int64_t> places;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    for (int64_t place : found)
      places.push_back(place / strides[dim] % operand.getDim(dim));
  return makeIntegers(op, places, dims, getResultElementType(op));
}

void reference::attachIndexingModels(MLIRContext *context) {
  attach<GatherOp, evaluateGather>(context);
  attach<GatherElementsOp, evaluateGatherElements>(context);
  attach<GatherNDOp, evaluateGatherND>(context);
  attach<ScatterNDOp, evaluateScatterND>(context);
  attach<NonZeroOp, evaluateNonZero>(context);
}
