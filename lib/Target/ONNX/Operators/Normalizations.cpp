//===- Import of softmax and normalisations ----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "../Reading/ChannelBlocks.h"
#include "Formulas.h"
#include "Guards.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static Value emitLogSoftmax(NodeImport &node, Value x, ArrayRef<int64_t> axes) {
  Value shifted = node.sub(x, node.reduce(ReduceKind::Max, x, axes, /*keepDims=*/true));
  return node.sub(shifted, node.log(node.reduce(ReduceKind::Sum, node.exp(shifted), axes, /*keepDims=*/true)));
}

/// Since opset 13 along one axis; before that over all axes from `axis` on, as if they were one.
template <Value (*emit)(NodeImport &, Value, ArrayRef<int64_t>)>
static LogicalResult importSoftmax(NodeImport &node) {
  Value x = node.getOperand(0);
  if (!NodeImport::isFloat(x))
    return node.error("operand 0 must be of a float type");
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  Value input = node.cast(x, computed);
  if (node.getVersion() >= 13) {
    int64_t axis = node.normalizeAxis(node.getInt("axis", -1), NodeImport::getRank(x));
    return node.finish(node.cast(emit(node, input, axis), type));
  }
  int64_t axis = node.getInt("axis", 1);
  if (std::optional<SmallVector<int64_t>> axes = getAxesFrom(node, axis, 0))
    return node.finish(node.cast(emit(node, input, *axes), type));
  Value flat = emit(node, node.flatten(input, axis), 1);
  return node.finish(node.cast(node.reshapeTo(flat, node.shapeOf(x), /*allowZero=*/true), type));
}

/// Gives a result that is statistics, in the type that `stash_type` says, whatever they are computed in.
static void finishStatistics(NodeImport &node, size_t result, Value statistics) {
  if (result >= node.node.outputs.size() || node.node.outputs[result].empty() || node.hasFailed())
    return;
  auto number = static_cast<ElementType>(node.getInt("stash_type", static_cast<int64_t>(ElementType::Float)));
  auto type = dyn_cast_or_null<FloatType>(getElementType(number, node.builder.getContext()));
  if (!type)
    (void)node.error("attribute 'stash_type' is " + getElementTypeName(number) + ", which is no float type");
  else
    (void)node.finish(result, node.cast(statistics, type));
}

static LogicalResult importLayerNormalization(NodeImport &node) {
  Value x = node.getOperand(0), scale = node.getOperand(1), bias = node.getOperand(2);
  int64_t axis = node.getInt("axis", -1);
  std::optional<SmallVector<int64_t>> axes = getAxesFrom(node, axis, 0);
  if (!axes) {
    (void)node.requireRank(0);
    return failure();
  }
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  double epsilon = node.getFloat("epsilon", 1e-5f);
  Normalized normalized = emitNormalization(node, node.cast(x, computed), *axes, epsilon);
  Value result = node.mul(normalized.value, node.expandLike(node.cast(scale, computed), normalized.value));
  if (bias)
    result = node.add(result, node.expandLike(node.cast(bias, computed), normalized.value));
  finishStatistics(node, 1, normalized.mean);
  finishStatistics(node, 2, normalized.inverseDeviation);
  return node.finish(node.cast(result, type));
}

/// Also `SimplifiedLayerNormalization`, whose second result is the inverse deviation, and whose first one has the type
/// of the scale.
template <bool hasTypeOfScale>
static LogicalResult importRMSNormalization(NodeImport &node) {
  Value x = node.getOperand(0), scale = node.getOperand(1);
  std::optional<SmallVector<int64_t>> axes = getAxesFrom(node, node.getInt("axis", -1), 0);
  if (!axes) {
    (void)node.requireRank(0);
    return failure();
  }
  Type type = NodeImport::getElementType(hasTypeOfScale ? scale : x), computed = getComputeType(x);
  double epsilon = node.getFloat("epsilon", 1e-5f);
  Normalized normalized = emitNormalization(node, node.cast(x, computed), *axes, epsilon, /*subtractMean=*/false);
  finishStatistics(node, 1, normalized.inverseDeviation);
  Value factor = node.expandLike(node.cast(scale, computed), normalized.value);
  return node.finish(node.cast(node.mul(normalized.value, factor), type));
}

/// A value for each channel, shaped so that it broadcasts against N x C x spatial...
static Value spreadChannels(NodeImport &node, Value channels, int64_t rank) {
  return rank <= 2 ? channels : node.unsqueeze(channels, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
}

/// Of the batch where it is asked for: until opset 13 by the outputs that only training has.
static bool usesOwnStatistics(NodeImport &node) {
  if (node.getVersion() >= 14)
    return node.getInt("training_mode", 0) != 0;
  return llvm::any_of(llvm::drop_begin(node.node.outputs), [](StringRef name) { return !name.empty(); });
}

static LogicalResult importBatchNormalization(NodeImport &node) {
  if (!node.getInt("spatial", 1))
    return node.error("statistics for each place instead of each channel are not supported");
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  Value x = node.getOperand(0), scale = node.getOperand(1), bias = node.getOperand(2);
  Value mean = node.getOperand(3), variance = node.getOperand(4);
  if (failed(node.requireSameElementTypes({scale, bias})) || failed(node.requireSameElementTypes({mean, variance})))
    return failure();
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  for (Value *value : {&x, &scale, &bias, &mean, &variance})
    *value = node.cast(*value, computed);
  // A vector is a batch of one channel.
  scale = rank == 1 ? node.reshapeTo(scale, node.i64Vector({1}), /*allowZero=*/true) : fitToAxis(node, scale, x, 1);
  for (Value *value : {&bias, &mean, &variance})
    *value = fitToAxis(node, *value, node.getOperand(1), 0);
  if (usesOwnStatistics(node)) {
    if (rank < 2)
      return node.error("an operand of rank " + Twine(rank) + " has no channels");
    // The statistics of the batch, of which running ones take their share.
    auto axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
    axes.insert(axes.begin(), 0);
    auto average = [&](Value value) { return node.reduce(ReduceKind::Mean, value, axes, /*keepDims=*/false); };
    Value batchMean = average(x), centred = node.sub(x, spreadChannels(node, batchMean, rank));
    Value batchVariance = average(node.mul(centred, centred));
    double momentum = node.getFloat("momentum", 0.9f);
    auto mix = [&](Value running, Value batch, size_t operand) {
      Value sum = node.add(node.mul(running, node.scalar(momentum, running)),
                           node.mul(batch, node.scalar(1 - momentum, batch)));
      return node.cast(sum, NodeImport::getElementType(node.getOperand(operand)));
    };
    (void)node.finish(1, mix(mean, batchMean, 3));
    (void)node.finish(2, mix(variance, batchVariance, 4));
    mean = batchMean;
    variance = batchVariance;
    if (node.getVersion() < 14)
      for (auto [index, saved] : {std::pair(3, mean), std::pair(4, variance)})
        (void)node.finish(index, node.cast(saved, NodeImport::getElementType(node.getOperand(index))));
  }
  Value deviation = node.sqrt(node.add(variance, node.scalar(node.getFloat("epsilon", 1e-5f), variance)));
  // All that does not depend on the input first: with constant statistics it is computed at compile time.
  Value factor = node.div(scale, deviation);
  Value offset = node.sub(bias, node.mul(mean, factor));
  Value scaled = node.mul(x, spreadChannels(node, factor, rank));
  return node.finish(node.cast(node.add(scaled, spreadChannels(node, offset, rank)), type));
}

static LogicalResult importInstanceNormalization(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (rank < 3)
    return node.error("an operand of rank " + Twine(rank) + " has no spatial dims");
  Value x = node.getOperand(0);
  if (failed(node.requireSameElementTypes({x, node.getOperand(1), node.getOperand(2)})))
    return failure();
  Type type = NodeImport::getElementType(x), computed = getComputeType(x);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
  double epsilon = node.getFloat("epsilon", 1e-5f);
  Normalized normalized = emitNormalization(node, node.cast(x, computed), axes, epsilon);
  auto readChannels = [&](size_t operand) {
    return spreadChannels(node, fitToAxis(node, node.cast(node.getOperand(operand), computed), x, 1), rank);
  };
  Value scale = readChannels(1), bias = readChannels(2);
  return node.finish(node.cast(node.add(node.mul(normalized.value, scale), bias), type));
}

/// By ONNX's definition, whose first reshape would say of the channels how many elements there are.
static LogicalResult importGroupNormalization(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t groups = node.getRequiredInt("num_groups");
  if (node.hasFailed())
    return failure();
  if (groups < 1)
    return node.error("attribute 'num_groups' is " + Twine(groups));
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  if (!dims || dims->size() < 2)
    return node.finishByDefinition();
  Value rest = requireNoRest(node, 1, node.i64Vector({groups}), "num_groups");
  if (node.hasFailed())
    return failure();
  // Where there are no elements, a shape of the definition would copy dims instead of being 0.
  if (llvm::is_contained(*dims, 0))
    return node.finish(x);
  if (!ShapedType::isDynamic((*dims)[1]))
    return node.finishByDefinition();
  // The dims that it has, told as such.
  x = node.reshapeTo(x, node.concat(0, {node.shapeOf(x), rest}), /*allowZero=*/true);
  return node.graphs.importDefinition(node.node, {x, node.getOperand(1), node.getOperand(2)});
}

/// A vector of norm 0 stays 0, as in onnxruntime.
static LogicalResult importLpNormalization(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), NodeImport::getRank(x)), p = node.getInt("p", 2);
  if (p != 1 && p != 2)
    return node.error("norm " + Twine(p) + " is not supported");
  return node.finish(computeWide(node, x, [&](Value wide) {
    Value powers = p == 1 ? node.abs(wide) : node.mul(wide, wide);
    Value norm = node.reduce(ReduceKind::Sum, powers, axis, /*keepDims=*/true);
    if (p == 2)
      norm = node.sqrt(norm);
    Value isZero = node.compare(CompareDirection::EQ, norm, node.scalar(0, norm));
    return node.div(wide, node.select(isZero, node.scalar(1, norm), norm));
  }));
}

static LogicalResult importGlobalPool(NodeImport &node, ReduceKind kind) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(rank, 2)));
  return node.finish(node.reduce(kind, node.getOperand(0), ArrayRef<int64_t>(axes), /*keepDims=*/true));
}

static LogicalResult importGlobalAveragePool(NodeImport &node) { return importGlobalPool(node, ReduceKind::Mean); }
static LogicalResult importGlobalMaxPool(NodeImport &node) { return importGlobalPool(node, ReduceKind::Max); }

void onnx::registerNormalizations(OperatorRegistry &registry) {
  registry.add("Softmax", 1, 1, importSoftmax<emitSoftmax>);
  registry.add("LogSoftmax", 1, 1, importSoftmax<emitLogSoftmax>);
  registry.add("LayerNormalization", 2, 3, importLayerNormalization);
  registry.add("RMSNormalization", 2, 2, importRMSNormalization<false>);
  registry.add("SimplifiedLayerNormalization", 2, 2, importRMSNormalization<true>);
  registry.add("com.microsoft", "SimplifiedLayerNormalization", 2, 2, importRMSNormalization<true>);
  registry.add("BatchNormalization", 5, 5, importBatchNormalization);
  registry.add("InstanceNormalization", 3, 3, importInstanceNormalization);
  registry.add("GroupNormalization", 3, 3, importGroupNormalization);
  registry.add("LpNormalization", 1, 1, importLpNormalization);
  registry.add("GlobalAveragePool", 1, 1, importGlobalAveragePool);
  registry.add("GlobalMaxPool", 1, 1, importGlobalMaxPool);
  registry.add(kBlockedDomain, "GlobalAveragePool", 1, 1, importGlobalAveragePool);
  registry.add(kBlockedDomain, "GlobalMaxPool", 1, 1, importGlobalMaxPool);
}
