//===- Import of onnxruntime's own normalisations ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The operand with an entry for each channel, so that it broadcasts against N x C x H x W.
static Value readChannels(NodeImport &node, size_t operand, Value like, Type type) {
  return spread(node, fitToAxis(node, node.cast(node.getOperand(operand), type), like, 1), 1, 4);
}

/// X, gamma and beta; with a skip, what is normalised is the sum of X, skip and perhaps a bias, the second result.
template <bool hasSkip>
static LogicalResult importGroupNorm(NodeImport &node) {
  int64_t groups = node.getRequiredInt("groups"), activation = node.getRequiredInt("activation");
  bool isLast = node.getInt("channels_last", 1) != 0;
  if (node.hasFailed() || failed(node.requireRanks({{0, 4}, {1, 1}, {2, 1}})))
    return failure();
  if (groups < 1 || (activation != 0 && activation != 1))
    return node.error("attributes 'groups' = " + Twine(groups) + " and 'activation' = " + Twine(activation) +
                      " are not supported");
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(node.getOperand(1));
  if (dims && !ShapedType::isDynamic(dims->front()) && dims->front() % groups != 0)
    return node.error(Twine(dims->front()) + " channels do not make up " + Twine(groups) + " groups");
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  x = node.cast(x, computed);
  if (isLast)
    x = moveChannels(node, x, 4, /*last=*/false);
  if (hasSkip) {
    Value skip = node.cast(node.getOperand(3), computed);
    int64_t rank = node.requireRank(3);
    if (node.hasFailed())
      return failure();
    if (rank != 2 && rank != 4)
      return node.error("operand 3 has rank " + Twine(rank) + " instead of 2 or 4");
    if (rank == 2)
      skip = node.unsqueeze(skip, {2, 3});
    else if (isLast)
      skip = moveChannels(node, skip, 4, /*last=*/false);
    x = node.add(x, node.expandLike(skip, x));
    if (node.hasOperand(4))
      x = node.add(x, readChannels(node, 4, x, computed));
    Value sum = isLast ? moveChannels(node, x, 4, /*last=*/true) : x;
    (void)node.finish(1, node.cast(sum, type));
  }
  Value count = node.i64Vector({groups}), channels = getDims(node, x, 1, 2);
  Value parts = node.concat(0, {getDims(node, x, 0, 1), count, node.div(channels, count), getDims(node, x, 2, 4)});
  Normalized normalized =
      emitNormalization(node, node.reshapeTo(x, parts, /*allowZero=*/true), {2, 3, 4}, node.getFloat("epsilon", 1e-5f));
  Value whole = node.reshapeTo(normalized.value, node.shapeOf(x), /*allowZero=*/true);
  Value result = node.add(node.mul(whole, readChannels(node, 1, x, computed)), readChannels(node, 2, x, computed));
  if (activation == 1)
    result = node.mul(result, node.unary<SigmoidOp>(result));
  if (isLast)
    result = moveChannels(node, result, 4, /*last=*/true);
  return node.finish(node.cast(result, type));
}

/// Does a bias broadcast as the attribute says: along dims right before `axis` (inner), or along the first ones? Others
/// would be read elsewhere in it.
static LogicalResult checkBroadcast(NodeImport &node, int64_t axis, bool isInner) {
  std::optional<ArrayRef<int64_t>> data = NodeImport::getDims(node.getOperand(0));
  std::optional<ArrayRef<int64_t>> bias = NodeImport::getDims(node.getOperand(1));
  if (!data || !bias || bias->size() > data->size() || (isInner && bias->size() != data->size()))
    return node.error("the bias must be known to have " + Twine(isInner ? "" : "at most ") +
                      "as many dims as the data");
  size_t missing = data->size() - bias->size();
  bool hasOne = false, hasOther = false;
  for (size_t dim = missing; dim < static_cast<size_t>(axis); ++dim) {
    int64_t own = (*bias)[dim - missing];
    if (ShapedType::isDynamic(own) || (*data)[dim] == 1)
      continue;
    if (own == 1 ? !isInner && hasOther : isInner && hasOne)
      return node.error("the dims of the bias contradict attribute 'is_inner_broadcast'");
    (own == 1 ? hasOne : hasOther) = true;
  }
  return success();
}

static LogicalResult importBiasSoftmax(NodeImport &node) {
  Value x = node.getOperand(0), bias = node.getOperand(1);
  bool isInner = node.getRequiredInt("is_inner_broadcast") != 0;
  int64_t rank = node.requireRank(0);
  int64_t axis = node.hasFailed() ? 0 : node.normalizeAxis(node.getInt("axis", 1), rank);
  if (node.hasFailed() || failed(node.requireSameElementTypes({x, bias})) ||
      failed(checkBroadcast(node, axis, isInner)))
    return failure();
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  x = node.cast(x, computed);
  Value sum = node.add(x, node.expandLike(node.cast(bias, computed), x));
  return node.finish(node.cast(emitSoftmax(node, sum, llvm::to_vector(llvm::seq<int64_t>(axis, rank))), type));
}

void onnx::registerContribNormalizations(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "GroupNorm", 3, 3, importGroupNorm</*hasSkip=*/false>);
  registry.add(domain, "SkipGroupNorm", 4, 5, importGroupNorm</*hasSkip=*/true>);
  registry.add(domain, "BiasSoftmax", 2, 2, importBiasSoftmax);
}
