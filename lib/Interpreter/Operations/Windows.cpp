//===- Reference evaluation of windows and selections --------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "../Strides.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

namespace {
/// The windows along one dim.
struct Axis {
  int64_t size, kernel, stride, dilation, begin, places;

  Axis(WindowsOp op, size_t i, int64_t size)
      : size(size), kernel(op.getKernel()[i]), stride(op.getStrides()[i]), dilation(op.getDilations()[i]),
        begin(op.getPads()[i]) {
    int64_t extent = (kernel - 1) * dilation + 1, end = op.getPads()[i + op.getKernel().size()];
    int64_t room = size + begin + end - extent;
    switch (op.getPlaces()) {
    case WindowPlaces::Floor:
      places = room < -1 ? -1 : llvm::divideFloorSigned(room, stride) + 1;
      return;
    case WindowPlaces::Ceil:
      places = llvm::divideCeilSigned(room, stride);
      places = places < -1
                   ? -1
                   : std::max<int64_t>(0, std::min(places, llvm::divideFloorSigned(size + begin - 1, stride)) + 1);
      return;
    case WindowPlaces::SameUpper:
    case WindowPlaces::SameLower: {
      places = llvm::divideCeilSigned(size, stride);
      int64_t total = std::max<int64_t>(0, (places - 1) * stride + extent - size);
      begin = op.getPlaces() == WindowPlaces::SameUpper ? total / 2 : total - total / 2;
      return;
    }
    }
  }
};
} // namespace

static Result evaluateWindows(WindowsOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  size_t count = op.getKernel().size();
  if (operand.getRank() < static_cast<int64_t>(count))
    return emitError(op) << "(1) windows of " << count << " dims over an operand of dims " << print(operand.getDims());
  ArrayRef<int64_t> outer = operand.getDims().drop_back(count);
  Dims dims(outer), inner;
  SmallVector<Axis> axes;
  for (size_t i = 0; i < count; ++i) {
    axes.emplace_back(op, i, operand.getDim(static_cast<int64_t>(outer.size() + i)));
    if (axes.back().places < 0)
      return emitError(op) << "a window of " << axes.back().kernel << " does not fit a dim of " << axes.back().size;
    inner.push_back(axes.back().places);
  }
  llvm::append_range(inner, op.getKernel());
  llvm::append_range(dims, inner);
  Result result = allocate(op, operand.getElementType(), dims);
  if (failed(result))
    return failure();
  if (result->getNumElements() == 0)
    return result;
  auto scalarType = RankedTensorType::get({}, operand.getElementType());
  std::optional<ReferenceTensor> value =
      ReferenceTensor::fromAttribute(DenseElementsAttr::get(scalarType, static_cast<Attribute>(op.getValue())));
  if (!value)
    return emitError(op) << "elements of type " << operand.getElementType() << " are not supported";
  int64_t bytes = operand.getElementBytes(), block = 1;
  for (const Axis &axis : axes)
    block *= axis.size;
  char *out = result->getMutableData();
  const char *in = operand.getBytes().data();
  Dims position(inner.size(), 0);
  for (int64_t i = 0, blocks = *dyn::getNumElements(outer), n = *dyn::getNumElements(inner); i < blocks; ++i) {
    for (int64_t j = 0; j < n; ++j, out += bytes) {
      int64_t offset = 0;
      bool inside = true;
      for (auto [dim, axis] : llvm::enumerate(axes)) {
        int64_t at = position[dim] * axis.stride + position[count + dim] * axis.dilation - axis.begin;
        inside &= at >= 0 && at < axis.size;
        offset = offset * axis.size + at;
      }
      std::memcpy(out, inside ? in + (i * block + offset) * bytes : value->getBytes().data(), bytes);
      for (size_t dim = inner.size(); dim-- > 0;) {
        if (++position[dim] < inner[dim])
          break;
        position[dim] = 0;
      }
    }
  }
  return result;
}

/// NaN is greater than all numbers.
template <typename T>
static bool isGreater(T a, T b) {
  if constexpr (isBoolean<T>) {
    return static_cast<uint8_t>(a) > static_cast<uint8_t>(b);
  } else if constexpr (isFloat<T>) {
    auto x = static_cast<double>(a), y = static_cast<double>(b);
    return x > y || (std::isnan(x) && !std::isnan(y));
  } else {
    return a > b;
  }
}

static Result evaluateTopK(TopKOp op, Operands operands, const ReferenceScope &) {
  const ReferenceTensor &operand = operands[0];
  FailureOr<int64_t> axis = getAxis(op, op.getAxis(), operand.getRank());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> ks = operands[1].getIntegers();
  int64_t size = operand.getDim(*axis);
  if (ks.size() != 1 || ks[0] < 0 || ks[0] > size)
    return emitError(op) << "(2) k is " << print(ks) << ", dim " << *axis << " is " << size;
  int64_t k = ks[0];
  Dims dims(operand.getDims());
  dims[*axis] = k;
  Result result = allocate(op, getResultElementType(op), dims);
  if (failed(result) || result->getNumElements() == 0)
    return result;
  AxisView view(operand.getDims(), *axis);
  SmallVector<int64_t> places(result->getNumElements()), order(size);
  dispatchElement(operand.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    ArrayRef<T> in = operand.getElements<T>();
    for (int64_t i = 0; i < view.before; ++i)
      for (int64_t j = 0; j < view.behind; ++j) {
        auto at = [&](int64_t place) { return in[(i * size + place) * view.behind + j]; };
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          return op.getLeast() ? isGreater(at(b), at(a)) : isGreater(at(a), at(b));
        });
        for (int64_t place = 0; place < k; ++place)
          places[(i * k + place) * view.behind + j] = order[place];
      }
  });
  result->setIntegers(places);
  return result;
}

void reference::attachWindowModels(MLIRContext *context) {
  attach<WindowsOp, evaluateWindows>(context);
  attach<TopKOp, evaluateTopK>(context);
}
