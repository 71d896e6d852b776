//===- Import of matrix products and convolutions ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Convolutions/ConvolutionWindow.h"
#include "Formulas.h"
#include "Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static LogicalResult importMatMul(NodeImport &node) {
  Value lhs = node.getOperand(0), rhs = node.getOperand(1);
  if (failed(node.requireSameElementTypes({lhs, rhs})))
    return failure();
  for (Value operand : {lhs, rhs})
    if (NodeImport::getRank(operand) == 0)
      return node.error("operands must have at least one dim");
  return node.finish(node.matmul(lhs, rhs));
}

/// The activation that a fused operator names in its attribute 'activation', applied to `x`.
static FailureOr<Value> activate(NodeImport &node, Value x, ArrayRef<std::optional<double>> parameters) {
  std::string name = node.getString("activation", "");
  auto get = [&](size_t index, double defaultValue) {
    std::optional<double> given = index < parameters.size() ? parameters[index] : std::nullopt;
    return node.scalar(given.value_or(defaultValue), x);
  };
  Value zero = node.scalar(0, x);
  if (name.empty())
    return x;
  if (name == "Relu")
    return node.max(x, zero);
  if (name == "Tanh")
    return node.unary<TanhOp>(x);
  if (name == "Sigmoid")
    return node.unary<SigmoidOp>(x);
  if (name == "LeakyRelu")
    return node.select(node.compare(CompareDirection::GE, x, zero), x, node.mul(x, get(0, 0.01f)));
  if (name == "Clip") {
    double most = std::numeric_limits<float>::max();
    return node.min(node.max(x, get(0, -most)), get(1, most));
  }
  auto hardSigmoid = [&](double slope) {
    return node.max(node.min(node.add(node.mul(x, get(0, slope)), get(1, 0.5)), node.scalar(1, x)), zero);
  };
  if (name == "HardSigmoid")
    return hardSigmoid(0.2f);
  if (name == "HardSwish")
    return node.mul(x, hardSigmoid(1 / 6.0));
  return node.error("activation " + quoteName(name) + " is not supported");
}

/// alpha * A' * B' + beta * C
static FailureOr<Value> emitGemm(NodeImport &node) {
  Value a = node.getOperand(0), b = node.getOperand(1), c = node.getOperand(2);
  if (failed(node.requireSameElementTypes({a, b})) || (c && failed(node.requireSameElementTypes({a, c}))))
    return failure();
  if (failed(node.requireRanks({{0, 2}, {1, 2}})))
    return failure();
  constexpr int64_t swapped[] = {1, 0};
  if (node.getInt("transA", 0))
    a = node.transpose(a, ArrayRef<int64_t>(swapped));
  if (node.getInt("transB", 0))
    b = node.transpose(b, ArrayRef<int64_t>(swapped));
  Value product = node.matmul(a, b);
  double alpha = node.getFloat("alpha", 1.0f), beta = node.getFloat("beta", 1.0f);
  // Integers are multiplied by numbers that need not be whole, in 53 bits, and the sum is truncated.
  auto isWhole = [](double factor) { return factor == std::trunc(factor); };
  Type type = NodeImport::getElementType(product);
  bool isTruncated = isa<IntegerType>(type) && !(isWhole(alpha) && (!c || isWhole(beta)));
  product = node.cast(product, isTruncated ? Type(node.builder.getF64Type()) : type);
  if (alpha != 1)
    product = node.mul(product, node.scalar(alpha, product));
  if (!c || beta == 0)
    return node.cast(product, type);
  c = node.cast(c, NodeImport::getElementType(product));
  if (beta != 1)
    c = node.mul(c, node.scalar(beta, c));
  return node.cast(node.add(product, node.expandLike(c, product)), type);
}

static LogicalResult importGemm(NodeImport &node) {
  FailureOr<Value> result = emitGemm(node);
  return failed(result) ? failure() : node.finish(*result);
}

static LogicalResult importFusedGemm(NodeImport &node) {
  FailureOr<Value> sum = emitGemm(node);
  if (failed(sum))
    return failure();
  SmallVector<std::optional<double>> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    parameters.push_back(node.hasAttribute(name) ? std::optional(node.getFloat(name, 0)) : std::nullopt);
  FailureOr<Value> result = activate(node, *sum, parameters);
  return failed(result) ? failure() : node.finish(*result);
}

/// The input padded so that each spatial dim of the result is ceil(size / stride): the counts depend on sizes, so they
/// are computed by a shape subgraph.
static Value padSame(NodeImport &node, Value input, Value filter, const Window &window) {
  auto spatialRank = static_cast<int64_t>(window.strides.size());
  Value size = node.slice(node.shapeOf(input), 2, 2 + spatialRank, 0);
  Value kernel = node.slice(node.shapeOf(filter), 2, 2 + spatialRank, 0);
  Value one = node.i64Scalar(1), two = node.i64Scalar(2);
  Value stride = node.i64Vector(window.strides), dilation = node.i64Vector(window.dilations);
  // Where the last window begins if the first begins at 0; of an empty dim there is none.
  Value count = node.div(
      node.add(size, node.i64Vector(llvm::map_to_vector(window.strides, [](int64_t s) { return s - 1; }))), stride);
  Value lastWindow = node.mul(node.sub(count, one), stride);
  Value extent = node.add(node.mul(node.sub(kernel, one), dilation), one);
  Value total = node.max(node.sub(node.add(lastWindow, extent), size), node.i64Scalar(0));
  Value less = node.div(total, two), more = node.sub(total, less);
  Value none = node.i64Vector({0, 0});
  bool lower = window.autoPad == "SAME_LOWER";
  Value pads = node.concat(0, {none, lower ? more : less, none, lower ? less : more});
  Type type = NodeImport::makeDynamicType(spatialRank + 2, NodeImport::getElementType(input));
  return PadToOp::create(node.builder, node.loc, type, PadMode::Constant, input, pads, /*value=*/Value(),
                         /*axes=*/Value());
}

FailureOr<Value> onnx::emitConvolution(NodeImport &node, Value input, Value filter, int64_t rank) {
  if (rank < 3)
    return node.contradiction("operands of rank " + Twine(rank) + " have no spatial dims");
  Window window = getWindow(node, static_cast<size_t>(rank - 2));
  checkKernel(node, filter, window);
  if (node.hasFailed())
    return failure();
  if (window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER")
    input = padSame(node, input, filter, window);
  Type type = NodeImport::makeDynamicType(rank, NodeImport::getElementType(input));
  Builder &b = node.builder;
  Value result = ConvOp::create(node.builder, node.loc, type, input, filter, b.getDenseI64ArrayAttr(window.strides),
                                b.getDenseI64ArrayAttr(window.pads), b.getDenseI64ArrayAttr(window.dilations),
                                static_cast<uint64_t>(node.getInt("group", 1)));
  return result;
}

/// Operands 0 and 2 are the input and perhaps a bias.
static FailureOr<Value> emitConvWithBias(NodeImport &node, Value filter, bool isChannelsLast) {
  Value input = node.getOperand(0), bias = node.getOperand(2);
  if (failed(node.requireSameElementTypes({input, filter})) ||
      (bias && failed(node.requireSameElementTypes({input, bias}))))
    return failure();
  int64_t rank = getConvolutionRank(node);
  if (node.hasFailed())
    return failure();
  FailureOr<Value> result =
      emitConvolution(node, isChannelsLast ? moveChannels(node, input, rank, /*last=*/false) : input, filter, rank);
  if (failed(result))
    return failure();
  return bias ? node.add(*result, spread(node, fitToAxis(node, bias, filter, 0), 1, rank)) : *result;
}

static LogicalResult importConv(NodeImport &node) {
  FailureOr<Value> result = emitConvWithBias(node, node.getOperand(1), /*isChannelsLast=*/false);
  return failed(result) ? failure() : node.finish(*result);
}

FailureOr<Value> onnx::emitFusedConvolution(NodeImport &node, Value filter, bool isChannelsLast) {
  FailureOr<Value> sum = emitConvWithBias(node, filter, isChannelsLast);
  if (failed(sum))
    return failure();
  if (isChannelsLast)
    sum = moveChannels(node, *sum, getConvolutionRank(node), /*last=*/true);
  if (node.hasOperand(3))
    sum = node.add(*sum, holdShape(node, node.getOperand(3), *sum, "dims of `Z` and the result"));
  SmallVector<std::optional<double>> parameters;
  llvm::append_range(parameters, node.getFloats("activation_params").value_or(SmallVector<double>()));
  return activate(node, *sum, parameters);
}

template <bool isChannelsLast>
static LogicalResult importFusedConv(NodeImport &node) {
  FailureOr<Value> result = emitFusedConvolution(node, node.getOperand(1), isChannelsLast);
  return failed(result) ? failure() : node.finish(*result);
}

/// Filters have their channels last too, unlike those of NhwcFusedConv.
static LogicalResult importNhwcConv(NodeImport &node) {
  int64_t rank = getConvolutionRank(node);
  if (node.hasFailed())
    return failure();
  Value filter = moveChannels(node, node.getOperand(1), rank, /*last=*/false);
  FailureOr<Value> result = emitFusedConvolution(node, filter, /*isChannelsLast=*/true);
  return failed(result) ? failure() : node.finish(*result);
}

void onnx::registerContractions(OperatorRegistry &registry) {
  registry.add("MatMul", 2, 2, importMatMul);
  registry.add("Gemm", 2, 3, importGemm);
  registry.add("Conv", 2, 3, importConv);
  // What onnxruntime's optimizer makes of them.
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "FusedGemm", 2, 3, importFusedGemm);
  registry.add(domain, "FusedConv", 2, 4, importFusedConv</*isChannelsLast=*/false>);
  registry.add(domain, "NhwcFusedConv", 2, 4, importFusedConv</*isChannelsLast=*/true>);
  registry.add(domain, "NhwcConv", 2, 3, importNhwcConv);
}
