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

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

struct Activations {
  SmallVector<std::string> names;
  SmallVector<double> alpha, beta;
};

class RecurrentLayer {
public:
  RecurrentLayer(NodeImport &node, RecurrentKind kind) : node(node), kind(kind) {}
  LogicalResult run();

private:
  struct Results {
    Value sequence, last, lastCell;
  };

  LogicalResult readAttributes();
  /// The activations of all directions: as many names as each has, with the parameters that the functions take.
  LogicalResult readActivations();
  FailureOr<Results> importDirection(int64_t number);
  /// The part of a direction of an operand whose first dim counts directions.
  Value getPart(size_t operand, int64_t number);
  /// An initial state, B x H.
  Value getState(size_t operand, int64_t number);
  /// One tensor of the results of all directions, which get a new dim.
  Value combine(ArrayRef<Value> parts, int64_t axis);

  NodeImport &node;
  RecurrentKind kind;
  int64_t numDirections = 1, numActivations = 1;
  bool startsReversed = false, isBatchFirst = false;
  std::optional<double> clip;
  Activations activations;
  Value inputs, batch, elements;
};

} // namespace

static bool takesAlpha(StringRef name) {
  constexpr StringLiteral names[] = {"affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"};
  return llvm::is_contained(names, name);
}

static bool takesBeta(StringRef name) { return name == "affine" || name == "scaledtanh" || name == "hardsigmoid"; }

static double getDefaultAlpha(StringRef name) {
  return name == "leakyrelu" ? 0.01f : name == "hardsigmoid" ? 0.2f : takesAlpha(name) ? 1 : 0;
}

static double getDefaultBeta(StringRef name) { return name == "hardsigmoid" ? 0.5 : name == "scaledtanh" ? 1 : 0; }

LogicalResult RecurrentLayer::readActivations() {
  std::vector<std::string> defaults{"tanh"};
  if (kind == RecurrentKind::GRU)
    defaults = {"sigmoid", "tanh"};
  if (kind == RecurrentKind::LSTM)
    defaults = {"sigmoid", "tanh", "tanh"};
  numActivations = static_cast<int64_t>(defaults.size());
  std::optional<std::vector<std::string>> given = node.getStrings("activations");
  SmallVector<double> alpha = node.getFloats("activation_alpha").value_or(SmallVector<double>());
  SmallVector<double> beta = node.getFloats("activation_beta").value_or(SmallVector<double>());
  auto count = static_cast<size_t>(numActivations * numDirections);
  if (given && !given->empty() && given->size() != count)
    return node.error("attribute 'activations' has " + Twine(given->size()) + " entries instead of " + Twine(count));
  // Parameters stand in the order of the functions that take one.
  size_t nextAlpha = 0, nextBeta = 0;
  for (size_t i = 0; i < count; ++i) {
    std::string name = given && !given->empty() ? llvm::StringRef((*given)[i]).lower() : defaults[i % defaults.size()];
    if (!RecurrentOp::isActivation(name))
      return node.error("activation " + quoteName((*given)[i]) + " is not supported");
    bool hasAlpha = takesAlpha(name) && nextAlpha < alpha.size(), hasBeta = takesBeta(name) && nextBeta < beta.size();
    activations.alpha.push_back(hasAlpha ? alpha[nextAlpha++] : getDefaultAlpha(name));
    activations.beta.push_back(hasBeta ? beta[nextBeta++] : getDefaultBeta(name));
    activations.names.push_back(std::move(name));
  }
  return success(!node.hasFailed());
}

LogicalResult RecurrentLayer::readAttributes() {
  std::string direction = node.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return node.error("attribute 'direction' has the unknown value " + quoteName(direction));
  numDirections = direction == "bidirectional" ? 2 : 1;
  startsReversed = direction == "reverse";
  int64_t layout = node.getInt("layout", 0);
  if (layout != 0 && layout != 1)
    return node.error("attribute 'layout' is " + Twine(layout));
  isBatchFirst = layout == 1;
  if (node.hasAttribute("clip"))
    clip = node.getFloat("clip", 0);
  return readActivations();
}

Value RecurrentLayer::getPart(size_t operand, int64_t number) {
  Value value = node.getOperand(operand);
  // Of one direction there is nothing but that.
  return numDirections == 1 ? node.squeeze(value, ArrayRef<int64_t>(0)) : node.gather(value, node.i64Scalar(number), 0);
}

Value RecurrentLayer::getState(size_t operand, int64_t number) {
  if (!node.hasOperand(operand))
    return fill(node, node.concat(0, {batch, elements}), 2, 0, NodeImport::getElementType(inputs));
  if (!isBatchFirst)
    return getPart(operand, number);
  Value value = node.getOperand(operand);
  return numDirections == 1 ? node.squeeze(value, ArrayRef<int64_t>(1)) : node.gather(value, node.i64Scalar(number), 1);
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
  auto first = static_cast<size_t>(number * numActivations), count = static_cast<size_t>(numActivations);
  Builder &b = node.builder;
  SmallVector<StringRef> names(ArrayRef(activations.names).slice(first, count));
  Type type = NodeImport::getElementType(inputs);
  auto op = RecurrentOp::create(
      node.builder, node.loc, NodeImport::makeDynamicType(3, type), NodeImport::makeDynamicType(2, type),
      isLSTM ? NodeImport::makeDynamicType(2, type) : Type(), kind, gates, recurrent, hidden, cell, bias, peepholes,
      node.getOperand(4), b.getStrArrayAttr(names),
      b.getDenseF64ArrayAttr(ArrayRef(activations.alpha).slice(first, count)),
      b.getDenseF64ArrayAttr(ArrayRef(activations.beta).slice(first, count)),
      clip ? b.getF64FloatAttr(*clip) : FloatAttr(), /*reverse=*/startsReversed || number == 1,
      kind == RecurrentKind::GRU && node.getInt("linear_before_reset", 0) != 0,
      isLSTM && node.getInt("input_forget", 0) != 0);
  return Results{op.getSequence(), op.getLast(), op.getLastCell()};
}

Value RecurrentLayer::combine(ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> placed;
  for (Value part : parts)
    placed.push_back(node.unsqueeze(part, axis));
  return placed.size() == 1 ? placed.front() : node.concat(axis, placed);
}

LogicalResult RecurrentLayer::run() {
  inputs = node.getOperand(0);
  SmallVector<Value> floats;
  for (size_t operand : {0, 1, 2, 3, 5, 6, 7})
    if (node.hasOperand(operand))
      floats.push_back(node.getOperand(operand));
  if (failed(readAttributes()) || failed(node.requireSameElementTypes(floats)))
    return failure();
  const std::pair<size_t, int64_t> ranks[] = {{0, 3}, {1, 3}, {2, 3}, {3, 2}, {4, 1}, {5, 3}, {6, 3}, {7, 2}};
  for (auto [operand, expected] : ranks)
    if (std::optional<int64_t> rank =
            node.hasOperand(operand) ? NodeImport::getRank(node.getOperand(operand)) : std::nullopt;
        rank && *rank != expected)
      return node.error("operand " + Twine(operand) + " has rank " + Twine(*rank) + " instead of " + Twine(expected));
  const std::pair<size_t, size_t> directionDims[] = {{1, 0}, {2, 0}, {3, 0}, {5, isBatchFirst}, {6, isBatchFirst},
                                                     {7, 0}};
  for (auto [operand, axis] : directionDims) {
    std::optional<ArrayRef<int64_t>> dims =
        node.hasOperand(operand) ? NodeImport::getDims(node.getOperand(operand)) : std::nullopt;
    if (dims && !ShapedType::isDynamic((*dims)[axis]) && (*dims)[axis] != numDirections)
      return node.error("operand " + Twine(operand) + " has " + Twine((*dims)[axis]) + " directions instead of " +
                        Twine(numDirections));
  }
  batch = getDims(node, inputs, isBatchFirst ? 0 : 1, isBatchFirst ? 1 : 2);
  elements = getDims(node, node.getOperand(2), 2, 3);
  constexpr int64_t stepsAndBatch[] = {1, 0, 2};
  if (isBatchFirst)
    inputs = node.transpose(inputs, ArrayRef<int64_t>(stepsAndBatch));
  SmallVector<Value> sequences, lasts, cells;
  for (int64_t number = 0; number < numDirections; ++number) {
    FailureOr<Results> results = importDirection(number);
    if (failed(results))
      return failure();
    Value sequence = results->sequence;
    sequences.push_back(isBatchFirst ? node.transpose(sequence, ArrayRef<int64_t>(stepsAndBatch)) : sequence);
    lasts.push_back(results->last);
    cells.push_back(results->lastCell);
  }
  if (node.wantsResult(0))
    (void)node.finish(0, combine(sequences, isBatchFirst ? 2 : 1));
  if (node.wantsResult(1))
    (void)node.finish(1, combine(lasts, isBatchFirst ? 1 : 0));
  if (node.wantsResult(2) && kind == RecurrentKind::LSTM)
    (void)node.finish(2, combine(cells, isBatchFirst ? 1 : 0));
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
