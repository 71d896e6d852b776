//===- Import of onnxruntime's quantized LSTM ------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Inputs and hidden states are quantized by their own ranges, the latter anew at
// each step. S is the steps, B the batch, I the inputs, H the hidden elements.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../ControlFlow/LoopImport.h"
#include "../DynamicQuantization.h"
#include "../Guards.h"
#include "RecurrentAttributes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// One direction at work.
struct Direction {
  Value recurrent, scale; ///< H x 4H integers, and what they stand for
  Value peepholes;        ///< 3 x H, or null
  ArrayRef<std::string> activations;
};

class QuantizedLSTM {
public:
  explicit QuantizedLSTM(NodeImport &node) : node(node) {}
  LogicalResult run();

private:
  LogicalResult readOperands();
  Value getPart(size_t operand, int64_t number) {
    return getDirection(node, operand, number, attributes.numDirections);
  }
  /// The weights of an operand, of which the next but 7 and 8 are scale and zero, and the scale.
  std::pair<Value, Value> readWeights(size_t operand, int64_t number);
  Value getState(size_t operand, int64_t number);
  Value activate(StringRef name, Value x);
  /// Hidden and cell state behind a step, and its output.
  StepResults emitStep(const Direction &direction, ArrayRef<Value> states, ArrayRef<Value> slices);
  /// All outputs, then the last hidden and cell state.
  FailureOr<SmallVector<Value>> importDirection(int64_t number);

  NodeImport &node;
  RecurrentAttributes attributes;
  DynamicallyQuantized inputs; ///< S x B x I
  Value isInside;              ///< S x B x 1: whether a sequence has a step; null if all have
  Value batch, elements;       ///< i64 vectors of one element
};

} // namespace

LogicalResult QuantizedLSTM::readOperands() {
  FailureOr<RecurrentAttributes> read = RecurrentAttributes::read(node, RecurrentKind::LSTM);
  if (failed(read) || failed(node.requireRanks({{0, 3}, {1, 3}, {2, 3}, {3, 2}, {4, 1}, {5, 3}, {6, 3}, {7, 2}})))
    return failure();
  attributes = std::move(*read);
  for (StringRef name : attributes.activations.names)
    if (name != "sigmoid" && name != "tanh" && name != "relu")
      return node.error("activation " + quoteName(name) + " is not supported where weights are quantized");
  for (size_t operand : {8, 9, 10, 11})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  const std::pair<size_t, size_t> directionDims[] = {{1, 0}, {2, 0}, {3, 0}, {5, 0},  {6, 0},
                                                     {7, 0}, {8, 0}, {9, 0}, {10, 0}, {11, 0}};
  if (failed(verifyDirections(node, directionDims, attributes.numDirections)))
    return failure();
  holdDims(node, node.getOperand(1), node.getOperand(2), ArrayRef<int64_t>(2), "columns of `W` and `R`");
  Value x = node.getOperand(0);
  // The first step would repeat a state of one sequence.
  for (size_t state : {5, 6})
    if (node.hasOperand(state)) {
      std::string name = ("`" + node.node.inputs[state] + "`").str();
      holdDimPairs(node, node.getOperand(state), x, {{1, 1}},
                   "batch of " + name + " and `" + node.node.inputs[0] + "`");
      holdDimPairs(node, node.getOperand(state), node.getOperand(2), {{2, 1}},
                   "hidden elements of " + name + " and `" + node.node.inputs[2] + "`");
    }
  inputs = quantizeDynamically(node, x);
  batch = getDims(node, x, 1, 2);
  elements = getDims(node, node.getOperand(2), 1, 2);
  if (Value lengths = node.getOperand(4)) {
    Value steps = node.unsqueeze(countTo(node, getDim(node, x, 0)), 1);
    lengths = fitToAxis(node, node.cast(lengths, node.builder.getI64Type()), x, 1);
    isInside = node.unsqueeze(node.compare(CompareDirection::LT, steps, lengths), 2);
  }
  return success(!node.hasFailed());
}

std::pair<Value, Value> QuantizedLSTM::readWeights(size_t operand, int64_t number) {
  size_t scale = 2 * operand + 6;
  return {readIntegers(node, getPart(operand, number), getPart(scale + 1, number)), getPart(scale, number)};
}

Value QuantizedLSTM::getState(size_t operand, int64_t number) {
  if (node.hasOperand(operand))
    return getPart(operand, number);
  return fill(node, node.concat(0, {batch, elements}), 2, 0, node.builder.getF32Type());
}

Value QuantizedLSTM::activate(StringRef name, Value x) {
  if (name == "sigmoid")
    return node.unary<SigmoidOp>(x);
  return name == "tanh" ? node.unary<TanhOp>(x) : node.max(x, node.scalar(0, x));
}

StepResults QuantizedLSTM::emitStep(const Direction &direction, ArrayRef<Value> states, ArrayRef<Value> slices) {
  Value hidden = states[0], cell = states[1];
  Value sums =
      node.add(slices.front(), multiply(node, quantizeDynamically(node, hidden), direction.recurrent, direction.scale));
  Value parts = node.reshapeTo(sums, node.concat(0, {batch, node.i64Vector({4}), elements}), /*allowZero=*/true);
  auto gate = [&](int64_t number, size_t activation, int64_t peephole, Value seen) {
    Value sum = node.gather(parts, node.i64Scalar(number), 1);
    if (direction.peepholes && seen)
      sum = node.add(sum, node.mul(node.gather(direction.peepholes, node.i64Scalar(peephole), 0), seen));
    if (attributes.clip)
      sum = node.max(node.min(sum, node.scalar(*attributes.clip, sum)), node.scalar(-*attributes.clip, sum));
    return activate(direction.activations[activation], sum);
  };
  Value input = gate(0, 0, 0, cell);
  Value forget = node.getInt("input_forget", 0) ? node.sub(node.scalar(1, input), input) : gate(2, 0, 2, cell);
  Value nextCell = node.add(node.mul(forget, cell), node.mul(input, gate(3, 1, 0, Value())));
  Value output = gate(1, 0, 1, nextCell);
  Value nextHidden = node.mul(output, activate(direction.activations[2], nextCell));
  if (!isInside)
    return {{nextHidden, nextCell}, {nextHidden}};
  Value inside = slices.back();
  return {{node.select(inside, nextHidden, hidden), node.select(inside, nextCell, cell)},
          {node.select(inside, nextHidden, node.scalar(0, nextHidden))}};
}

FailureOr<SmallVector<Value>> QuantizedLSTM::importDirection(int64_t number) {
  auto [weights, scale] = readWeights(1, number);
  Value gates = multiply(node, inputs, weights, scale);
  Direction direction;
  std::tie(direction.recurrent, direction.scale) = readWeights(2, number);
  if (node.hasOperand(3)) {
    // The biases of the inputs, then those of the hidden state.
    Value columns = getDims(node, node.getOperand(2), 2, 3);
    Value both = node.reshapeTo(getPart(3, number), node.concat(0, {node.i64Vector({2}), columns}), /*allowZero=*/true);
    gates = node.add(gates, node.add(node.gather(both, node.i64Scalar(0), 0), node.gather(both, node.i64Scalar(1), 0)));
  }
  if (node.hasOperand(7))
    direction.peepholes = node.reshapeTo(getPart(7, number), node.concat(0, {node.i64Vector({3}), elements}),
                                         /*allowZero=*/true);
  auto count = static_cast<size_t>(attributes.numActivations);
  direction.activations = ArrayRef(attributes.activations.names).slice(static_cast<size_t>(number) * count, count);
  bool isReversed = attributes.isReversed(number);
  auto order = [&](Value value) { return isReversed ? flip(node, value, 0) : value; };
  SmallVector<Value> sliced = {order(gates)};
  if (isInside)
    sliced.push_back(order(isInside));
  FailureOr<SmallVector<Value>> results = loopOverSteps(
      node, {getState(5, number), getState(6, number)}, sliced,
      [&](ArrayRef<Value> states, ArrayRef<Value> slices) { return emitStep(direction, states, slices); });
  if (failed(results))
    return failure();
  // Of no steps nothing tells what the others would have.
  Value steps = getDims(node, gates, 0, 1);
  Value sequence = node.reshapeTo((*results)[2], node.concat(0, {steps, batch, elements}), /*allowZero=*/true);
  return SmallVector<Value>{order(sequence), (*results)[0], (*results)[1]};
}

LogicalResult QuantizedLSTM::run() {
  if (failed(readOperands()))
    return failure();
  SmallVector<Value> parts[3];
  for (int64_t number = 0; number < attributes.numDirections; ++number) {
    FailureOr<SmallVector<Value>> results = importDirection(number);
    if (failed(results))
      return failure();
    for (auto [list, value] : llvm::zip_equal(parts, *results))
      list.push_back(value);
  }
  for (size_t result : {0, 1, 2})
    if (node.wantsResult(result))
      (void)node.finish(result, combineDirections(node, parts[result], /*axis=*/result == 0 ? 1 : 0));
  return success(!node.hasFailed());
}

static LogicalResult importDynamicQuantizeLSTM(NodeImport &node) { return QuantizedLSTM(node).run(); }

void onnx::registerQuantizedRecurrences(OperatorRegistry &registry) {
  registry.add("com.microsoft", "DynamicQuantizeLSTM", 3, 12, importDynamicQuantizeLSTM);
}
