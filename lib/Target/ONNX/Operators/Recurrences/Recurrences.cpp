//===- Import of recurrent networks --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The product of the inputs and their weights is one contraction over all steps;
// what remains of each direction is a `dyn.recurrent`.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Guards.h"
#include "RecurrentAttributes.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

class RecurrentLayer {
public:
  RecurrentLayer(NodeImport &node, RecurrentKind kind) : node(node), kind(kind) {}
  LogicalResult run();

private:
  struct Results {
    Value sequence, last, lastCell;
  };

  FailureOr<Results> importDirection(int64_t number);
  Value getPart(size_t operand, int64_t number) {
    return getDirection(node, operand, number, attributes.numDirections);
  }
  /// An initial state, B x H.
  Value getState(size_t operand, int64_t number);

  NodeImport &node;
  RecurrentKind kind;
  RecurrentAttributes attributes;
  Value inputs, batch, elements;
};

} // namespace

Value RecurrentLayer::getState(size_t operand, int64_t number) {
  if (!node.hasOperand(operand))
    return fill(node, node.concat(0, {batch, elements}), 2, 0, NodeImport::getElementType(inputs));
  return getDirection(node, operand, number, attributes.numDirections, /*axis=*/attributes.isBatchFirst);
}

FailureOr<RecurrentLayer::Results> RecurrentLayer::importDirection(int64_t number) {
  Value weights = getPart(1, number), recurrent = getPart(2, number);
  constexpr int64_t swapped[] = {1, 0};
  Value gates = node.matmul(inputs, node.transpose(weights, ArrayRef<int64_t>(swapped)));
  Value bias, peepholes;
  if (node.hasOperand(3)) {
    // The biases of the inputs, then those of the hidden state.
    Value rows = getDims(node, recurrent, 0, 1);
    Value both = node.reshapeTo(getPart(3, number), node.concat(0, {node.i64Vector({2}), rows}), /*allowZero=*/true);
    gates = node.add(gates, node.gather(both, node.i64Scalar(0), 0));
    bias = node.gather(both, node.i64Scalar(1), 0);
  }
  bool isLSTM = kind == RecurrentKind::LSTM;
  if (isLSTM && node.hasOperand(7))
    peepholes = getPart(7, number);
  Value hidden = getState(5, number), cell = isLSTM ? getState(6, number) : Value();
  auto count = static_cast<size_t>(attributes.numActivations), first = static_cast<size_t>(number) * count;
  const Activations &activations = attributes.activations;
  Builder &b = node.builder;
  SmallVector<StringRef> names(ArrayRef(activations.names).slice(first, count));
  Type type = NodeImport::getElementType(inputs);
  auto op = RecurrentOp::create(
      node.builder, node.loc, NodeImport::makeDynamicType(3, type), NodeImport::makeDynamicType(2, type),
      isLSTM ? NodeImport::makeDynamicType(2, type) : Type(), kind, gates, recurrent, hidden, cell, bias, peepholes,
      node.getOperand(4), b.getStrArrayAttr(names),
      b.getDenseF64ArrayAttr(ArrayRef(activations.alpha).slice(first, count)),
      b.getDenseF64ArrayAttr(ArrayRef(activations.beta).slice(first, count)),
      attributes.clip ? b.getF64FloatAttr(*attributes.clip) : FloatAttr(), attributes.isReversed(number),
      kind == RecurrentKind::GRU && node.getInt("linear_before_reset", 0) != 0,
      isLSTM && node.getInt("input_forget", 0) != 0);
  return Results{op.getSequence(), op.getLast(), op.getLastCell()};
}

LogicalResult RecurrentLayer::run() {
  inputs = node.getOperand(0);
  SmallVector<Value> floats;
  for (size_t operand : {0, 1, 2, 3, 5, 6, 7})
    if (node.hasOperand(operand))
      floats.push_back(node.getOperand(operand));
  FailureOr<RecurrentAttributes> read = RecurrentAttributes::read(node, kind);
  if (failed(read) || failed(node.requireSameElementTypes(floats)) ||
      failed(node.requireRanks({{0, 3}, {1, 3}, {2, 3}, {3, 2}, {4, 1}, {5, 3}, {6, 3}, {7, 2}})))
    return failure();
  attributes = std::move(*read);
  bool isBatchFirst = attributes.isBatchFirst;
  const std::pair<size_t, size_t> directionDims[] = {{1, 0}, {2, 0}, {3, 0}, {5, isBatchFirst}, {6, isBatchFirst},
                                                     {7, 0}};
  if (failed(verifyDirections(node, directionDims, attributes.numDirections)))
    return failure();
  // The sum with a bias would repeat a single row.
  holdDims(node, node.getOperand(1), node.getOperand(2), ArrayRef<int64_t>(1), "rows of `W` and `R`");
  batch = getDims(node, inputs, isBatchFirst ? 0 : 1, isBatchFirst ? 1 : 2);
  elements = getDims(node, node.getOperand(2), 2, 3);
  constexpr int64_t stepsAndBatch[] = {1, 0, 2};
  if (isBatchFirst)
    inputs = node.transpose(inputs, ArrayRef<int64_t>(stepsAndBatch));
  SmallVector<Value> sequences, lasts, cells;
  for (int64_t number = 0; number < attributes.numDirections; ++number) {
    FailureOr<Results> results = importDirection(number);
    if (failed(results))
      return failure();
    Value sequence = results->sequence;
    sequences.push_back(isBatchFirst ? node.transpose(sequence, ArrayRef<int64_t>(stepsAndBatch)) : sequence);
    lasts.push_back(results->last);
    cells.push_back(results->lastCell);
  }
  if (node.wantsResult(0))
    (void)node.finish(0, combineDirections(node, sequences, isBatchFirst ? 2 : 1));
  if (node.wantsResult(1))
    (void)node.finish(1, combineDirections(node, lasts, isBatchFirst ? 1 : 0));
  if (node.wantsResult(2) && kind == RecurrentKind::LSTM)
    (void)node.finish(2, combineDirections(node, cells, isBatchFirst ? 1 : 0));
  return success(!node.hasFailed());
}

template <RecurrentKind kind>
static LogicalResult importRecurrent(NodeImport &node) {
  return RecurrentLayer(node, kind).run();
}

void onnx::registerRecurrences(OperatorRegistry &registry) {
  registry.add("RNN", 3, 6, importRecurrent<RecurrentKind::RNN>);
  registry.add("GRU", 3, 6, importRecurrent<RecurrentKind::GRU>);
  registry.add("LSTM", 3, 8, importRecurrent<RecurrentKind::LSTM>);
}
