//===- Import of arithmetic, logic and comparison -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "dyn/Dialect/Dyn/IR/DynSequenceOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

template <typename OpType>
static LogicalResult importUnary(NodeImport &node) {
  return node.finish(node.unary<OpType>(node.getOperand(0)));
}

template <typename OpType>
static LogicalResult importBinary(NodeImport &node) {
  if (failed(node.requireSameElementTypes({node.getOperand(0), node.getOperand(1)})))
    return failure();
  return node.finish(node.binary<OpType>(node.getOperand(0), node.getOperand(1)));
}

template <CompareDirection direction>
static LogicalResult importCompare(NodeImport &node) {
  if (failed(node.requireSameElementTypes({node.getOperand(0), node.getOperand(1)})))
    return failure();
  return node.finish(node.compare(direction, node.getOperand(0), node.getOperand(1)));
}

/// One or more operands, combined from the left.
template <typename OpType>
static Value foldOperands(NodeImport &node) {
  SmallVector<Value> operands = node.getAllOperands();
  if (operands.empty() || failed(node.requireSameElementTypes(operands)))
    return node.getOperand(0);
  Value result = operands.front();
  for (Value operand : ArrayRef(operands).drop_front())
    result = node.binary<OpType>(result, operand);
  return result;
}

template <typename OpType>
static LogicalResult importVariadic(NodeImport &node) {
  return node.finish(foldOperands<OpType>(node));
}

static LogicalResult importMean(NodeImport &node) {
  Value sum = foldOperands<AddOp>(node);
  if (node.hasFailed() || node.getNumOperands() == 1)
    return node.finish(sum);
  return node.finish(node.div(sum, node.scalar(static_cast<double>(node.getNumOperands()), sum)));
}

static LogicalResult importMod(NodeImport &node) {
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  if (failed(node.requireSameElementTypes({lhs, rhs})))
    return failure();
  bool fmod = node.getInt("fmod", 0) != 0;
  if (!fmod && NodeImport::isFloat(lhs))
    return node.error("floats need the attribute 'fmod' to be 1");
  Type type = NodeImport::makeBroadcastType({lhs, rhs}, NodeImport::getElementType(lhs));
  return node.finish(ModOp::create(node.builder, node.loc, type, lhs, rhs, fmod));
}

/// Floats are computed in the type of the base, which the result has.
static Value computePower(NodeImport &node, Value base, Value exponent) {
  Type type = NodeImport::getElementType(base);
  if (NodeImport::isFloat(base))
    exponent = node.cast(exponent, type);
  return PowOp::create(node.builder, node.loc, NodeImport::makeBroadcastType({base, exponent}, type), base, exponent);
}

static LogicalResult importPow(NodeImport &node) {
  Value base = node.getOperand(0), exponent = node.getOperand(1);
  std::optional<double> constant = NodeImport::getConstantNumber(exponent);
  // A product, as in onnxruntime, unless the exponent's dims make the result's rank larger.
  if (constant && NodeImport::getRank(exponent) <= std::max<int64_t>(NodeImport::getRank(base).value_or(0), 0)) {
    if (*constant == 2)
      return node.finish(node.mul(base, base));
    if (*constant == 3)
      return node.finish(node.mul(node.mul(base, base), base));
  }
  return node.finish(computePower(node, base, exponent));
}

static LogicalResult importWhere(NodeImport &node) {
  Value condition = node.getOperand(0), onTrue = node.getOperand(1), onFalse = node.getOperand(2);
  if (failed(node.requireSameElementTypes({onTrue, onFalse})))
    return failure();
  return node.finish(node.select(condition, onTrue, onFalse));
}

/// Before opset 11 the bounds are attributes. A bound that is left out is the lowest or highest number of the type, so
/// that infinities become finite.
static LogicalResult importClip(NodeImport &node) {
  Value result = node.getOperand(0);
  Value low = node.getOperand(1), high = node.getOperand(2);
  if (node.getVersion() < 11) {
    if (node.hasAttribute("min"))
      low = node.scalar(node.getFloat("min", 0), result);
    if (node.hasAttribute("max"))
      high = node.scalar(node.getFloat("max", 0), result);
  }
  if (auto type = dyn_cast<FloatType>(NodeImport::getElementType(result))) {
    auto getLargest = [&](bool isNegative) {
      APFloat largest = APFloat::getLargest(type.getFloatSemantics(), isNegative);
      return node.constant(DenseElementsAttr::get(RankedTensorType::get({}, type), largest));
    };
    low = low ? low : getLargest(/*isNegative=*/true);
    high = high ? high : getLargest(/*isNegative=*/false);
  }
  for (Value bound : {low, high})
    if (bound && failed(node.requireSameElementTypes({result, bound})))
      return failure();
  if (low)
    result = node.max(result, asScalar(node, low));
  if (high)
    result = node.min(result, asScalar(node, high));
  return node.finish(result);
}

/// Numbers of whole bytes are read from strings, and written to them.
static LogicalResult convert(NodeImport &node, Type type) {
  Value x = node.getOperand(0);
  Type from = NodeImport::getElementType(x);
  if (from == type || (!isa<StringType>(from) && !isa<StringType>(type)))
    return node.finish(castSaturating(node, x, type));
  Type number = isa<StringType>(from) ? type : from;
  unsigned width = number.isIntOrFloat() ? number.getIntOrFloatBitWidth() : 0;
  if (width != 1 && width < (isa<FloatType>(number) ? 16 : 8))
    return node.error("a cast from " + getElementTypeName(getElementType(from)) + " to " +
                      getElementTypeName(getElementType(type)) + " is not supported");
  // Truth is that of an integer.
  return node.finish(node.cast(type.isInteger(1) ? node.cast(x, node.builder.getI64Type()) : x, type));
}

static LogicalResult importCast(NodeImport &node) {
  int64_t to = node.getRequiredInt("to");
  Type type = getElementType(static_cast<ElementType>(to), node.builder.getContext());
  if (!type)
    return node.error("a cast to " + getElementTypeName(static_cast<ElementType>(to)) + " is not supported");
  return convert(node, type);
}

static LogicalResult importCastLike(NodeImport &node) {
  return convert(node, NodeImport::getElementType(node.getOperand(1)));
}

static LogicalResult importIsInf(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::makeTypeLike(x, node.builder.getI1Type());
  bool negative = node.getInt("detect_negative", 1) != 0, positive = node.getInt("detect_positive", 1) != 0;
  return node.finish(IsInfOp::create(node.builder, node.loc, type, x, negative, positive));
}

static LogicalResult importIsNaN(NodeImport &node) {
  Value x = node.getOperand(0);
  return node.finish(IsNanOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, node.builder.getI1Type()), x));
}

static LogicalResult importTan(NodeImport &node) {
  Value x = node.getOperand(0);
  return node.finish(node.div(node.unary<SinOp>(x), node.unary<CosOp>(x)));
}

static LogicalResult importIdentity(NodeImport &node) {
  return node.hasList(0) ? node.finishList(0, *node.getList(0)) : node.finish(node.getOperand(0));
}

void onnx::registerElementwise(OperatorRegistry &registry) {
  registry.add("Abs", 1, 1, importUnary<AbsOp>);
  registry.add("Ceil", 1, 1, importUnary<CeilOp>);
  registry.add("Cos", 1, 1, importUnary<CosOp>);
  registry.add("Erf", 1, 1, importUnary<ErfOp>);
  registry.add("Exp", 1, 1, importUnary<ExpOp>);
  registry.add("Floor", 1, 1, importUnary<FloorOp>);
  registry.add("Log", 1, 1, importUnary<LogOp>);
  registry.add("Neg", 1, 1, importUnary<NegOp>);
  registry.add("Not", 1, 1, importUnary<NotOp>);
  registry.add("BitwiseNot", 1, 1, importUnary<NotOp>);
  registry.add("Reciprocal", 1, 1, importUnary<ReciprocalOp>);
  registry.add("Round", 1, 1, importUnary<RoundOp>);
  registry.add("Sigmoid", 1, 1, importUnary<SigmoidOp>);
  registry.add("Sign", 1, 1, importUnary<SignOp>);
  registry.add("Sin", 1, 1, importUnary<SinOp>);
  registry.add("Sqrt", 1, 1, importUnary<SqrtOp>);
  registry.add("Tanh", 1, 1, importUnary<TanhOp>);
  registry.add("Tan", 1, 1, importTan);
  registry.add("Identity", 1, 1, importIdentity, kTakesLists | kMovesElements);
  registry.add("IsInf", 1, 1, importIsInf);
  registry.add("IsNaN", 1, 1, importIsNaN);
  registry.add("Cast", 1, 1, importCast);
  registry.add("CastLike", 2, 2, importCastLike);

  registry.add("Add", 2, 2, importBinary<AddOp>);
  registry.add("Sub", 2, 2, importBinary<SubOp>);
  registry.add("Mul", 2, 2, importBinary<MulOp>);
  registry.add("Div", 2, 2, importBinary<DivOp>);
  registry.add("And", 2, 2, importBinary<AndOp>);
  registry.add("Or", 2, 2, importBinary<OrOp>);
  registry.add("Xor", 2, 2, importBinary<XorOp>);
  registry.add("BitwiseAnd", 2, 2, importBinary<AndOp>);
  registry.add("BitwiseOr", 2, 2, importBinary<OrOp>);
  registry.add("BitwiseXor", 2, 2, importBinary<XorOp>);
  registry.add("Mod", 2, 2, importMod);
  registry.add("Pow", 2, 2, importPow);
  registry.add("Equal", 2, 2, importCompare<CompareDirection::EQ>);
  registry.add("Greater", 2, 2, importCompare<CompareDirection::GT>);
  registry.add("GreaterOrEqual", 2, 2, importCompare<CompareDirection::GE>);
  registry.add("Less", 2, 2, importCompare<CompareDirection::LT>);
  registry.add("LessOrEqual", 2, 2, importCompare<CompareDirection::LE>);
  registry.add("Where", 3, 3, importWhere, kMovesElements);
  registry.add("Clip", 1, 3, importClip);

  registry.add("Max", 1, kVariadic, importVariadic<MaxOp>);
  registry.add("Min", 1, kVariadic, importVariadic<MinOp>);
  registry.add("Sum", 1, kVariadic, importVariadic<AddOp>);
  registry.add("Mean", 1, kVariadic, importMean);
}
