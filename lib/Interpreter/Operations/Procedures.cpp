//===- Evaluation of procedures --------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include <vector>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

/// The elements of a float tensor.
static std::vector<double> widen(const ReferenceTensor &tensor) {
  std::vector<double> values;
  dispatchElement(tensor.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (T value : tensor.getElements<T>())
      values.push_back(static_cast<double>(value));
  });
  return values;
}

static Result narrow(Operation *op, Type type, ArrayRef<int64_t> dims, ArrayRef<double> values) {
  Result result = allocate(op, type, dims);
  if (succeeded(result))
    dispatchElement(type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      llvm::transform(values, result->template getMutableElements<T>(),
                      [](double value) { return convertElement<T>(value); });
    });
  return result;
}

//===----------------------------------------------------------------------===//
// Suppression of boxes
//===----------------------------------------------------------------------===//

namespace {
struct Box {
  float top, left, bottom, right;

  Box(const double *numbers, bool isCentre) {
    float a = static_cast<float>(numbers[0]), b = static_cast<float>(numbers[1]), c = static_cast<float>(numbers[2]),
          d = static_cast<float>(numbers[3]);
    if (isCentre) {
      left = a - c / 2;
      right = a + c / 2;
      top = b - d / 2;
      bottom = b + d / 2;
    } else {
      top = std::min(a, c);
      bottom = std::max(a, c);
      left = std::min(b, d);
      right = std::max(b, d);
    }
  }
  float getArea() const { return (bottom - top) * (right - left); }
  bool overlaps(const Box &other, float limit) const {
    float height = std::min(bottom, other.bottom) - std::max(top, other.top);
    float width = std::min(right, other.right) - std::max(left, other.left);
    if (height <= 0 || width <= 0 || getArea() <= 0 || other.getArea() <= 0)
      return false;
    float shared = height * width;
    return shared / (getArea() + other.getArea() - shared) > limit;
  }
};
} // namespace

static Result evaluateSuppress(SuppressOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> boxDims = operands[0].getDims(), dims = operands[1].getDims();
  if (boxDims.size() != 3 || dims.size() != 3 || boxDims[0] != dims[0] || boxDims[1] != dims[2] || boxDims[2] != 4 ||
      operands[2].getDims() != dims)
    return emitError(op) << "boxes of dims " << print(boxDims) << " do not fit places of dims " << print(dims)
                         << " and scores of dims " << print(operands[2].getDims());
  for (size_t index : {3, 4, 5})
    if (failed(requireOneElement(op, index, operands[index])))
      return failure();
  std::vector<double> boxes = widen(operands[0]), scores = widen(operands[2]);
  SmallVector<int64_t> order = operands[1].getIntegers();
  int64_t maxCount = operands[3].getIntegers().front(), count = dims[2];
  auto maxOverlap = static_cast<float>(widen(operands[4]).front());
  double minScore = widen(operands[5]).front();
  SmallVector<int64_t> stays(order.size(), 0);
  for (int64_t row = 0; row < dims[0] * dims[1]; ++row) {
    std::vector<Box> kept;
    for (int64_t i = 0; i < count && static_cast<int64_t>(kept.size()) < maxCount; ++i) {
      int64_t place = row * count + i, box = order[place];
      if (box < 0 || box >= count)
        return emitError(op) << "the place " << box << " of a box is out of bounds for " << count << " boxes";
      if (!(scores[place] > minScore))
        continue;
      Box candidate(&boxes[(row / dims[1] * count + box) * 4], op.getCentres());
      if (llvm::any_of(kept, [&](const Box &other) { return candidate.overlaps(other, maxOverlap); }))
        continue;
      kept.push_back(candidate);
      stays[place] = 1;
    }
  }
  return makeIntegers(op, stays, dims, getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// Regions of feature maps
//===----------------------------------------------------------------------===//

namespace {
/// The two neighbours of a point along one dim and the weight of the second; nothing outside, and for NaN.
struct Neighbours {
  int64_t low, high;
  double weight;

  static std::optional<Neighbours> find(double place, int64_t size) {
    bool counts = place >= -1 && place <= static_cast<double>(size);
    if (!counts)
      return std::nullopt;
    place = std::max(place, 0.0);
    auto low = static_cast<int64_t>(place);
    if (low >= size - 1)
      return Neighbours{size - 1, size - 1, 0};
    return Neighbours{low, low + 1, place - static_cast<double>(low)};
  }
};

/// Where the samples of a region lie along one dim.
struct RegionSide {
  double begin, binSize;
  int64_t samples;

  RegionSide(double first, double last, int64_t bins, RoiAlignOp op) {
    double scale = op.getScale().convertToDouble(), shift = op.getHalfPixel() ? 0.5 : 0;
    begin = first * scale - shift;
    double extent = last * scale - shift - begin;
    if (!op.getHalfPixel())
      extent = std::max(extent, 1.0);
    binSize = extent / static_cast<double>(bins);
    samples = static_cast<int64_t>(op.getSamples());
    // None where it is NaN. What is beyond all bounds, and may be no integer, is refused too.
    if (samples == 0 && binSize > 0)
      samples = static_cast<int64_t>(std::ceil(std::min<double>(binSize, RoiAlignOp::kMostSamples + 1)));
  }
  double getPlace(int64_t bin, int64_t sample) const {
    return begin +
           (static_cast<double>(bin) + (static_cast<double>(sample) + 0.5) / static_cast<double>(samples)) * binSize;
  }
};
} // namespace

/// One bin of one channel of a map.
static double computeBin(RoiAlignOp op, const double *map, int64_t height, int64_t width, const RegionSide &vertical,
                         const RegionSide &horizontal, int64_t row, int64_t column) {
  double sum = 0, greatest = 0;
  bool isFirst = true;
  for (int64_t i = 0; i < vertical.samples; ++i)
    for (int64_t j = 0; j < horizontal.samples; ++j) {
      auto y = Neighbours::find(vertical.getPlace(row, i), height);
      auto x = Neighbours::find(horizontal.getPlace(column, j), width);
      double parts[4] = {0, 0, 0, 0};
      if (x && y) {
        parts[0] = (1 - y->weight) * (1 - x->weight) * map[y->low * width + x->low];
        parts[1] = (1 - y->weight) * x->weight * map[y->low * width + x->high];
        parts[2] = y->weight * (1 - x->weight) * map[y->high * width + x->low];
        parts[3] = y->weight * x->weight * map[y->high * width + x->high];
      }
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      // The maximum is that of the weighted neighbours, as ONNX's definition has it.
      double best = *std::max_element(std::begin(parts), std::end(parts));
      greatest = isFirst ? best : std::max(greatest, best);
      isFirst = false;
    }
  if (op.getMax())
    return greatest;
  return sum / static_cast<double>(std::max<int64_t>(vertical.samples * horizontal.samples, 1));
}

static Result evaluateRoiAlign(RoiAlignOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> dims = operands[0].getDims(), roiDims = operands[1].getDims(), batchDims = operands[2].getDims();
  if (dims.size() != 4 || roiDims.size() != 2 || roiDims[1] != 4 || batchDims != roiDims.take_front(1))
    return emitError(op) << "regions of dims " << print(roiDims) << " of batches of dims " << print(batchDims)
                         << " do not fit maps of dims " << print(dims);
  std::vector<double> maps = widen(operands[0]), rois = widen(operands[1]), values;
  SmallVector<int64_t> batches = operands[2].getIntegers();
  auto height = static_cast<int64_t>(op.getHeight()), width = static_cast<int64_t>(op.getWidth());
  for (int64_t roi = 0; roi < roiDims[0]; ++roi) {
    int64_t batch = batches[roi];
    if (batch < 0 || batch >= dims[0])
      return emitError(op) << "index " << batch << " is out of bounds for dim 0, which is " << dims[0];
    const double *corners = &rois[roi * 4];
    RegionSide vertical(corners[1], corners[3], height, op), horizontal(corners[0], corners[2], width, op);
    for (int64_t samples : {vertical.samples, horizontal.samples})
      if (samples > RoiAlignOp::kMostSamples)
        return emitError(op) << "region " << roi << " has bins of " << samples << " samples, more than "
                             << RoiAlignOp::kMostSamples;
    if (dims[2] * dims[3] == 0 && dims[1] != 0)
      return emitError(op) << "maps of dims " << print(dims) << " have no pixels";
    for (int64_t channel = 0; channel < dims[1]; ++channel)
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column)
          values.push_back(computeBin(op, &maps[(batch * dims[1] + channel) * dims[2] * dims[3]], dims[2], dims[3],
                                      vertical, horizontal, row, column));
  }
  return narrow(op, operands[0].getElementType(), {roiDims[0], dims[1], height, width}, values);
}

//===----------------------------------------------------------------------===//
// Determinants and inverses
//===----------------------------------------------------------------------===//

/// By elimination with the greatest pivots.
static double computeDeterminant(std::vector<double> matrix, int64_t size) {
  double product = 1;
  for (int64_t step = 0; step < size; ++step) {
    int64_t pivot = step;
    for (int64_t row = step + 1; row < size; ++row)
      if (std::abs(matrix[row * size + step]) > std::abs(matrix[pivot * size + step]))
        pivot = row;
    if (matrix[pivot * size + step] == 0)
      return 0;
    if (pivot != step) {
      std::swap_ranges(&matrix[pivot * size], &matrix[pivot * size] + size, &matrix[step * size]);
      product = -product;
    }
    product *= matrix[step * size + step];
    for (int64_t row = step + 1; row < size; ++row) {
      double factor = matrix[row * size + step] / matrix[step * size + step];
      for (int64_t column = step; column < size; ++column)
        matrix[row * size + column] -= factor * matrix[step * size + column];
    }
  }
  return product;
}

static LogicalResult verifySquares(Operation *op, ArrayRef<int64_t> dims) {
  if (dims.size() < 2 || dims.back() != dims[dims.size() - 2])
    return emitError(op) << "an operand of dims " << print(dims) << " does not hold square matrices";
  return success();
}

static Result evaluateDet(DetOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> dims = operands[0].getDims();
  if (failed(verifySquares(op, dims)))
    return failure();
  // Of empty matrices there may be more than fit into memory.
  Result result = allocate(op, operands[0].getElementType(), dims.drop_back(2));
  if (failed(result))
    return failure();
  std::vector<double> elements = widen(operands[0]), values;
  int64_t size = dims.back(), count = result->getNumElements();
  for (int64_t i = 0; i < count; ++i)
    values.push_back(computeDeterminant(
        std::vector<double>(elements.begin() + i * size * size, elements.begin() + (i + 1) * size * size), size));
  return narrow(op, operands[0].getElementType(), dims.drop_back(2), values);
}

/// By elimination with the greatest pivots, above the diagonal too.
static void invert(std::vector<double> matrix, int64_t size, double *inverse) {
  std::fill_n(inverse, size * size, 0);
  for (int64_t i = 0; i < size; ++i)
    inverse[i * size + i] = 1;
  for (int64_t step = 0; step < size; ++step) {
    int64_t pivot = step;
    for (int64_t row = step + 1; row < size; ++row)
      if (std::abs(matrix[row * size + step]) > std::abs(matrix[pivot * size + step]))
        pivot = row;
    double divisor = matrix[pivot * size + step];
    for (double *rows : {matrix.data(), inverse}) {
      if (pivot != step)
        std::swap_ranges(rows + pivot * size, rows + (pivot + 1) * size, rows + step * size);
      for (int64_t column = 0; column < size; ++column)
        rows[step * size + column] /= divisor;
    }
    for (int64_t row = 0; row < size; ++row) {
      double factor = matrix[row * size + step];
      for (double *rows : {matrix.data(), inverse})
        for (int64_t column = 0; row != step && column < size; ++column)
          rows[row * size + column] -= factor * rows[step * size + column];
    }
  }
}

static Result evaluateInverse(InverseOp op, Operands operands, const ReferenceScope &) {
  ArrayRef<int64_t> dims = operands[0].getDims();
  if (failed(verifySquares(op, dims)))
    return failure();
  std::vector<double> elements = widen(operands[0]), values(elements.size());
  int64_t area = dims.back() * dims.back();
  for (size_t place = 0; place < elements.size(); place += static_cast<size_t>(area))
    invert(std::vector<double>(elements.begin() + place, elements.begin() + place + area), dims.back(), &values[place]);
  return narrow(op, operands[0].getElementType(), dims, values);
}

void reference::attachProcedureModels(MLIRContext *context) {
  attach<SuppressOp, evaluateSuppress>(context);
  attach<RoiAlignOp, evaluateRoiAlign>(context);
  attach<DetOp, evaluateDet>(context);
  attach<InverseOp, evaluateInverse>(context);
}
