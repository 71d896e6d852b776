//===- Import of onnxruntime's operators on quantized tensors --------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../DynamicQuantization.h"
#include "../Formulas.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// A quantized tensor with the operands that say what its integers mean: x * scale of (x - zero).
struct Quantization {
  size_t scale, zero;
};

} // namespace

/// Emits an error, and gives a number instead, where an operand in the middle of the list is left out.
static Value getRequired(NodeImport &node, size_t operand, Type type) {
  if (node.hasOperand(operand))
    return node.getOperand(operand);
  (void)node.error("operand " + Twine(operand) + " is missing");
  return node.scalar(1, type);
}

/// The numbers that an operand stands for, as f32.
static Value dequantize(NodeImport &node, size_t operand, Quantization meaning) {
  Type i32 = node.builder.getI32Type(), f32 = node.builder.getF32Type();
  Value x = node.cast(getRequired(node, operand, i32), i32);
  if (node.hasOperand(meaning.zero))
    x = node.sub(x, asScalar(node, node.cast(node.getOperand(meaning.zero), i32)));
  return node.mul(node.cast(x, f32), asScalar(node, node.cast(getRequired(node, meaning.scale, f32), f32)));
}

/// Integers of `type` for the numbers.
static Value requantize(NodeImport &node, Value x, Quantization meaning, Type type) {
  Type f32 = node.builder.getF32Type();
  Value number =
      node.unary<RoundOp>(node.div(x, asScalar(node, node.cast(getRequired(node, meaning.scale, f32), f32))));
  if (node.hasOperand(meaning.zero))
    number = node.add(number, asScalar(node, node.cast(node.getOperand(meaning.zero), f32)));
  return quantize(node, number, type);
}

static Type getType(NodeImport &node, size_t operand) { return NodeImport::getElementType(node.getOperand(operand)); }

/// Operands 3 and 4 of the node are the scale and the zero of its result, 1 and 2 those of operand 0.
template <Value (*emit)(NodeImport &, Value)>
static LogicalResult importUnary(NodeImport &node) {
  Value result = emit(node, dequantize(node, 0, {1, 2}));
  return node.finish(requantize(node, result, {3, 4}, getType(node, 0)));
}

/// Operands are 3 for each factor or term and 2 for the result. All scales become one factor, and zeros are added
/// before rounding, as in onnxruntime, which decides what halves become.
template <bool isProduct>
static LogicalResult importBinary(NodeImport &node) {
  Type i32 = node.builder.getI32Type(), f32 = node.builder.getF32Type();
  auto read = [&](size_t operand) {
    Value x = node.cast(getRequired(node, operand, i32), i32);
    if (node.hasOperand(operand + 2))
      x = node.sub(x, asScalar(node, node.cast(node.getOperand(operand + 2), i32)));
    return x;
  };
  auto readScale = [&](size_t operand) { return asScalar(node, node.cast(getRequired(node, operand, f32), f32)); };
  Value left = read(0), right = read(3), scale = readScale(6), number;
  if (isProduct) {
    Value factor = node.div(node.mul(readScale(1), readScale(4)), scale);
    number = node.mul(node.cast(node.mul(left, right), f32), factor);
  } else {
    number = node.add(node.mul(node.cast(left, f32), node.div(readScale(1), scale)),
                      node.mul(node.cast(right, f32), node.div(readScale(4), scale)));
  }
  if (node.hasOperand(7))
    number = node.add(number, asScalar(node, node.cast(node.getOperand(7), f32)));
  return node.finish(quantize(node, number, getType(node, 0)));
}

static Value emitSigmoid(NodeImport &node, Value x) { return node.unary<SigmoidOp>(x); }

static Value emitLeakyRelu(NodeImport &node, Value x) {
  Value isPositive = node.compare(CompareDirection::GE, x, node.scalar(0, x));
  return node.select(isPositive, x, node.mul(x, node.scalar(node.getFloat("alpha", 0.01f), x)));
}

static Value emitMean(NodeImport &node, Value x, ArrayRef<int64_t> axes) {
  return node.reduce(ReduceKind::Mean, x, axes, /*keepDims=*/true);
}

static LogicalResult importGlobalAveragePool(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  bool isLast = node.getInt("channels_last", 0) != 0;
  if (rank < 2)
    return node.error("operands of rank " + Twine(rank) + " have no channels");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(isLast ? 1 : 2, isLast ? rank - 1 : rank));
  Value mean = emitMean(node, dequantize(node, 0, {1, 2}), axes);
  return node.finish(requantize(node, mean, {3, 4}, getType(node, 0)));
}

static LogicalResult importReduceMean(NodeImport &node) {
  std::optional<int64_t> rank = node.findRank(0);
  SmallVector<int64_t> axes = node.getInts("axes").value_or(SmallVector<int64_t>());
  for (int64_t &axis : axes)
    axis = node.normalizeAxis(axis, rank);
  if (node.hasFailed())
    return failure();
  std::optional<ArrayRef<int64_t>> given;
  if (!axes.empty())
    given = axes;
  Value mean = node.reduce(ReduceKind::Mean, dequantize(node, 0, {1, 2}), given, node.getInt("keepdims", 1) != 0);
  return node.finish(requantize(node, mean, {3, 4}, getType(node, 0)));
}

static LogicalResult importAveragePool(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  bool isLast = node.getInt("channels_last", 0) != 0;
  Value x = dequantize(node, 0, {1, 2});
  FailureOr<Value> mean = emitAveragePool(node, isLast ? moveChannels(node, x, rank, /*last=*/false) : x);
  if (failed(mean))
    return failure();
  Value result = requantize(node, *mean, {3, 4}, getType(node, 0));
  return node.finish(isLast ? moveChannels(node, result, rank, /*last=*/true) : result);
}

static LogicalResult importSoftmax(NodeImport &node) {
  Value x = dequantize(node, 0, {1, 2});
  Value result;
  int64_t axis = node.getInt("axis", -1);
  if (node.getInt("opset", 13) >= 13) {
    axis = node.normalizeAxis(axis, NodeImport::getRank(x));
    result = emitSoftmax(node, x, axis);
  } else if (std::optional<SmallVector<int64_t>> axes = getAxesFrom(node, axis, 0)) {
    result = emitSoftmax(node, x, *axes);
  } else {
    (void)node.requireRank(0);
  }
  if (node.hasFailed())
    return failure();
  return node.finish(requantize(node, result, {3, 4}, getType(node, 0)));
}

static LogicalResult importWhere(NodeImport &node) {
  Value result = node.select(node.getOperand(0), dequantize(node, 1, {2, 3}), dequantize(node, 4, {5, 6}));
  return node.finish(requantize(node, result, {7, 8}, getType(node, 1)));
}

/// Each part is three operands.
static LogicalResult importConcat(NodeImport &node) {
  if (node.getNumOperands() < 5 || node.getNumOperands() % 3 != 2)
    return node.error("has " + Twine(node.getNumOperands()) + " operands, which are not 2 and 3 for each part");
  SmallVector<Value> parts;
  for (size_t operand = 2; operand < node.getNumOperands(); operand += 3) {
    for (size_t i = operand; i < operand + 3; ++i)
      if (!node.hasOperand(i))
        return node.error("operand " + Twine(i) + " is missing");
    parts.push_back(dequantize(node, operand, {operand + 1, operand + 2}));
  }
  int64_t axis = node.normalizeAxis(node.getRequiredInt("axis"), NodeImport::getRank(parts.front()));
  if (node.hasFailed())
    return failure();
  return node.finish(requantize(node, node.concat(axis, parts), {0, 1}, getType(node, 2)));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static LogicalResult importMatMulIntegerToFloat(NodeImport &node) {
  Value zero = node.getOperand(4) ? asScalar(node, node.getOperand(4)) : Value();
  Value product = node.matmul(readIntegers(node, node.getOperand(0), zero),
                              readIntegers(node, node.getOperand(1), node.getOperand(5)));
  return node.finish(rescale(node, product, node.getOperand(2), node.getOperand(3), node.getOperand(6)));
}

static LogicalResult importMatMulInteger16(NodeImport &node) {
  Type i32 = node.builder.getI32Type();
  for (size_t operand : {0, 1})
    if (!getType(node, operand).isSignlessInteger(16))
      return node.error("operand " + Twine(operand) + " has elements of type " +
                        getElementTypeName(getElementType(getType(node, operand))) + "; only int16 is supported");
  return node.finish(node.matmul(node.cast(node.getOperand(0), i32), node.cast(node.getOperand(1), i32)));
}

static LogicalResult importDynamicQuantizeMatMul(NodeImport &node) {
  return node.finish(multiply(node, quantizeDynamically(node, node.getOperand(0)),
                              readIntegers(node, node.getOperand(1), node.getOperand(3)), node.getOperand(2),
                              node.getOperand(4)));
}

/// alpha * A' * B' + C, whose integers stand for multiples of both scales; the result is quantized if it has a scale.
static LogicalResult importQGemm(NodeImport &node) {
  Value a = node.getOperand(0), b = node.getOperand(3);
  constexpr int64_t swapped[] = {1, 0};
  bool turnsB = node.getInt("transB", 0) != 0;
  Value zero = node.getOperand(5), scale = node.getOperand(4);
  a = readIntegers(node, a, asScalar(node, node.getOperand(2)));
  // One entry for each row of what is turned.
  auto place = [&](Value parameter) {
    bool isList = NodeImport::getRank(parameter) == 1 && NodeImport::getDims(parameter)->front() != 1;
    return isList ? parameter : asScalar(node, parameter);
  };
  if (node.getInt("transA", 0))
    a = node.transpose(a, ArrayRef<int64_t>(swapped));
  if (turnsB)
    b = node.transpose(b, ArrayRef<int64_t>(swapped));
  Value sum = node.matmul(a, readIntegers(node, b, place(zero)));
  Type f32 = node.builder.getF32Type();
  double alpha = node.getFloat("alpha", 1.0f);
  if (node.hasOperand(6))
    sum = node.add(sum, node.expandLike(node.getOperand(6), sum));
  Value factor = node.mul(asScalar(node, node.getOperand(1)), place(scale));
  if (alpha != 1)
    factor = node.mul(factor, node.scalar(alpha, factor));
  Value result = node.mul(node.cast(sum, f32), node.expandLike(factor, sum));
  if (!node.hasOperand(7))
    return node.finish(result);
  return node.finish(requantize(node, result, {7, 8}, getType(node, 0)));
}

/// A, its zero, B and its zero.
static LogicalResult importMulInteger(NodeImport &node) {
  if (!node.hasOperand(2))
    return node.error("operand 2 is missing");
  auto get = [&](size_t operand) {
    Value zero = node.hasOperand(operand + 1) ? asScalar(node, node.getOperand(operand + 1)) : Value();
    return readIntegers(node, node.getOperand(operand), zero);
  };
  return node.finish(node.mul(get(0), get(2)));
}

static LogicalResult importReduceSumInteger(NodeImport &node) {
  std::optional<SmallVector<int64_t>> axes = node.getInts("axes");
  bool keepsDims = node.getRequiredInt("keepdims") != 0;
  if (!axes && !node.hasFailed())
    return node.error("attribute 'axes' is missing");
  if (node.hasFailed())
    return failure();
  Value x = node.getOperand(0);
  bool isUnsigned = cast<IntegerType>(NodeImport::getElementType(x)).isUnsigned();
  Type type = node.builder.getIntegerType(32, !isUnsigned);
  if (!isUnsigned)
    type = node.builder.getI32Type();
  Value numbers = node.cast(x, type);
  return node.finish(node.reduce(ReduceKind::Sum, numbers, ArrayRef<int64_t>(*axes), keepsDims));
}

void onnx::registerContribQuantization(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "QLinearSigmoid", 2, 5, importUnary<emitSigmoid>);
  registry.add(domain, "QLinearLeakyRelu", 2, 5, importUnary<emitLeakyRelu>);
  registry.add(domain, "QLinearAdd", 2, 8, importBinary</*isProduct=*/false>);
  registry.add(domain, "QLinearMul", 2, 8, importBinary</*isProduct=*/true>);
  registry.add(domain, "QLinearGlobalAveragePool", 5, 5, importGlobalAveragePool);
  registry.add(domain, "QLinearReduceMean", 4, 5, importReduceMean);
  registry.add(domain, "QLinearAveragePool", 5, 5, importAveragePool);
  registry.add(domain, "QLinearSoftmax", 2, 5, importSoftmax);
  registry.add(domain, "QLinearWhere", 9, 9, importWhere);
  registry.add(domain, "QLinearConcat", 2, kVariadic, importConcat);
  registry.add(domain, "MatMulIntegerToFloat", 4, 7, importMatMulIntegerToFloat);
  registry.add(domain, "MatMulInteger16", 2, 2, importMatMulInteger16);
  registry.add(domain, "DynamicQuantizeMatMul", 3, 5, importDynamicQuantizeMatMul);
  registry.add(domain, "QGemm", 6, 9, importQGemm);
  registry.add(domain, "MulInteger", 1, 4, importMulInteger);
  registry.add(domain, "ReduceSumInteger", 1, 1, importReduceSumInteger);
}
