//===- Reference evaluation of contractions -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "../Strides.h"
#include "MatrixProduct.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// A copy with elements of another type.
static std::optional<ReferenceTensor> convert(const ReferenceTensor &tensor, Type type) {
  if (tensor.getElementType() == type)
    return tensor;
  std::optional<ReferenceTensor> result = ReferenceTensor::allocate(type, tensor.getDims());
  if (!result)
    return std::nullopt;
  dispatchElement(tensor.getElementType(), [&](auto from) {
    dispatchElement(type, [&](auto to) {
      using From = typename decltype(from)::Type;
      using To = typename decltype(to)::Type;
      llvm::transform(tensor.getElements<From>(), result->getMutableElements<To>(), convertElement<To, From>);
    });
  });
  return result;
}

/// The type that a product of matrices is computed in: 16-bit floats in f32, whose products of them are exact.
static Type getComputeType(Type result) {
  return isa<FloatType>(result) && !result.isF64() ? Float32Type::get(result.getContext()) : result;
}

/// c = a * b in integers that wrap.
template <typename T>
static void multiplyIntegers(const T *a, const T *b, T *c, int64_t rows, int64_t columns, int64_t depth) {
  using Wide = std::make_unsigned_t<T>;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t column = 0; column < columns; ++column)
        c[row * columns + column] = static_cast<T>(static_cast<Wide>(c[row * columns + column]) +
                                                   static_cast<uint64_t>(static_cast<Wide>(a[row * depth + k])) *
                                                       static_cast<Wide>(b[k * columns + column]));
}

/// One product of matrices whose elements have the compute type. `c` is zero before.
static void multiplyMatrices(Type type, const char *a, const char *b, char *c, int64_t rows, int64_t columns,
                             int64_t depth) {
  dispatchElement(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto at = [](auto *bytes) { return reinterpret_cast<const T *>(bytes); };
    if constexpr (std::is_floating_point_v<T>)
      multiply(at(a), at(b), reinterpret_cast<T *>(c), rows, columns, depth);
    else if constexpr (std::is_integral_v<T>)
      multiplyIntegers(at(a), at(b), reinterpret_cast<T *>(c), rows, columns, depth);
  });
}

static Result evaluateMatMul(MatMulOp op, Operands operands, const ReferenceScope &) {
  Dims lhs(operands[0].getDims()), rhs(operands[1].getDims());
  if (lhs.empty() || rhs.empty())
    return emitError(op) << "(1) an operand has rank 0";
  bool lhsIsVector = lhs.size() == 1, rhsIsVector = rhs.size() == 1;
  if (lhsIsVector)
    lhs.insert(lhs.begin(), 1);
  if (rhsIsVector)
    rhs.push_back(1);
  int64_t rows = lhs.end()[-2], depth = lhs.back(), columns = rhs.back();
  if (rhs.end()[-2] != depth)
    return emitError(op) << "(2) the contracted dims are " << depth << " of " << describeOperand(op, 0) << " and "
                         << rhs.end()[-2] << " of " << describeOperand(op, 1) << "; their dims are "
                         << print(operands[0].getDims()) << " and " << print(operands[1].getDims());
  ArrayRef<int64_t> lhsBatch = ArrayRef<int64_t>(lhs).drop_back(2), rhsBatch = ArrayRef<int64_t>(rhs).drop_back(2);
  FailureOr<Dims> batch = broadcast(op, {lhsBatch, rhsBatch});
  if (failed(batch))
    return failure();

  Dims dims = *batch;
  if (!lhsIsVector)
    dims.push_back(rows);
  if (!rhsIsVector)
    dims.push_back(columns);
  Type resultType = getResultElementType(op), type = getComputeType(resultType);
  Result result = allocate(op, type, dims);
  std::optional<ReferenceTensor> a = convert(operands[0], type), b = convert(operands[1], type);
  if (failed(result) || !a || !b)
    return failure();

  int64_t bytes = result->getElementBytes();
  char *out = result->getMutableData();
  std::array<Dims, 2> strides = {getBroadcastStrides(lhsBatch, *batch), getBroadcastStrides(rhsBatch, *batch)};
  forEachRun<2>(*batch, strides, [&](int64_t count, auto offsets, auto steps) {
    for (int64_t i = 0; i < count; ++i, out += rows * columns * bytes)
      multiplyMatrices(type, a->getBytes().data() + (offsets[0] + i * steps[0]) * rows * depth * bytes,
                       b->getBytes().data() + (offsets[1] + i * steps[1]) * depth * columns * bytes, out, rows, columns,
                       depth);
  });
  if (std::optional<ReferenceTensor> rounded = convert(*result, resultType))
    return *rounded;
  return failure();
}

namespace {
/// The sizes of a convolution.
struct Window {
  Dims input, kernel, output; ///< spatial dims
  ArrayRef<int64_t> strides, dilations, pads;
  int64_t taps = 1, places = 1; ///< products of `kernel` and of `output`
};
} // namespace

/// Spreads the input of one group into a matrix of (channel, kernel place) x (output place), zeros in the border.
template <typename T>
static void gatherColumns(const T *input, T *columns, int64_t channels, const Window &window) {
  size_t rank = window.input.size();
  int64_t channelSize = *dyn::getNumElements(window.input);
  Dims tap(rank, 0), place(rank, 0);
  auto advance = [rank](Dims &position, const Dims &limits) {
    for (size_t dim = rank; dim-- > 0;) {
      if (++position[dim] < limits[dim])
        return;
      position[dim] = 0;
    }
  };
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t i = 0; i < window.taps; ++i, advance(tap, window.kernel)) {
      for (int64_t j = 0; j < window.places; ++j, advance(place, window.output)) {
        int64_t offset = 0;
        bool inside = true;
        for (size_t dim = 0; dim < rank; ++dim) {
          int64_t at = place[dim] * window.strides[dim] + tap[dim] * window.dilations[dim] - window.pads[dim];
          inside &= at >= 0 && at < window.input[dim];
          offset = offset * window.input[dim] + at;
        }
        *columns++ = inside ? input[channel * channelSize + offset] : T(0);
      }
    }
  }
}

static Result evaluateConv(ConvOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> inputDims = operands[0].getDims(), filterDims = operands[1].getDims();
  size_t rank = inputDims.size();
  int64_t group = op.getGroup();
  if (rank < 2 || filterDims.size() != rank || op.getStrides().size() != rank - 2 ||
      op.getDilations().size() != rank - 2 || op.getPads().size() != 2 * (rank - 2))
    return emitError(op) << "does not fit operands of dims " << print(inputDims) << " and " << print(filterDims);
  int64_t filters = filterDims[0], depth = filterDims[1];
  if (inputDims[1] != depth * group || filters % group != 0)
    return emitError(op) << "(3) " << describeOperand(op, 0) << " of dims " << print(inputDims) << " and filters, "
                         << describeOperand(op, 1) << ", of dims " << print(filterDims) << " do not fit in " << group
                         << " groups";
  Window window;
  window.strides = op.getStrides();
  window.dilations = op.getDilations();
  window.pads = op.getPads();
  Dims dims = {inputDims[0], filters};
  for (size_t dim = 0; dim < rank - 2; ++dim) {
    int64_t size = inputDims[dim + 2], kernel = filterDims[dim + 2];
    int64_t room = size + window.pads[dim] + window.pads[rank - 2 + dim] - ((kernel - 1) * window.dilations[dim] + 1);
    if (room < 0)
      return emitError(op) << "a window of " << kernel << " does not fit into spatial dim " << dim << ", which is "
                           << size;
    window.input.push_back(size);
    window.kernel.push_back(kernel);
    window.output.push_back(room / window.strides[dim] + 1);
    window.taps *= kernel;
    window.places *= window.output.back();
    dims.push_back(window.output.back());
  }

  Type resultType = getResultElementType(op), type = getComputeType(resultType);
  Result result = allocate(op, type, dims);
  Result columns = allocate(op, type, {depth * window.taps, window.places});
  std::optional<ReferenceTensor> input = convert(operands[0], type), filter = convert(operands[1], type);
  if (failed(result) || failed(columns) || !input || !filter)
    return failure();
  int64_t bytes = result->getElementBytes(), filtersOfGroup = filters / group;
  int64_t groupSize = depth * *dyn::getNumElements(window.input);
  for (int64_t image = 0; image < dims[0]; ++image) {
    for (int64_t part = 0; part < group; ++part) {
      int64_t index = image * group + part;
      dispatchElement(type, [&](auto tag) {
        using T = typename decltype(tag)::Type;
        if constexpr (!isBoolean<T>)
          gatherColumns(input->getElements<T>().data() + index * groupSize, columns->template getMutableElements<T>(),
                        depth, window);
      });
      multiplyMatrices(type, filter->getBytes().data() + part * filtersOfGroup * depth * window.taps * bytes,
                       columns->getBytes().data(),
                       result->getMutableData() + index * filtersOfGroup * window.places * bytes, filtersOfGroup,
                       window.places, depth * window.taps);
    }
  }
  if (std::optional<ReferenceTensor> rounded = convert(*result, resultType))
    return *rounded;
  return failure();
}

void reference::attachContractionModels(MLIRContext *context) {
  attach<MatMulOp, evaluateMatMul>(context);
  attach<ConvOp, evaluateConv>(context);
}
