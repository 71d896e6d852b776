//===- Import of mixtures of experts -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Which experts a row goes to is known at the run only. All of them compute all
// rows, as products of batches, and those that were not chosen are left out of the
// sum: that takes as many times the work as there are experts to one that is chosen.
//
//===----------------------------------------------------------------------===//

#include "MixtureOfExperts.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "BlockQuantization.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// What becomes of the hidden units of all experts, E x R x I.
static FailureOr<Value> activate(NodeImport &node, Value hidden) {
  std::string type = node.getString("activation_type", "relu");
  auto gate = [&](Value x, double slope) {
    Value power = node.exp(node.neg(node.mul(x, node.scalar(slope, x))));
    return node.div(x, node.add(power, node.scalar(1, x)));
  };
  if (type == "relu")
    return node.max(hidden, node.scalar(0, hidden));
  if (type == "gelu")
    return emitTanhGelu(node, hidden);
  if (type == "silu")
    return gate(hidden, 1);
  if (type == "identity")
    return hidden;
  if (type != "swiglu" || node.getInt("swiglu_fusion", 0) != 1)
    return node.error("activation " + quoteName(type) +
                      (type == "swiglu" ? " is supported with swiglu_fusion = 1 only" : " is not supported"));
  // Gates and what they let through take turns.
  Value pairs = node.reshapeTo(hidden, node.i64Vector({0, 0, -1, 2}), /*allowZero=*/false);
  Value gates = node.gather(pairs, node.i64Scalar(0), 3), linear = node.gather(pairs, node.i64Scalar(1), 3);
  if (node.hasAttribute("swiglu_limit")) {
    double limit = node.getFloat("swiglu_limit", 0);
    gates = node.min(gates, node.scalar(limit, gates));
    linear = node.max(node.min(linear, node.scalar(limit, linear)), node.scalar(-limit, linear));
  }
  return node.mul(gate(gates, node.getFloat("activation_alpha", 1)),
                  node.add(linear, node.scalar(node.getFloat("activation_beta", 0), linear)));
}

/// Which experts compute each row, R x E: those of the `k` largest scores.
static Value choose(NodeImport &node, Value scores) {
  Value count = asScalar(node, getDims(node, scores, 1, 2));
  Type i64 = node.builder.getI64Type();
  Value places = TopKOp::create(node.builder, node.loc, NodeImport::makeDynamicType(2, i64), scores,
                                node.i64Vector({node.getInt("k", 1)}), /*axis=*/1, /*smallest=*/false);
  Value isPlace = node.compare(CompareDirection::EQ, node.unsqueeze(places, 2), countTo(node, count));
  Value times = node.reduce(ReduceKind::Sum, node.cast(isPlace, i64), ArrayRef<int64_t>{1}, /*keepDims=*/false);
  return node.compare(CompareDirection::GT, times, node.i64Scalar(0));
}

/// The weight of each expert for each row, R x E, 0 for those that are not chosen.
static Value weigh(NodeImport &node, Value shares, Value isChosen, bool isNormalized) {
  Value weights = node.select(isChosen, shares, node.scalar(0, shares));
  if (!isNormalized)
    return weights;
  return node.div(weights, node.reduce(ReduceKind::Sum, weights, ArrayRef<int64_t>{1}, /*keepDims=*/true));
}

/// Attributes and ranks that both operators have alike.
static LogicalResult checkExperts(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (rank != 2 && rank != 3)
    return node.error("operand 0 has rank " + Twine(rank) + " instead of 2 or 3");
  if (node.getInt("use_sparse_mixer", 0))
    return node.error("the sparse mixer is not supported");
  if (node.getInt("k", 1) < 1)
    return node.error("attribute 'k' is " + Twine(node.getInt("k", 1)));
  return success();
}

namespace {

/// Rows in the type that is computed in, and what all experts make of them.
class Experts {
public:
  explicit Experts(NodeImport &node)
      : node(node), type(NodeImport::getElementType(node.getOperand(0))), computed(getComputeType(node.getOperand(0))),
        rows(node.flatten(node.cast(node.getOperand(0), computed), node.requireRank(0) - 1)) {}

  Type getComputed() const { return computed; }

  /// A product with the weights of each expert, E x N x K, and what operand `bias` adds.
  Value apply(Value input, Value weights, size_t bias) {
    Value result = node.matmul(input, node.transposeLast(weights, 3));
    if (!node.hasOperand(bias))
      return result;
    Value added = node.cast(node.getOperand(bias), computed);
    holdDims(node, added, weights, {0, 1}, "experts and rows of operand " + Twine(bias) + " and its weights");
    return node.add(result, node.unsqueeze(added, 1));
  }
  Value getInput() { return node.unsqueeze(rows, 0); }

  /// The second layer has as many experts as the first, and leads back to the elements of a row.
  void checkWeights(Value first, Value second) {
    holdDims(node, second, first, ArrayRef<int64_t>(0), "experts of both layers");
    holdDimPairs(node, second, rows, {{1, 1}}, "rows of the second layer and elements of the input's");
  }

  /// Operand `index`, which has a number for each row and for each expert in `weights`: none is repeated.
  Value getScores(size_t index, Value weights) {
    Value scores = node.getOperand(index);
    std::string name = ("`" + node.node.inputs[index] + "`").str();
    holdDimPairs(node, scores, rows, {{0, 0}}, "rows of " + name + " and of the input");
    holdDimPairs(node, scores, weights, {{1, 0}}, "columns of " + name + " and experts of the weights");
    return node.cast(scores, computed);
  }

  LogicalResult finish(Value results, Value weights, Value isChosen) {
    auto turn = [&](Value value) { return node.unsqueeze(node.transpose(value, ArrayRef<int64_t>{1, 0}), 2); };
    // Infinities of the others do not matter.
    Value parts = node.select(turn(isChosen), node.mul(results, turn(weights)), node.scalar(0, results));
    Value sum = node.reduce(ReduceKind::Sum, parts, ArrayRef<int64_t>{0}, /*keepDims=*/false);
    return node.finish(node.cast(node.reshapeTo(sum, node.shapeOf(node.getOperand(0)), /*allowZero=*/true), type));
  }

private:
  NodeImport &node;
  Type type, computed;
  Value rows;
};

} // namespace

LogicalResult onnx::importMixtureOfExperts(NodeImport &node) {
  if (failed(checkExperts(node)) || failed(node.requireRanks({{1, 2}, {2, 3}, {3, 2}, {4, 3}, {5, 2}})))
    return failure();
  if (!node.hasOperand(4))
    return node.error("operand 4 is missing");
  if (node.hasOperand(6) || node.hasOperand(7))
    return node.error("a third layer is not supported");
  Experts experts(node);
  auto weights = [&](size_t index) { return node.cast(node.getOperand(index), experts.getComputed()); };
  FailureOr<Value> hidden = activate(node, experts.apply(experts.getInput(), weights(2), 3));
  if (failed(hidden) || node.hasFailed())
    return failure();
  experts.checkWeights(node.getOperand(2), node.getOperand(4));
  Value results = experts.apply(*hidden, weights(4), 5);
  Value shares = emitSoftmax(node, experts.getScores(1, node.getOperand(2)), ArrayRef<int64_t>{1});
  Value isChosen = choose(node, shares);
  bool isNormalized = node.getInt("normalize_routing_weights", 0);
  return experts.finish(results, weigh(node, shares, isChosen, isNormalized), isChosen);
}

//===----------------------------------------------------------------------===//
// Weights of few bits
//===----------------------------------------------------------------------===//

/// Weights of all experts, E x N x K, from bytes with `bits` for each, and a scale (and perhaps a zero) for each row,
/// or for each of its blocks.
static Value dequantizeExperts(NodeImport &node, size_t index, size_t zeroIndex, int64_t bits, Type type) {
  int64_t block = node.getInt("block_size", 0), rank = block > 0 ? 3 : 2;
  Value numbers = node.cast(unpackBits(node, node.getOperand(index), bits, 3), type), dims = node.shapeOf(numbers);
  // Nothing is repeated: as many scales and zeros as there are rows or blocks.
  Value counts = getDims(node, numbers, 0, 2);
  if (block > 0) {
    Value size = node.i64Vector({block});
    counts = node.concat(0, {counts, node.div(getDims(node, numbers, 2, 3), size)});
    numbers = node.reshapeTo(numbers, node.concat(0, {counts, size}), /*allowZero=*/true);
  }
  auto fit = [&](Value list) {
    return node.unsqueeze(node.reshapeTo(node.cast(list, type), counts, /*allowZero=*/true), rank);
  };
  Value scales = fit(node.getOperand(index + 1)),
        zeros = node.scalar(std::ldexp(1.0, static_cast<int>(bits) - 1), type);
  if (node.hasOperand(zeroIndex)) {
    // The last byte of a row may have room for more zeros than there are scales.
    Value bytes = node.getOperand(zeroIndex), own = unpackBits(node, bytes, bits, rank),
          last = node.i64Vector({rank - 1});
    int64_t places = 8 / bits;
    Value filled = node.add(node.gather(counts, last, 0), node.i64Vector({places - 1}));
    holdSizes(node, getDims(node, bytes, rank - 1, rank), node.div(filled, node.i64Vector({places})),
              "bytes of zero points and what scales fill");
    zeros = fit(sliceTo(node, own, node.i64Vector({0}), node.gather(counts, last, 0), rank - 1));
  }
  Value weights = node.mul(node.sub(numbers, zeros), scales);
  return block > 0 ? node.reshapeTo(weights, dims, /*allowZero=*/true) : weights;
}

/// Refuses what other kernels than that of CPUs compute.
static LogicalResult checkQuantization(NodeImport &node) {
  if (std::string kind = node.getString("quant_type", "int"); kind != "int")
    return node.error("weights of type " + quoteName(kind) + " are not supported");
  if (node.getInt("weights_prepacked", -1) == 1)
    return node.error("weights that are packed for a device are not supported");
  if (node.hasOperand(8) || node.hasOperand(9) || node.hasOperand(10) || node.hasOperand(13))
    return node.error("a third layer is not supported");
  for (size_t operand : {3, 5, 6})
    if (!node.hasOperand(operand))
      return node.error("operand " + Twine(operand) + " is missing");
  int64_t block = node.getInt("block_size", 0);
  if (block != 0 && (block < 16 || !llvm::isPowerOf2_64(static_cast<uint64_t>(block))))
    return node.error("attribute 'block_size' is " + Twine(block) + ", not a power of 2 and 16 at least");
  int64_t scaleRank = block != 0 ? 3 : 2;
  return node.requireRanks({{1, 2},
                            {2, 3},
                            {3, scaleRank},
                            {4, 2},
                            {5, 3},
                            {6, scaleRank},
                            {7, 2},
                            {11, scaleRank},
                            {12, scaleRank},
                            {14, 2}});
}

LogicalResult onnx::importQuantizedMixtureOfExperts(NodeImport &node) {
  if (failed(checkExperts(node)) || failed(checkQuantization(node)))
    return failure();
  int64_t bits = node.getInt("expert_weight_bits", 4);
  int64_t first = node.getInt("fc1_expert_weight_bits", bits), second = node.getInt("fc2_expert_weight_bits", bits);
  for (int64_t width : {first, second})
    if (width != 2 && width != 4 && width != 8)
      return node.error("weights of " + Twine(width) + " bits are not supported");
  Experts experts(node);
  Type computed = experts.getComputed();
  Value weights = dequantizeExperts(node, 2, 11, first, computed);
  FailureOr<Value> hidden = activate(node, experts.apply(experts.getInput(), weights, 4));
  if (failed(hidden) || node.hasFailed())
    return failure();
  Value secondWeights = dequantizeExperts(node, 5, 12, second, computed);
  experts.checkWeights(weights, secondWeights);
  Value results = experts.apply(*hidden, secondWeights, 7);
  Value scores = experts.getScores(1, weights), isChosen = choose(node, scores);
  // Without weights of their own the scores are made shares of those that are chosen, whatever the attribute says.
  bool isWeighted = node.hasOperand(14), isNormalized = !isWeighted || node.getInt("normalize_routing_weights", 0);
  Value shares = isWeighted ? experts.getScores(14, weights) : emitSoftmax(node, scores, ArrayRef<int64_t>{1});
  return experts.finish(results, weigh(node, shares, isChosen, isNormalized), isChosen);
}
