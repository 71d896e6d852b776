//===- Import of what draws random numbers ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RandomNumbers.h"
#include "../OperatorRegistry.h"
#include "Builders.h"
#include "dyn/Target/ONNX/ElementTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

uint64_t onnx::getRandomKey(NodeImport &node) {
  const NodeAttribute *seed = node.node.getAttribute("seed");
  if (!seed)
    return llvm::xxh3_64bits(node.node.getLabel());
  return seed->kind == NodeAttribute::Kind::Int ? static_cast<uint64_t>(seed->i) : llvm::bit_cast<uint32_t>(seed->f);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic on unsigned integers of 64 bits, which wraps around.
class BitBuilder {
public:
  explicit BitBuilder(NodeImport &node) : node(node) {}

  Value times(Value x, uint64_t factor) { return node.mul(x, constant(factor)); }
  Value plus(Value x, uint64_t term) { return node.add(x, constant(term)); }
  Value shiftRight(Value x, unsigned count) { return node.div(x, constant(uint64_t(1) << count)); }
  Value mixWithShifted(Value x, unsigned count) { return node.binary<XorOp>(x, shiftRight(x, count)); }
  Type getType() { return node.builder.getIntegerType(64, /*isSigned=*/false); }

private:
  Value constant(uint64_t value) {
    return node.constant(DenseElementsAttr::get(RankedTensorType::get({}, getType()), APInt(64, value)));
  }

  NodeImport &node;
};
} // namespace

/// 64 bits for each of so many places: splitmix64, whose state at a place is known without those before it (Steele, Lea
/// and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
static Value drawBits(NodeImport &node, uint64_t key, Value count) {
  BitBuilder bits(node);
  constexpr uint64_t goldenGamma = 0x9e3779b97f4a7c15;
  // Keys that differ in a bit would start sequences that run beside each other.
  uint64_t start = llvm::xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(&key), sizeof(key)));
  Value state = bits.plus(bits.times(node.cast(countTo(node, count), bits.getType()), goldenGamma), start);
  state = bits.times(bits.mixWithShifted(state, 30), 0xbf58476d1ce4e5b9);
  state = bits.times(bits.mixWithShifted(state, 27), 0x94d049bb133111eb);
  return bits.mixWithShifted(state, 31);
}

/// 16-bit floats have too few bits for logarithms, and for ranges.
static Type getComputeType(Type elementType) {
  return elementType.isF64() ? elementType : Float32Type::get(elementType.getContext());
}

/// The highest bits, as many as the significand of a float type holds, as a multiple of their last one in [0, 1); in
/// the type to compute in.
static Value toFraction(NodeImport &node, Value bits, Type elementType) {
  unsigned count = cast<FloatType>(elementType).getFPMantissaWidth();
  Value high = node.cast(BitBuilder(node).shiftRight(bits, 64 - count), getComputeType(elementType));
  return node.mul(high, node.scalar(std::ldexp(1.0, -static_cast<int>(count)), high));
}

static Value countElements(NodeImport &node, Value shape) {
  return node.reduce(ReduceKind::Prod, shape, std::nullopt, /*keepDims=*/false);
}

Value onnx::drawUniform(NodeImport &node, uint64_t key, Value shape, Type elementType) {
  Value flat = toFraction(node, drawBits(node, key, countElements(node, shape)), elementType);
  return node.reshapeTo(flat, shape, /*allowZero=*/true);
}

/// Of mean 0 and deviation 1, by the method of Box and Muller (1958).
static Value drawNormal(NodeImport &node, uint64_t key, Value shape, Type elementType) {
  Value count = countElements(node, shape);
  Value radius = toFraction(node, drawBits(node, key, count), elementType);
  Value turn = toFraction(node, drawBits(node, ~key, count), elementType);
  // From (0, 1], of which there are logarithms.
  Value positive = node.sub(node.scalar(1, radius), radius);
  Value distance = node.sqrt(node.mul(node.log(positive), node.scalar(-2, radius)));
  Value angle = node.mul(turn, node.scalar(2 * llvm::numbers::pi, turn));
  return node.reshapeTo(node.mul(distance, node.unary<CosOp>(angle)), shape, /*allowZero=*/true);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The dims that an attribute says.
static Value getShapeAttribute(NodeImport &node) {
  std::optional<SmallVector<int64_t>> shape = node.getInts("shape");
  if (!shape && !node.hasFailed())
    (void)node.error("attribute 'shape' is missing");
  if (shape && llvm::any_of(*shape, [](int64_t dim) { return dim < 0; }))
    (void)node.error("attribute 'shape' has a dim below 0");
  return node.hasFailed() ? Value() : node.i64Vector(*shape);
}

/// The float type that the attribute `dtype` names, or else that of `fallback`.
static Type getFloatType(NodeImport &node, Type fallback) {
  Type type = fallback;
  if (node.hasAttribute("dtype"))
    type = getTypeOfNumber(static_cast<int32_t>(node.getInt("dtype", 0)), node.builder.getContext());
  if (!isa_and_present<FloatType>(type))
    (void)node.error("random numbers are floats; attribute 'dtype' says which");
  return type;
}

/// Numbers between `low` and `high`, or around `mean`.
template <bool isNormal>
static LogicalResult finishNumbers(NodeImport &node, Value shape, Type elementType) {
  double start = node.getFloat(isNormal ? "mean" : "low", 0), extent = node.getFloat(isNormal ? "scale" : "high", 1);
  if (node.hasFailed())
    return failure();
  uint64_t key = getRandomKey(node);
  Value drawn =
      isNormal ? drawNormal(node, key, shape, getComputeType(elementType)) : drawUniform(node, key, shape, elementType);
  Value scaled = node.mul(drawn, node.scalar(isNormal ? extent : extent - start, drawn));
  return node.finish(node.cast(node.add(scaled, node.scalar(start, drawn)), elementType));
}

template <bool isNormal>
static LogicalResult importNumbers(NodeImport &node) {
  Value shape = getShapeAttribute(node);
  Type type = getFloatType(node, node.builder.getF32Type());
  return node.hasFailed() ? failure() : finishNumbers<isNormal>(node, shape, type);
}

template <bool isNormal>
static LogicalResult importNumbersLike(NodeImport &node) {
  Value like = node.getOperand(0);
  Type type = getFloatType(node, NodeImport::getElementType(like));
  return node.hasFailed() ? failure() : finishNumbers<isNormal>(node, node.shapeOf(like), type);
}

/// 1 with the probability that the operand says, else 0.
static LogicalResult importBernoulli(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  if (node.hasAttribute("dtype"))
    type = getTypeOfNumber(static_cast<int32_t>(node.getInt("dtype", 0)), node.builder.getContext());
  if (!type || node.hasFailed())
    return node.error("attribute 'dtype' names no type of numbers");
  Type computeType = getComputeType(NodeImport::getElementType(x));
  Value drawn = drawUniform(node, getRandomKey(node), node.shapeOf(x), computeType);
  return node.finish(node.cast(node.compare(CompareDirection::LT, drawn, node.cast(x, computeType)), type));
}

/// Classes by their logarithmic weights: how many of the running sums of weights a number below their sum reaches.
static LogicalResult importMultinomial(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t count = node.getInt("sample_size", 1);
  Type type = getTypeOfNumber(static_cast<int32_t>(node.getInt("dtype", 6)), node.builder.getContext());
  if (failed(node.requireRanks({{0, 2}})))
    return failure();
  if (count < 0 || !type || !type.isSignlessInteger())
    return node.error(count < 0 ? "attribute 'sample_size' is below 0" : "attribute 'dtype' names no integers");
  x = node.cast(x, getComputeType(NodeImport::getElementType(x)));
  Value greatest = node.reduce(ReduceKind::Max, x, ArrayRef<int64_t>(1), /*keepDims=*/true);
  Value weights = node.exp(node.sub(x, greatest));
  Value sums = CumSumOp::create(node.builder, node.loc, NodeImport::makeTypeLike(weights), weights, /*axis=*/1,
                                /*exclusive=*/false, /*reverse=*/false, /*product=*/false);
  Value all = node.reduce(ReduceKind::Sum, weights, ArrayRef<int64_t>(1), /*keepDims=*/true);
  Value shape = node.concat(0, {getDims(node, x, 0, 1), node.i64Vector({count})});
  Value drawn = drawUniform(node, getRandomKey(node), shape, NodeImport::getElementType(x));
  Value reached = node.compare(CompareDirection::LE, node.unsqueeze(sums, 1), node.unsqueeze(node.mul(drawn, all), 2));
  Value index = node.reduce(ReduceKind::Sum, node.cast(reached, node.builder.getI64Type()), ArrayRef<int64_t>(2),
                            /*keepDims=*/false);
  // Sums are rounded.
  Value last = node.sub(getDim(node, x, 1), node.i64Scalar(1));
  return node.finish(node.cast(node.min(index, last), type));
}

/// An operand that is known to be one number, or not there if `isAlsoMissing`.
static bool isNumber(NodeImport &node, size_t index, double number, bool isAlsoMissing) {
  return node.hasOperand(index) ? NodeImport::getConstantNumber(node.getOperand(index)) == number : isAlsoMissing;
}

bool onnx::dropsNothing(NodeImport &node, size_t ratio, size_t training) {
  return isNumber(node, ratio, 0, /*isAlsoMissing=*/false) || isNumber(node, training, 0, /*isAlsoMissing=*/true);
}

Dropped onnx::dropRandomly(NodeImport &node, Value x, size_t ratioIndex, size_t trainingIndex) {
  Type elementType = NodeImport::getElementType(x), computeType = getComputeType(elementType);
  Value ratio = node.hasOperand(ratioIndex) ? node.cast(asScalar(node, node.getOperand(ratioIndex)), computeType)
                                            : node.scalar(0.5, computeType);
  Value training = asScalar(node, node.getOperand(trainingIndex));
  Value drawn = drawUniform(node, getRandomKey(node), node.shapeOf(x), computeType);
  Value stays = node.compare(CompareDirection::GE, drawn, ratio);
  Value scaled = node.div(node.cast(x, computeType), node.sub(node.scalar(1, ratio), ratio));
  Value dropped = node.select(stays, node.cast(scaled, elementType), node.scalar(0, x));
  return {node.select(training, dropped, x), node.binary<OrOp>(stays, node.unary<NotOp>(training))};
}

void onnx::registerRandomNumbers(OperatorRegistry &registry) {
  registry.add("RandomUniform", 0, 0, importNumbers</*isNormal=*/false>);
  registry.add("RandomNormal", 0, 0, importNumbers</*isNormal=*/true>);
  registry.add("RandomUniformLike", 1, 1, importNumbersLike</*isNormal=*/false>);
  registry.add("RandomNormalLike", 1, 1, importNumbersLike</*isNormal=*/true>);
  registry.add("Bernoulli", 1, 1, importBernoulli);
  registry.add("Multinomial", 1, 1, importMultinomial);
}
