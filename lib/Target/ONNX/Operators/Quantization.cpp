//===- Import of quantization ----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Formulas.h"
#include "Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Does only a run tell whether a vector has one element?
static bool isOfOpenLength(Value vector) {
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(vector);
  return dims && dims->size() == 1 && ShapedType::isDynamic(dims->front());
}

/// A scale or zero point, which is operand `index`, so that it broadcasts against `x`: one for all, one for each entry
/// of `axis`, or one for each block of entries.
static FailureOr<Value> align(NodeImport &node, Value parameter, size_t index, Value x, int64_t axis, int64_t block) {
  std::optional<int64_t> own = NodeImport::getRank(parameter), rank = NodeImport::getRank(x);
  if (own == 0)
    return parameter;
  if (own && *own > 1 && block == 0)
    return node.contradiction("operand " + Twine(index) + ", " + quoteName(node.node.inputs[index]) + ", has rank " +
                              Twine(*own) + "; without attribute 'block_size' it must be a scalar or a vector");
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(parameter);
  if (dims && *dims == ArrayRef<int64_t>(1) && block == 0)
    return asScalar(node, parameter);
  if (!own || !rank)
    return node.error("the ranks of the operands must be known");
  // A run may tell that there is one for all, which is all that can be meant where there is no such axis.
  bool hasAxis = axis >= -*rank && axis < *rank;
  if (block == 0 && isOfOpenLength(parameter))
    return hasAxis ? node.expandLike(spread(node, parameter, axis < 0 ? axis + *rank : axis, *rank), x)
                   : asScalar(node, parameter);
  axis = node.normalizeAxis(axis, rank);
  if (node.hasFailed())
    return failure();
  if (block == 0)
    return spread(node, holdToAxis(node, parameter, x, axis, "scales or zero points for axis " + Twine(axis)), axis,
                  *rank);
  if (block < 0)
    return node.error("attribute 'block_size' is " + Twine(block));
  if (*own != *rank)
    return node.error("blocks need scales of the rank of operand 0, " + Twine(*rank) + ", not " + Twine(*own));
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
  llvm::erase(others, axis);
  holdDims(node, parameter, x, others,
           "dims of scales or zero points and of `" + node.node.inputs[0] + "` but the axis");
  Value padded = node.add(getDims(node, x, axis, axis + 1), node.i64Vector({block - 1}));
  holdSizes(node, getDims(node, parameter, axis, axis + 1), node.div(padded, node.i64Vector({block})),
            "scales or zero points and blocks of " + Twine(block) + " along axis " + Twine(axis));
  // Each entry `block` times; the last block may be incomplete.
  Value repeated = node.unsqueeze(parameter, axis + 1);
  SmallVector<Value> wide, merged;
  if (axis > 0) {
    wide.push_back(getDims(node, parameter, 0, axis));
    merged.push_back(wide.front());
  }
  Value count = getDims(node, parameter, axis, axis + 1), size = node.i64Vector({block});
  llvm::append_values(wide, count, size);
  merged.push_back(node.mul(count, size));
  if (axis + 1 < *rank) {
    wide.push_back(getDims(node, parameter, axis + 1, *rank));
    merged.push_back(wide.back());
  }
  repeated = expand(node, repeated, node.concat(0, wide), *rank + 1);
  repeated = node.reshapeTo(repeated, node.concat(0, merged), /*allowZero=*/true);
  return sliceTo(node, repeated, node.i64Vector({0}), getDims(node, x, axis, axis + 1), axis);
}

/// Where there is one scale, there is one zero point; it may be a vector of one element.
static Value alignToScale(NodeImport &node, Value zero, Value scale) {
  return NodeImport::getRank(scale) == 0 && NodeImport::getRank(zero) == 1 ? asScalar(node, zero) : zero;
}

static Type readType(NodeImport &node, StringRef attribute, Type defaultType) {
  auto number = static_cast<ElementType>(node.getInt(attribute, 0));
  if (number == ElementType::Undefined)
    return defaultType;
  Type type = getElementType(number, node.builder.getContext());
  if (!type)
    (void)node.error("elements of type " + getElementTypeName(number) + " are not supported");
  return type;
}

/// (x - zero point) * scale
static LogicalResult importDequantizeLinear(NodeImport &node) {
  node.takeDeclaredRanks();
  Value x = node.getOperand(0), scale = node.getOperand(1), zero = node.getOperand(2);
  int64_t axis = node.getInt("axis", 1), block = node.getInt("block_size", 0);
  Type result = readType(node, "output_dtype", NodeImport::getElementType(scale));
  if (node.hasFailed() || (zero && failed(node.requireSameElementTypes({x, zero}))))
    return failure();
  Type computed = node.builder.getF32Type();
  FailureOr<Value> factor = align(node, node.cast(scale, computed), 1, x, axis, block);
  if (failed(factor))
    return failure();
  bool isInteger = isa<IntegerType>(NodeImport::getElementType(x));
  Type exact = isInteger ? Type(node.builder.getI32Type()) : computed;
  Value number = node.cast(x, exact);
  if (zero) {
    FailureOr<Value> offset = align(node, alignToScale(node, node.cast(zero, exact), scale), 2, x, axis, block);
    if (failed(offset))
      return failure();
    number = node.sub(number, *offset);
  }
  return node.finish(node.cast(node.mul(node.cast(number, computed), *factor), result));
}

/// saturate(round(x / scale) + zero point)
static LogicalResult importQuantizeLinear(NodeImport &node) {
  node.takeDeclaredRanks();
  Value x = node.getOperand(0), scale = node.getOperand(1), zero = node.getOperand(2);
  int64_t axis = node.getInt("axis", 1), block = node.getInt("block_size", 0);
  Type result = readType(node, "output_dtype",
                         zero ? NodeImport::getElementType(zero) : node.builder.getIntegerType(8, /*isSigned=*/false));
  if (node.hasFailed())
    return failure();
  Type computed = node.builder.getF32Type(), divided = readType(node, "precision", computed);
  if (node.hasFailed())
    return failure();
  if (!isa<FloatType>(divided) || divided.getIntOrFloatBitWidth() < 16)
    return node.error("attribute 'precision' is no float type of 16 bits or more");
  FailureOr<Value> factor = align(node, node.cast(scale, divided), 1, x, axis, block);
  if (failed(factor))
    return failure();
  Value number = node.cast(node.div(node.cast(x, divided), *factor), computed);
  bool isInteger = isa<IntegerType>(result);
  if (isInteger)
    number = node.unary<RoundOp>(number);
  if (zero) {
    // Of floats it is 0, in the dims of the scale all the same.
    FailureOr<Value> offset = align(node, alignToScale(node, node.cast(zero, computed), scale), 2, x, axis, block);
    if (failed(offset))
      return failure();
    if (isInteger)
      number = node.add(number, *offset);
  }
  return node.finish(isInteger ? quantize(node, number, result) : castSaturating(node, number, result));
}

/// A parameter of the lines of a matrix: one, or one for each row (`perRow`) or column.
static Value spreadLines(NodeImport &node, Value parameter, Value matrix, bool perRow) {
  if (NodeImport::getRank(parameter) != 1 || NodeImport::getDims(parameter)->front() == 1)
    return parameter;
  // A vector is one row, or one column.
  if (NodeImport::getRank(matrix) == 1)
    return asScalar(node, parameter);
  return node.expandLike(perRow ? node.unsqueeze(parameter, 1) : parameter, matrix);
}

/// An 8-bit operand as i32, less its zero point: one, or one for each row (`perRow`) or column.
static Value readOperand(NodeImport &node, size_t index, size_t zeroIndex, bool perRow) {
  Type i32 = node.builder.getI32Type();
  Value x = node.cast(node.getOperand(index), i32);
  if (!node.hasOperand(zeroIndex))
    return x;
  return node.sub(x, spreadLines(node, node.cast(node.getOperand(zeroIndex), i32), x, perRow));
}

static LogicalResult importMatMulInteger(NodeImport &node) {
  node.takeDeclaredRanks();
  return node.finish(node.matmul(readOperand(node, 0, 2, /*perRow=*/true), readOperand(node, 1, 3, /*perRow=*/false)));
}

/// Whole numbers times the product of the scales, quantized again.
static Value requantize(NodeImport &node, Value sum, Value lhsScale, Value rhsScale, Value scale, Value zero) {
  Type computed = node.builder.getF32Type();
  Value factor =
      node.div(node.mul(node.cast(lhsScale, computed), node.cast(rhsScale, computed)), node.cast(scale, computed));
  Value number = node.unary<RoundOp>(node.mul(node.cast(sum, computed), factor));
  return quantize(node, node.add(number, node.cast(zero, computed)), NodeImport::getElementType(zero));
}

static LogicalResult importQLinearMatMul(NodeImport &node) {
  node.takeDeclaredRanks();
  Value sum = node.matmul(readOperand(node, 0, 2, /*perRow=*/true), readOperand(node, 3, 5, /*perRow=*/false));
  Value lhsScale = spreadLines(node, node.getOperand(1), sum, /*perRow=*/true);
  Value rhsScale = spreadLines(node, node.getOperand(4), sum, /*perRow=*/false);
  return node.finish(requantize(node, sum, lhsScale, rhsScale, node.getOperand(6), node.getOperand(7)));
}

/// A parameter of the filters, one or one for each of them, so that it broadcasts against `x`, which has them at
/// `axis`.
static Value spreadFilters(NodeImport &node, Value parameter, Value filter, Value x, int64_t axis, int64_t rank) {
  if (isOfOpenLength(parameter))
    return node.expandLike(spread(node, parameter, axis, rank), x);
  if (NodeImport::getRank(parameter) == 1 && NodeImport::getDims(parameter)->front() != 1)
    return spread(node, fitToAxis(node, parameter, filter, 0), axis, rank);
  return asScalar(node, parameter);
}

static FailureOr<Value> convolve(NodeImport &node, Value x, size_t filterIndex, size_t inputZero, size_t filterZero) {
  node.takeDeclaredRanks();
  int64_t rank = node.requireRank(filterIndex);
  if (node.hasFailed())
    return failure();
  Type i32 = node.builder.getI32Type();
  Value input = node.cast(x, i32), filter = node.cast(node.getOperand(filterIndex), i32);
  if (node.hasOperand(inputZero))
    input = node.sub(input, asScalar(node, node.cast(node.getOperand(inputZero), i32)));
  if (node.hasOperand(filterZero))
    filter =
        node.sub(filter, spreadFilters(node, node.cast(node.getOperand(filterZero), i32), filter, filter, 0, rank));
  return emitConvolution(node, input, filter, rank);
}

static LogicalResult importConvInteger(NodeImport &node) {
  FailureOr<Value> result = convolve(node, node.getOperand(0), 1, 2, 3);
  return failed(result) ? failure() : node.finish(*result);
}

static LogicalResult importQLinearConv(NodeImport &node) {
  int64_t rank = node.requireRank(3);
  if (node.hasFailed())
    return failure();
  bool isChannelsLast = node.getInt("channels_last", 0) != 0;
  Value x = node.getOperand(0);
  FailureOr<Value> sum = convolve(node, isChannelsLast ? moveChannels(node, x, rank, /*last=*/false) : x, 3, 2, 5);
  if (failed(sum))
    return failure();
  if (node.hasOperand(8))
    sum = node.add(*sum, spread(node, fitToAxis(node, node.getOperand(8), node.getOperand(3), 0), 1, rank));
  Value filterScale = spreadFilters(node, node.getOperand(4), node.getOperand(3), *sum, 1, rank);
  Value result = requantize(node, *sum, asScalar(node, node.getOperand(1)), filterScale,
                            asScalar(node, node.getOperand(6)), asScalar(node, node.getOperand(7)));
  return node.finish(isChannelsLast ? moveChannels(node, result, rank, /*last=*/true) : result);
}

void onnx::registerQuantization(OperatorRegistry &registry) {
  registry.add("DequantizeLinear", 2, 3, importDequantizeLinear);
  registry.add("QuantizeLinear", 2, 3, importQuantizeLinear);
  registry.add("com.microsoft", "DequantizeLinear", 2, 3, importDequantizeLinear);
  registry.add("com.microsoft", "QuantizeLinear", 2, 3, importQuantizeLinear);
  registry.add("MatMulInteger", 2, 4, importMatMulInteger);
  registry.add("QLinearMatMul", 8, 8, importQLinearMatMul);
  registry.add("ConvInteger", 2, 4, importConvInteger);
  registry.add("QLinearConv", 8, 9, importQLinearConv);
  registry.add("com.microsoft", "QLinearConv", 8, 9, importQLinearConv);
}
