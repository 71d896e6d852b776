//===- Import of Fourier transforms and what goes with them -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Formulas.h"
#include "Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static constexpr double kPi = 3.14159265358979323846;

namespace {

/// The discrete Fourier transform along the last dim, as products with matrices of cosines and sines.
class FourierTransform {
public:
  /// `length` is an i64 scalar, the number of points.
  FourierTransform(NodeImport &node, Value length, bool isInverse, bool isOneSided)
      : node(node), length(length), isInverse(isInverse), isOneSided(isOneSided) {}

  /// Both parts, or with `imaginary` null a real signal; the real part and the imaginary one, null where it is 0. Each
  /// has `rank` dims.
  std::pair<Value, Value> run(Value real, Value imaginary, int64_t rank);

private:
  Value toFloat(Value integers, Type type) { return node.cast(integers, type); }

  NodeImport &node;
  Value length;
  bool isInverse, isOneSided;
};

} // namespace

std::pair<Value, Value> FourierTransform::run(Value real, Value imaginary, int64_t rank) {
  Type type = NodeImport::getElementType(real);
  int64_t last = rank - 1;
  Value half = node.add(node.div(length, node.i64Scalar(2)), node.i64Scalar(1));
  bool isHalved = isInverse && isOneSided;
  // What lies behind the points is not read; what lacks is 0.
  Value end = asVector(node, isHalved ? half : length), zero = node.i64Vector({0});
  real = sliceTo(node, real, zero, end, last);
  if (imaginary)
    imaginary = sliceTo(node, imaginary, zero, end, last);
  Value count = isOneSided && !isInverse ? half : length;
  Value places = node.unsqueeze(countTo(node, asScalar(node, getDims(node, real, last, last + 1))), 1);
  // Angles repeat after a whole turn, so that few of their digits are lost.
  Value turns = node.binary<ModOp>(node.mul(places, countTo(node, count)), length);
  Value points = node.cast(length, type);
  Type f64 = node.builder.getF64Type();
  Value angles = node.mul(node.cast(turns, f64), node.div(node.scalar(2 * kPi, f64), node.cast(length, f64)));
  Value cosines = node.cast(node.unary<CosOp>(angles), type), sines = node.cast(node.unary<SinOp>(angles), type);
  if (isHalved) {
    // All points but the first and the middle one stand for two.
    Value isSingle = node.binary<OrOp>(node.compare(CompareDirection::EQ, places, node.i64Scalar(0)),
                                       node.compare(CompareDirection::EQ, node.mul(places, node.i64Scalar(2)), length));
    Value factor = node.select(isSingle, node.scalar(1, type), node.scalar(2, type));
    cosines = node.mul(cosines, factor);
    sines = node.mul(sines, factor);
  }
  if (!isInverse)
    sines = node.neg(sines);
  Value resultReal = node.matmul(real, cosines), resultImaginary;
  if (imaginary)
    resultReal = node.sub(resultReal, node.matmul(imaginary, sines));
  if (!isHalved) {
    resultImaginary = node.matmul(real, sines);
    if (imaginary)
      resultImaginary = node.add(resultImaginary, node.matmul(imaginary, cosines));
  }
  if (isInverse) {
    resultReal = node.div(resultReal, points);
    if (resultImaginary)
      resultImaginary = node.div(resultImaginary, points);
  }
  return {resultReal, resultImaginary};
}

/// The parts of numbers whose last dim is 1 or 2 long, of `rank` with it; the second is null where there is none.
static std::pair<Value, Value> splitParts(NodeImport &node, Value x, int64_t rank) {
  int64_t last = rank - 1;
  Value real = node.gather(x, node.i64Scalar(0), last);
  // The type of what an If gives may lack the rank that the file tells.
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  int64_t parts = dims && !dims->empty() ? dims->back() : ShapedType::kDynamic;
  if (parts == 1)
    return {real, Value()};
  if (parts == 2)
    return {real, node.gather(x, node.i64Scalar(1), last)};
  requireAtMost(node, getDims(node, x, last, rank), node.i64Vector({2}),
                "dim " + Twine(last) + " of the numbers, their parts, must be 1 or 2");
  // The sum of nothing is 0.
  return {real, node.reduce(ReduceKind::Sum, node.slice(x, 1, 2, last), last, /*keepDims=*/false)};
}

static Value joinParts(NodeImport &node, Value real, Value imaginary, int64_t last) {
  real = node.unsqueeze(real, last);
  return imaginary ? node.concat(last, {real, node.unsqueeze(imaginary, last)}) : real;
}

/// The number of points along an axis of `size`, an i64 scalar. There is no transform of no points, though one of half
/// of them would have one.
static Value getLength(NodeImport &node, Value size, bool isHalved) {
  if (node.hasOperand(1)) {
    Value length = node.cast(asScalar(node, node.getOperand(1)), node.builder.getI64Type());
    return requirePositive(node, length, "dft_length");
  }
  Value length = isHalved ? node.mul(node.sub(size, node.i64Scalar(1)), node.i64Scalar(2)) : size;
  return requirePositive(node, length, "the number of points");
}

/// An axis that is known at the run only: what lies before and behind it become a dim each.
static LogicalResult importDFTAtRun(NodeImport &node, int64_t rank) {
  Value x = node.getOperand(0), shape = node.shapeOf(x), places = node.i64Vector(llvm::to_vector(llvm::seq(rank)));
  bool isInverse = node.getInt("inverse", 0) != 0, isOneSided = node.getInt("onesided", 0) != 0;
  if (node.hasFailed())
    return failure();
  // Looked up, so that it is in range and counted from the front. The last dim, of parts, is out of range for `wave`.
  Value axis = node.gather(places, node.cast(asScalar(node, node.getOperand(2)), node.builder.getI64Type()), 0);
  Value wave = node.slice(shape, 0, rank - 1, 0), size = node.gather(wave, axis, 0);
  Value length = getLength(node, size, isInverse && isOneSided);
  auto multiply = [&](CompareDirection direction) {
    Value isPart = node.compare(direction, node.slice(places, 0, rank - 1, 0), axis);
    Value sizes = node.select(isPart, wave, node.i64Scalar(1));
    return node.reduce(ReduceKind::Prod, sizes, ArrayRef<int64_t>{0}, /*keepDims=*/true);
  };
  Value before = multiply(CompareDirection::LT), behind = multiply(CompareDirection::GT);
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  auto [real, imaginary] = splitParts(node, node.cast(x, computed), rank);
  Value merged = node.concat(0, {before, asVector(node, size), behind});
  auto turn = [&](Value part) {
    return part ? node.transpose(node.reshapeTo(part, merged, /*allowZero=*/true), ArrayRef<int64_t>{0, 2, 1}) : part;
  };
  auto result = FourierTransform(node, length, isInverse, isOneSided).run(turn(real), turn(imaginary), 3);
  Value points = getDims(node, result.first, 2, 3);
  Value isAxis = node.compare(CompareDirection::EQ, node.slice(places, 0, rank - 1, 0), axis);
  Value dims = node.select(isAxis, points, wave);
  auto turnBack = [&](Value part) {
    return part ? node.reshapeTo(node.transpose(part, ArrayRef<int64_t>{0, 2, 1}), dims, /*allowZero=*/true) : part;
  };
  return node.finish(node.cast(joinParts(node, turnBack(result.first), turnBack(result.second), rank - 1), type));
}

/// `axis` became an operand with opset 20.
static LogicalResult importDFT(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t rank = node.requireRank(0), axis = node.getInt("axis", 1);
  if (node.getVersion() >= 20) {
    std::optional<SmallVector<int64_t>> given;
    if (node.hasOperand(2) && !(given = NodeImport::getConstantInts(node.getOperand(2))) && rank >= 2)
      return importDFTAtRun(node, rank);
    axis = given && given->size() == 1 ? given->front() : -2;
  }
  axis = node.normalizeAxis(axis, rank);
  if (node.hasFailed())
    return failure();
  if (rank < 2 || axis == rank - 1)
    return node.error(rank < 2 ? "operand 0 has rank " + Twine(rank) : "the last dim holds the parts of numbers");
  bool isInverse = node.getInt("inverse", 0) != 0, isOneSided = node.getInt("onesided", 0) != 0;
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  Value length = getLength(node, asScalar(node, getDims(node, x, axis, axis + 1)), isInverse && isOneSided);
  auto [real, imaginary] = splitParts(node, node.cast(x, computed), rank);
  // The axis goes to the end, and back.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)), back = order;
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  std::rotate(back.begin() + axis, back.end() - 1, back.end());
  auto turn = [&](Value value, ArrayRef<int64_t> perm) { return value ? node.transpose(value, perm) : value; };
  auto result =
      FourierTransform(node, length, isInverse, isOneSided).run(turn(real, order), turn(imaginary, order), rank - 1);
  Value joined = joinParts(node, turn(result.first, back), turn(result.second, back), rank - 1);
  return node.finish(node.cast(joined, type));
}

/// onnxruntime's transform of the last `signal_ndim` dims, real to complex or back: along the last one of them the half
/// of the points that a real signal has, along the others all.
static LogicalResult importRealTransform(NodeImport &node, bool isInverse) {
  Value x = node.getOperand(0);
  int64_t rank = node.requireRank(0) - (isInverse ? 1 : 0);
  int64_t count = isInverse ? node.getRequiredInt("signal_ndim") : node.getInt("signal_ndim", 1);
  bool isOneSided = node.getInt("onesided", 1) != 0, isNormalized = node.getInt("normalized", 0) != 0;
  if (node.hasFailed())
    return failure();
  if (!isOneSided || isNormalized)
    return node.error(Twine("attribute '") + (isOneSided ? "normalized" : "onesided") + "' is " +
                      (isOneSided ? "1" : "0") + ", which is not supported");
  if (count < 1 || count > 3 || rank < count)
    return node.error("attribute 'signal_ndim' is " + Twine(count) + ", of " + Twine(rank) + " dims");
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  std::pair<Value, Value> parts(node.cast(x, computed), Value());
  if (isInverse)
    parts = splitParts(node, parts.first, rank + 1);
  auto transform = [&](int64_t axis, bool isHalved) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(order[axis], order.back());
    auto turn = [&](Value value) { return value ? node.transpose(value, ArrayRef<int64_t>(order)) : value; };
    Value length = asScalar(node, getDims(node, parts.first, axis, axis + 1));
    // An odd number of points: that is onnxruntime's choice.
    if (isHalved && isInverse)
      length = node.sub(node.mul(length, node.i64Scalar(2)), node.i64Scalar(1));
    auto result = FourierTransform(node, length, isInverse, isHalved).run(turn(parts.first), turn(parts.second), rank);
    parts = {turn(result.first), turn(result.second)};
  };
  if (!isInverse)
    transform(rank - 1, /*isHalved=*/true);
  for (int64_t axis = rank - 2; axis >= rank - count; --axis)
    transform(axis, /*isHalved=*/false);
  if (isInverse)
    transform(rank - 1, /*isHalved=*/true);
  Value y = isInverse ? parts.first : joinParts(node, parts.first, parts.second, rank);
  return node.finish(node.cast(y, type));
}

/// Frames of a signal B x L x (1 or 2), each times the window, transformed. PyTorch's exporter writes B x L for a real
/// one, which onnxruntime takes.
static LogicalResult importSTFT(NodeImport &node) {
  Value x = node.getOperand(0), window = node.getOperand(2);
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  bool hasRank = rank == 2 || rank == 3;
  if (!hasRank || (!window && !node.hasOperand(3)))
    return node.error(hasRank ? Twine("operand 2 (window) or 3 (frame_length) must be there")
                              : "operand 0 has rank " + Twine(rank) + " instead of 2 or 3");
  if (rank == 2)
    x = node.unsqueeze(x, 2);
  Type type = NodeImport::getElementType(x), computed = getComputeType(x), i64 = node.builder.getI64Type();
  Value step = node.cast(asScalar(node, node.getOperand(1)), i64);
  Value length = node.hasOperand(3) ? node.cast(asScalar(node, node.getOperand(3)), i64)
                                    : asScalar(node, getDims(node, window, 0, 1));
  // A dim may be 0, but not less: a signal that is shorter than a frame is refused.
  Value beyond = node.sub(getDims(node, x, 1, 2), asVector(node, length));
  Value others = fill(node, beyond, 1, 0, i64);
  explainGuards(node, others, "STFT: a frame must fit the signal");
  Value frames = node.add(node.div(getDim(node, others, 0), step), node.i64Scalar(1));
  Value places = node.add(node.unsqueeze(node.mul(countTo(node, frames), step), 1), countTo(node, length));
  if (node.hasFailed())
    return failure();
  auto [real, imaginary] = splitParts(node, node.cast(x, computed), 3);
  auto cut = [&](Value part) {
    if (!part)
      return part;
    part = node.gather(part, places, 1);
    return window ? node.mul(part, fitToAxis(node, node.cast(window, computed), part, -1)) : part;
  };
  bool isOneSided = node.getInt("onesided", 1) != 0;
  auto result = FourierTransform(node, length, /*isInverse=*/false, isOneSided).run(cut(real), cut(imaginary), 3);
  return node.finish(node.cast(joinParts(node, result.first, result.second, 3), type));
}

/// Triangles on the scale of mels: (length / 2 + 1) x bins.
static LogicalResult importMelWeightMatrix(NodeImport &node) {
  Type f64 = node.builder.getF64Type(), i64 = node.builder.getI64Type();
  Type type = node.builder.getF32Type();
  if (node.hasAttribute("output_datatype")) {
    auto number = static_cast<ElementType>(node.getInt("output_datatype", 1));
    type = getElementType(number, node.builder.getContext());
    if (!type)
      return node.error("elements of type " + getElementTypeName(number) + " are not supported");
  }
  auto scalar = [&](size_t operand, Type elementType) {
    return node.cast(asScalar(node, node.getOperand(operand)), elementType);
  };
  auto number = [&](double value) { return node.scalar(value, f64); };
  auto toMel = [&](Value hertz) {
    Value ratio = node.add(node.div(hertz, number(700)), number(1));
    return node.mul(node.log(ratio), number(2595 / std::log(10.0)));
  };
  Value bins = requireSize(node, scalar(0, i64), "num_mel_bins"),
        length = requireSize(node, scalar(1, i64), "dft_length"), rate = scalar(2, f64);
  Value low = toMel(scalar(3, f64)), high = toMel(scalar(4, f64));
  Value edges = node.add(bins, node.i64Scalar(2));
  Value step = node.div(node.sub(high, low), node.cast(edges, f64));
  Value mels = node.add(node.mul(node.cast(countTo(node, edges), f64), step), low);
  Value hertz = node.mul(node.sub(node.exp(node.mul(mels, number(std::log(10.0) / 2595))), number(1)), number(700));
  Value scaled = node.div(node.mul(node.cast(node.add(length, node.i64Scalar(1)), f64), hertz), rate);
  Value places = node.unary<FloorOp>(scaled);
  auto part = [&](int64_t begin) {
    return sliceTo(node, places, node.i64Vector({begin}), asVector(node, node.add(bins, node.i64Scalar(begin))), 0);
  };
  Value left = part(0), centre = part(1), right = part(2);
  Value rows = node.add(node.div(length, node.i64Scalar(2)), node.i64Scalar(1));
  Value row = node.unsqueeze(node.cast(countTo(node, rows), f64), 1);
  Value rise = node.sub(centre, left), fall = node.sub(right, centre), zero = number(0), one = number(1);
  auto isBetween = [&](Value begin, Value end, CompareDirection atEnd) {
    return node.binary<AndOp>(node.compare(CompareDirection::GE, row, begin), node.compare(atEnd, row, end));
  };
  Value isSteep = node.compare(CompareDirection::EQ, rise, zero);
  Value slope = node.div(node.sub(row, left), node.select(isSteep, one, rise));
  Value rising = node.select(isBetween(left, centre, CompareDirection::LE), node.select(isSteep, one, slope), zero);
  Value isFlat = node.compare(CompareDirection::EQ, fall, zero);
  Value falling = node.div(node.sub(right, row), node.select(isFlat, one, fall));
  Value result = node.select(isBetween(centre, right, CompareDirection::LT), falling, rising);
  return node.finish(node.cast(result, type));
}

/// A window by ONNX's definition, which counts to its length.
static LogicalResult importWindow(NodeImport &node) {
  Value size = asScalar(node, node.getOperand(0));
  Type type = NodeImport::getElementType(size);
  size = node.cast(requireSize(node, node.cast(size, node.builder.getI64Type()), "the size"), type);
  return node.graphs.importDefinition(node.node, size);
}

void onnx::registerSignals(OperatorRegistry &registry) {
  registry.add("DFT", 1, 3, importDFT);
  registry.add("STFT", 2, 4, importSTFT);
  registry.add("com.microsoft", "Rfft", 1, 1, [](NodeImport &node) { return importRealTransform(node, false); });
  registry.add("com.microsoft", "Irfft", 1, 1, [](NodeImport &node) { return importRealTransform(node, true); });
  registry.add("MelWeightMatrix", 5, 5, importMelWeightMatrix);
  for (StringRef window : {"BlackmanWindow", "HammingWindow", "HannWindow"})
    registry.add(window, 1, 1, importWindow);
}
