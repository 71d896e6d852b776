//===- Import of onnxruntime's operators on several streams ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Models with hyper-connections have C residual streams of H elements instead of
// one, as two last dims or flattened into one.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// Operand 0, in the type that is computed in, with a dim of its own for streams.
class Streams {
public:
  explicit Streams(NodeImport &node) : node(node) {}
  LogicalResult read();

  /// An operand with numbers for each stream, or for each element of one, as something that broadcasts to all.
  FailureOr<Value> readGates(size_t operand);
  Value cast(size_t operand) { return node.cast(node.getOperand(operand), computed); }
  /// In the dims and the type of the operand.
  LogicalResult finish(Value result) {
    if (isFlat)
      result = node.reshapeTo(result, node.shapeOf(node.getOperand(0)), /*allowZero=*/true);
    return finishReduced(result);
  }
  LogicalResult finishReduced(Value result) {
    return node.finish(node.cast(result, NodeImport::getElementType(node.getOperand(0))));
  }

  Value all;        ///< ... x C x H
  int64_t rank = 0; ///< of `all`
  bool isFlat = false;

private:
  NodeImport &node;
  Type computed;
};

} // namespace

LogicalResult Streams::read() {
  int64_t own = node.requireRank(0), count = node.getInt("num_branches", 0);
  if (node.hasFailed())
    return failure();
  isFlat = count != 0;
  if (count < 0)
    return node.error("attribute 'num_branches' is " + Twine(count));
  if (own < (isFlat ? 1 : 2))
    return node.error("operand 0 has rank " + Twine(own));
  rank = own + isFlat;
  computed = getComputeType(node.getOperand(0));
  all = cast(0);
  if (!isFlat)
    return success();
  Value streams = node.i64Vector({count}), width = node.div(getDims(node, all, own - 1, own), streams);
  all = node.reshapeTo(all, node.concat(0, {getDims(node, all, 0, own - 1), streams, width}), /*allowZero=*/true);
  return success();
}

FailureOr<Value> Streams::readGates(size_t operand) {
  int64_t own = node.requireRank(operand);
  if (node.hasFailed())
    return failure();
  Value gates = cast(operand);
  if (own == rank - 1) {
    // One for each stream, or flattened as well: whatever each stream has.
    Value streams = getDims(node, all, rank - 2, rank - 1);
    Value width = isFlat ? node.div(getDims(node, gates, own - 1, own), streams) : node.i64Vector({1});
    gates =
        node.reshapeTo(gates, node.concat(0, {getDims(node, gates, 0, own - 1), streams, width}), /*allowZero=*/true);
  } else if (own != rank) {
    return node.error("operand " + Twine(operand) + " has rank " + Twine(own) + ", which does not fit to operand 0");
  }
  holdDims(node, gates, all, llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)), "dims of gates and streams");
  return node.expandLike(gates, all);
}

/// The sum of all streams, each times its gates.
static LogicalResult importPreMix(NodeImport &node) {
  Streams streams(node);
  if (failed(streams.read()))
    return failure();
  FailureOr<Value> gates = streams.readGates(1);
  if (failed(gates))
    return failure();
  constexpr int64_t axis[] = {-2};
  Value sum = node.reduce(ReduceKind::Sum, node.mul(streams.all, *gates), ArrayRef<int64_t>(axis), /*keepDims=*/false);
  return streams.finishReduced(node.mul(sum, node.scalar(node.getFloat("reduction_scale", 1.0f), sum)));
}

/// All streams, perhaps mixed by a matrix, and what a layer yields, times the gates of each.
static LogicalResult importPostMix(NodeImport &node) {
  Streams streams(node);
  if (failed(streams.read()))
    return failure();
  FailureOr<Value> gates = streams.readGates(2);
  if (failed(gates) || failed(node.requireRanks({{1, streams.rank - 1}, {3, streams.rank}})))
    return failure();
  int64_t leading = streams.rank - 2;
  std::pair<int64_t, int64_t> width(leading, leading + 1);
  SmallVector<std::pair<int64_t, int64_t>> same;
  for (int64_t axis = 0; axis < leading; ++axis)
    same.emplace_back(axis, axis);
  same.push_back(width);
  Value block = streams.cast(1), mixed = streams.all;
  holdDimPairs(node, block, streams.all, same, "dims of `block_output` and of one stream");
  block = node.unsqueeze(block, leading);
  if (node.hasOperand(3)) {
    Value matrix = streams.cast(3);
    same.back() = {leading, leading};
    same.emplace_back(leading + 1, leading);
    holdDimPairs(node, matrix, streams.all, same, "dims of `stream_mix` and streams");
    mixed = node.matmul(node.transposeLast(matrix, streams.rank), mixed);
  }
  return streams.finish(node.add(mixed, node.mul(*gates, block)));
}

/// Each stream over the root of the mean of its squares, times a scale.
static LogicalResult importBranchwiseRMSNorm(NodeImport &node) {
  Streams streams(node);
  if (failed(streams.read()))
    return failure();
  Value result =
      emitNormalization(node, streams.all, {-1}, node.getFloat("epsilon", 1e-5f), /*subtractMean=*/false).value;
  if (node.hasOperand(1)) {
    int64_t rank = node.requireRank(1);
    if (node.hasFailed())
      return failure();
    if (rank != 1 && rank != 2)
      return node.error("operand 1 has rank " + Twine(rank) + " instead of 1 or 2");
    Value scale = streams.cast(1);
    if (rank == 1) {
      // One for all streams, or one for each behind one another.
      Value width = getDims(node, streams.all, streams.rank - 1, streams.rank);
      scale = node.reshapeTo(scale, node.concat(0, {node.div(node.shapeOf(scale), width), width}), /*allowZero=*/true);
    }
    if (rank == 2)
      holdDimPairs(node, scale, result, {{0, -2}, {1, -1}}, "dims of `scale` and streams");
    result = node.mul(result, node.expandLike(scale, result));
  }
  return streams.finish(result);
}

void onnx::registerStreams(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "HyperConnectionPreMix", 2, 2, importPreMix);
  registry.add(domain, "HyperConnectionPostMix", 3, 4, importPostMix);
  registry.add(domain, "BranchwiseRMSNorm", 1, 2, importBranchwiseRMSNorm);
}
