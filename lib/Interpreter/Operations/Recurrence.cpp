//===- Evaluation of recurrent networks ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../Elements.h"
#include "../Models.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"
#include <vector>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

namespace {

/// One of ONNX's activations of recurrent networks.
struct Activation {
  using Function = double (*)(double x, double alpha, double beta);
  Function function;
  double alpha, beta;

  double operator()(double x) const { return function(x, alpha, beta); }
};

Activation::Function findFunction(StringRef name) {
  static constexpr std::pair<StringLiteral, Activation::Function> functions[] = {
      {"relu", [](double x, double, double) { return std::max(x, 0.0); }},
      {"tanh", [](double x, double, double) { return std::tanh(x); }},
      {"sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
      {"affine", [](double x, double alpha, double beta) { return alpha * x + beta; }},
      {"leakyrelu", [](double x, double alpha, double) { return x >= 0 ? x : alpha * x; }},
      {"thresholdedrelu", [](double x, double alpha, double) { return x > alpha ? x : 0; }},
      {"scaledtanh", [](double x, double alpha, double beta) { return alpha * std::tanh(beta * x); }},
      {"hardsigmoid",
       [](double x, double alpha, double beta) { return std::min(std::max(alpha * x + beta, 0.0), 1.0); }},
      {"elu", [](double x, double alpha, double) { return x >= 0 ? x : alpha * (std::exp(x) - 1); }},
      {"softsign", [](double x, double, double) { return x / (1 + std::abs(x)); }},
      {"softplus", [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }},
  };
  // The op's verifier knows the same names.
  return llvm::find_if(functions, [&](const auto &entry) { return entry.first == name; })->second;
}

/// The steps of one layer in one direction. States are rounded to the element type after each step.
template <typename T>
class Layer {
public:
  Layer(RecurrentOp op, Operands operands);

  /// Takes sequence `b` of the batch through `count` steps.
  void run(int64_t b, int64_t count, T *sequence, T *last, T *lastCell);

  int64_t steps, batch, elements, gates;

private:
  static std::vector<double> widen(const ReferenceTensor &tensor) {
    std::vector<double> values;
    for (T value : tensor.getElements<T>())
      values.push_back(static_cast<double>(value));
    return values;
  }
  /// The product of the weights of a gate's element and a state, with the bias.
  double multiply(int64_t gate, int64_t element, ArrayRef<double> state) const {
    int64_t row = gate * elements + element;
    double sum = bias.empty() ? 0 : bias[row];
    for (int64_t k = 0; k < elements; ++k)
      sum += weights[row * elements + k] * state[k];
    return sum;
  }
  double clipped(double x) const { return clip ? std::min(std::max(x, -*clip), *clip) : x; }
  double peephole(int64_t gate, int64_t element) const {
    return peepholes.empty() ? 0 : peepholes[gate * elements + element];
  }
  void stepRNN(ArrayRef<double> in);
  void stepGRU(ArrayRef<double> in);
  void stepLSTM(ArrayRef<double> in);

  RecurrentOp op;
  std::vector<double> inputs, weights, firstHidden, firstCell, bias, peepholes, hidden, cell, next;
  std::optional<double> clip;
  SmallVector<Activation> activations;
};

} // namespace

template <typename T>
Layer<T>::Layer(RecurrentOp op, Operands operands) : op(op) {
  steps = operands[0].getDim(0);
  batch = operands[0].getDim(1);
  elements = operands[1].getDim(1);
  gates = op.getNumGates();
  inputs = widen(operands[0]);
  weights = widen(operands[1]);
  firstHidden = widen(operands[2]);
  size_t place = 3;
  if (op.getCell())
    firstCell = widen(operands[place++]);
  if (op.getBias())
    bias = widen(operands[place++]);
  if (op.getPeepholes())
    peepholes = widen(operands[place++]);
  if (op.getClip())
    clip = op.getClip()->convertToDouble();
  for (auto [name, alpha, beta] :
       llvm::zip_equal(op.getActivations().getAsValueRange<StringAttr>(), op.getAlpha(), op.getBeta()))
    activations.push_back({findFunction(name), alpha, beta});
}

template <typename T>
void Layer<T>::stepRNN(ArrayRef<double> in) {
  for (int64_t j = 0; j < elements; ++j)
    next[j] = activations[0](clipped(in[j] + multiply(0, j, hidden)));
}

template <typename T>
void Layer<T>::stepGRU(ArrayRef<double> in) {
  std::vector<double> update(elements), reset(elements), kept(elements);
  for (int64_t j = 0; j < elements; ++j) {
    update[j] = activations[0](clipped(in[j] + multiply(0, j, hidden)));
    reset[j] = activations[0](clipped(in[elements + j] + multiply(1, j, hidden)));
    kept[j] = reset[j] * hidden[j];
  }
  for (int64_t j = 0; j < elements; ++j) {
    double product = op.getLinearBeforeReset() ? reset[j] * multiply(2, j, hidden) : multiply(2, j, kept);
    double candidate = activations[1](clipped(in[2 * elements + j] + product));
    next[j] = (1 - update[j]) * candidate + update[j] * hidden[j];
  }
}

template <typename T>
void Layer<T>::stepLSTM(ArrayRef<double> in) {
  auto gate = [&](int64_t number, int64_t j) { return in[number * elements + j] + multiply(number, j, hidden); };
  for (int64_t j = 0; j < elements; ++j) {
    double before = cell[j];
    double input = activations[0](clipped(gate(0, j) + peephole(0, j) * before));
    double forget = op.getInputForget() ? 1 - input : activations[0](clipped(gate(2, j) + peephole(2, j) * before));
    double candidate = activations[1](clipped(gate(3, j)));
    cell[j] = static_cast<double>(T(forget * before + input * candidate));
    double output = activations[0](clipped(gate(1, j) + peephole(1, j) * cell[j]));
    next[j] = output * activations[2](cell[j]);
  }
}

template <typename T>
void Layer<T>::run(int64_t b, int64_t count, T *sequence, T *last, T *lastCell) {
  auto row = [&](const std::vector<double> &values) {
    return std::vector<double>(values.begin() + b * elements, values.begin() + (b + 1) * elements);
  };
  hidden = row(firstHidden);
  if (!firstCell.empty())
    cell = row(firstCell);
  next.assign(elements, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = (op.getReverse() ? count - 1 - i : i) * batch + b;
    ArrayRef<double> in = ArrayRef(inputs).slice(place * gates * elements, gates * elements);
    if (op.getKind() == RecurrentKind::RNN)
      stepRNN(in);
    else if (op.getKind() == RecurrentKind::GRU)
      stepGRU(in);
    else
      stepLSTM(in);
    for (int64_t j = 0; j < elements; ++j) {
      sequence[place * elements + j] = T(next[j]);
      hidden[j] = static_cast<double>(sequence[place * elements + j]);
    }
  }
  for (int64_t j = 0; count > 0 && j < elements; ++j) {
    last[b * elements + j] = T(hidden[j]);
    if (lastCell)
      lastCell[b * elements + j] = T(cell[j]);
  }
}

/// The dims that operands must have, in their order.
static LogicalResult checkDims(RecurrentOp op, Operands operands) {
  bool hasRanks = operands[0].getRank() == 3 && operands[1].getRank() == 2;
  int64_t batch = hasRanks ? operands[0].getDim(1) : 0, elements = hasRanks ? operands[1].getDim(1) : 0;
  int64_t gates = op.getNumGates() * elements;
  SmallVector<Dims> expected{
      {hasRanks ? operands[0].getDim(0) : 0, batch, gates}, {gates, elements}, {batch, elements}};
  if (op.getCell())
    expected.push_back({batch, elements});
  if (op.getBias())
    expected.push_back({gates});
  if (op.getPeepholes())
    expected.push_back({3 * elements});
  if (op.getLengths())
    expected.push_back({batch});
  for (auto [number, dims] : llvm::enumerate(expected))
    if (operands[number].getDims() != ArrayRef<int64_t>(dims))
      return emitError(op) << describeOperand(op, number) << " has dims " << print(operands[number].getDims())
                           << " instead of " << print(dims);
  return success();
}

static Results evaluateRecurrent(RecurrentOp op, Operands operands, const ReferenceScope &) {
  if (failed(checkDims(op, operands)))
    return failure();
  int64_t steps = operands[0].getDim(0), batch = operands[0].getDim(1), elements = operands[1].getDim(1);
  SmallVector<int64_t> lengths(batch, steps);
  if (op.getLengths())
    lengths = operands.back().getIntegers();
  for (int64_t length : lengths)
    if (length < 0 || length > steps)
      return emitError(op) << "the length " << length << " of a sequence is not between 0 and " << steps;
  Type type = operands[0].getElementType();
  SmallVector<ReferenceTensor> results;
  for (const Dims &dims : {Dims{steps, batch, elements}, Dims{batch, elements}, Dims{batch, elements}}) {
    if (results.size() == op->getNumResults())
      break;
    Result result = allocate(op, type, dims);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  dispatchElement(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (isFloat<T>) {
      Layer<T> layer(op, operands);
      T *lastCell = results.size() > 2 ? results[2].getMutableElements<T>() : nullptr;
      for (auto [b, length] : llvm::enumerate(lengths))
        layer.run(static_cast<int64_t>(b), length, results[0].getMutableElements<T>(),
                  results[1].getMutableElements<T>(), lastCell);
    }
  });
  return results;
}

void reference::attachRecurrenceModels(MLIRContext *context) { attachAll<RecurrentOp, evaluateRecurrent>(context); }
