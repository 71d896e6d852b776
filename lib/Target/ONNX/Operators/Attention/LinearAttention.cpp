//===- Import of linear attention --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// ONNX defines the operator by a function too, whose reshapes to -1 say nothing
// of empty batches and sequences. B is the batch, N the heads that have a state,
// G the queries that share one, S the steps, K and V the elements of a key and of
// a value.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../ControlFlow/LoopImport.h"
#include "../Guards.h"
#include "AttentionParts.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class LinearAttention {
public:
  explicit LinearAttention(NodeImport &node) : node(node), f32(node.builder.getF32Type()) {}
  LogicalResult run();

private:
  LogicalResult readOperands();
  /// B x S x (N H) to S x B x N x H, in f32.
  Value splitSteps(size_t operand);
  /// B x S x (heads K) to B x S x N x K, with each of fewer heads as often as it is needed.
  Value repeat(Value x, Value elements);
  /// B x S x ... to S x B x ..., of rank 4, in f32.
  Value moveSteps(Value x);
  /// The state before the first step, B x N x K x V.
  Value makeState();
  StepResults emitStep(Value state, ArrayRef<Value> slices);

  NodeImport &node;
  Type f32;
  int64_t heads = 1, shared = 1;
  bool decays = false, corrects = false;
  Value batch, length; ///< i64 vectors of one element
  /// What steps read: S x B x N x G x K, S x B x N x K, S x B x N x V; S x B x N x 1 or K, S x B x 1 or N x 1.
  Value q, k, v, decay, beta;
};

} // namespace

Value LinearAttention::splitSteps(size_t operand) {
  Value x = node.getOperand(operand), count = node.i64Vector({shared});
  holdDims(node, x, node.getOperand(0), {0, 1},
           "batch and steps of `" + node.node.inputs[operand] + "` and the queries");
  // The dims of the queries: others would be repeated.
  Value dims = node.concat(0, {batch, length, count, node.div(getDims(node, x, 2, 3), count)});
  return moveSteps(node.reshapeTo(x, dims, /*allowZero=*/true));
}

Value LinearAttention::repeat(Value x, Value elements) {
  Value own = node.div(getDims(node, x, 2, 3), elements), all = node.i64Vector({shared});
  Value split = node.reshapeTo(x, node.concat(0, {batch, length, own, elements}), /*allowZero=*/true);
  Value dims = node.concat(0, {batch, length, own, node.div(all, own), elements});
  return node.reshapeTo(expand(node, node.unsqueeze(split, 3), dims, 5), node.concat(0, {batch, length, all, elements}),
                        /*allowZero=*/true);
}

Value LinearAttention::moveSteps(Value x) {
  constexpr int64_t order[] = {1, 0, 2, 3};
  return node.cast(node.transpose(x, ArrayRef<int64_t>(order)), f32);
}

LogicalResult LinearAttention::readOperands() {
  std::string rule = node.getString("update_rule", "gated_delta");
  decays = rule == "gated" || rule == "gated_delta";
  corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear")
    return node.error("update_rule " + quoteName(rule) + " is not supported");
  const std::pair<size_t, bool> wanted[] = {{4, decays}, {5, corrects}};
  for (auto [operand, isWanted] : wanted)
    if (node.hasOperand(operand) != isWanted)
      return node.error("operand " + Twine(operand) + " is " + (isWanted ? "missing" : "there") +
                        ", and update_rule is " + quoteName(rule));
  if (failed(refuse(node, {}, {"state_window"})) || // onnxruntime's own
      failed(node.requireRanks({{0, 3}, {1, 3}, {2, 3}, {3, 4}, {4, 3}, {5, 3}})))
    return failure();
  heads = getHeads(node, "q_num_heads");
  shared = getHeads(node, "kv_num_heads");
  if (node.hasFailed())
    return failure();
  // In onnxruntime's operator several values may share a query, and also its key.
  bool isRepeated = !node.node.domain.empty() && heads < shared;
  if (failed(isRepeated ? requireEqualGroups(node, shared, heads) : requireEqualGroups(node, heads, shared)))
    return failure();
  batch = getDims(node, node.getOperand(0), 0, 1);
  length = getDims(node, node.getOperand(0), 1, 2);
  v = splitSteps(2);
  Value elements, grouped;
  if (isRepeated) {
    elements = node.div(getDims(node, node.getOperand(0), 2, 3), node.i64Vector({heads}));
    k = moveSteps(repeat(node.getOperand(1), elements));
    grouped = node.unsqueeze(repeat(node.getOperand(0), elements), 3);
  } else {
    k = splitSteps(1);
    elements = getDims(node, k, 3, 4);
    grouped = node.reshapeTo(node.getOperand(0),
                             node.concat(0, {batch, length, node.i64Vector({shared, heads / shared}), elements}),
                             /*allowZero=*/true);
  }
  constexpr int64_t stepsFirst[] = {1, 0, 2, 3, 4};
  double given = node.getFloat("scale", 0);
  Value scale =
      given != 0 ? node.scalar(given, f32) : node.reciprocal(node.sqrt(node.cast(asScalar(node, elements), f32)));
  q = node.mul(node.cast(node.transpose(grouped, ArrayRef<int64_t>(stepsFirst)), f32), scale);
  if (decays)
    decay = splitSteps(4);
  if (corrects) {
    Value rates = getDims(node, node.getOperand(5), 2, 3);
    beta = moveSteps(node.reshapeTo(node.getOperand(5), node.concat(0, {batch, length, rates, node.i64Vector({1})}),
                                    /*allowZero=*/true));
  }
  return success(!node.hasFailed());
}

Value LinearAttention::makeState() {
  Value dims = node.concat(0, {batch, node.i64Vector({shared}), getDims(node, k, 3, 4), getDims(node, v, 3, 4)});
  Value zeros = fill(node, dims, 4, 0, f32);
  return node.hasOperand(3)
             ? holdShape(node, node.cast(node.getOperand(3), f32), zeros, "dims of `past_state` and the state")
             : zeros;
}

StepResults LinearAttention::emitStep(Value state, ArrayRef<Value> slices) {
  Value query = slices[0], key = slices[1], value = slices[2];
  if (decays)
    state = node.mul(state, node.unsqueeze(node.exp(slices[3]), 3));
  if (corrects) {
    Value recalled = node.squeeze(node.matmul(node.unsqueeze(key, 2), state), ArrayRef<int64_t>(2));
    value = node.mul(slices.back(), node.sub(value, recalled));
  }
  state = node.add(state, node.mul(node.unsqueeze(key, 3), node.unsqueeze(value, 2)));
  return {{state}, {node.matmul(query, state)}};
}

LogicalResult LinearAttention::run() {
  if (failed(readOperands()))
    return failure();
  SmallVector<Value> sliced = {q, k, v};
  for (Value value : {decay, beta})
    if (value)
      sliced.push_back(value);
  FailureOr<SmallVector<Value>> results =
      loopOverSteps(node, makeState(), sliced,
                    [&](ArrayRef<Value> states, ArrayRef<Value> slices) { return emitStep(states.front(), slices); });
  if (failed(results) || node.hasFailed())
    return failure();
  constexpr int64_t batchFirst[] = {1, 0, 2, 3, 4};
  Value width = node.mul(getDims(node, v, 3, 4), node.i64Vector({std::max(heads, shared)}));
  Value output = node.reshapeTo(node.transpose(results->back(), ArrayRef<int64_t>(batchFirst)),
                                node.concat(0, {batch, length, width}), /*allowZero=*/true);
  Value like = node.getOperand(node.hasOperand(3) ? 3 : 0);
  (void)node.finish(1, node.cast(results->front(), NodeImport::getElementType(like)));
  return node.finish(node.cast(output, NodeImport::getElementType(node.getOperand(0))));
}

static LogicalResult importLinearAttention(NodeImport &node) { return LinearAttention(node).run(); }

void onnx::registerLinearAttention(OperatorRegistry &registry) {
  for (StringRef domain : {"", "com.microsoft"})
    registry.add(domain, "LinearAttention", 3, 6, importLinearAttention);
}
