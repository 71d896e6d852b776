//===- Import of causal convolutions ------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "AttentionParts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Each channel of `padded` (B x C x length) with its own filter (C x 1 x k).
static Value convolveChannels(NodeImport &node, Value padded, Value filter, Value length) {
  Type type = NodeImport::getElementType(padded), computed = getComputeType(padded);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(filter);
  if (dims && !ShapedType::isDynamic(dims->front()) && dims->front() > 0) {
    Builder &b = node.builder;
    return ConvOp::create(node.builder, node.loc, NodeImport::makeDynamicType(3, type), padded, filter,
                          b.getDenseI64ArrayAttr({1}), b.getDenseI64ArrayAttr({0, 0}), b.getDenseI64ArrayAttr({1}),
                          static_cast<uint64_t>(dims->front()));
  }
  // The number of groups of a convolution is a constant; channels that are a symbol read windows themselves.
  Value taps = countTo(node, asScalar(node, getDims(node, filter, 2, 3)));
  Value places = node.add(node.unsqueeze(countTo(node, asScalar(node, length)), 1), taps);
  Value windows = node.cast(node.gather(padded, places, 2), computed); // B x C x length x k
  Value products = node.mul(windows, node.cast(filter, computed));
  constexpr int64_t last[] = {3};
  return node.cast(node.reduce(ReduceKind::Sum, products, ArrayRef<int64_t>(last), /*keepDims=*/false), type);
}

/// A convolution that reads what came before, the state, and gives the state for what comes after.
static LogicalResult importCausalConvWithState(NodeImport &node) {
  Value x = node.getOperand(0), filter = node.getOperand(1), bias = node.getOperand(2), past = node.getOperand(3);
  SmallVector<Value> all{x, filter};
  for (Value value : {bias, past})
    if (value)
      all.push_back(value);
  if (failed(node.requireRanks({{0, 3}, {1, 3}, {2, 1}, {3, 3}})))
    return failure();
  // What onnxruntime added to its own operator.
  if (failed(refuse(node, {}, {"state_window", "channels_last"})))
    return failure();
  for (StringRef name : {"dilation", "ndim"})
    if (node.getInt(name, 1) != 1)
      return node.error("attribute '" + name + "' is " + Twine(node.getInt(name, 1)) + ", which is not supported");
  std::string activation = node.getString("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.error("activation " + quoteName(activation) + " is not supported");
  if (failed(node.requireSameElementTypes(all)) || node.hasFailed())
    return failure();
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  Value batch = getDims(node, x, 0, 1), channels = getDims(node, filter, 0, 1), length = getDims(node, x, 2, 3);
  holdDimPairs(node, filter, x, {{0, 1}}, "filters and channels");
  Value before = node.sub(getDims(node, filter, 2, 3), node.i64Vector({1}));
  Value state = node.concat(0, {batch, channels, before});
  // A state of another length would move all windows.
  past = past ? node.reshapeTo(past, node.concat(0, {getDims(node, past, 0, 2), before}), /*allowZero=*/true)
              : fill(node, state, 3, 0, type);
  Value padded = node.concat(2, {past, x});
  filter = node.reshapeTo(filter, node.concat(0, {channels, node.i64Vector({1}), getDims(node, filter, 2, 3)}),
                          /*allowZero=*/true);
  Value result = convolveChannels(node, padded, filter, length);
  if (bias)
    result = node.add(result, spread(node, fitToAxis(node, bias, filter, 0), 1, 3));
  if (activation != "none") {
    Value number = node.cast(result, computed);
    result = node.cast(node.mul(number, node.unary<SigmoidOp>(number)), type);
  }
  (void)node.finish(1, sliceTo(node, padded, length, node.add(length, before), 2));
  return node.finish(result);
}

void onnx::registerCausalConvolution(OperatorRegistry &registry) {
  for (StringRef domain : {"", "com.microsoft"})
    registry.add(domain, "CausalConvWithState", 2, 4, importCausalConvWithState);
}
