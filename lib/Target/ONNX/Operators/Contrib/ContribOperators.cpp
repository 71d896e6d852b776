//===- Import of onnxruntime's own operators -------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Formulas.h"
#include "../Guards.h"
#include "../RandomNumbers.h"
#include "MixtureOfExperts.h"
#include "dyn/Dialect/Dyn/IR/DynProcedureOps.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// `x` plus the optional operand with a number for each entry of its last axis.
static Value addBias(NodeImport &node, Value x, size_t operand) {
  return node.hasOperand(operand) ? node.add(x, fitToAxis(node, node.getOperand(operand), x, -1)) : x;
}

static LogicalResult importGelu(NodeImport &node) { return node.finish(emitGelu(node, node.getOperand(0))); }

static LogicalResult importBiasGelu(NodeImport &node) {
  return node.finish(emitGelu(node, addBias(node, node.getOperand(0), 1)));
}

static LogicalResult importFastGelu(NodeImport &node) {
  return node.finish(emitTanhGelu(node, addBias(node, node.getOperand(0), 1)));
}

/// The first half of the last axis times what Gelu makes of the second.
static LogicalResult importBiasSplitGelu(NodeImport &node) {
  int64_t last = node.requireRank(0) - 1;
  if (node.hasFailed())
    return failure();
  if (last < 0)
    return node.error("operand 0 has no dims");
  Value x = addBias(node, node.getOperand(0), 1);
  // Halves of an odd number don't fit into the reshape.
  Value two = node.i64Vector({2}), half = node.div(getDims(node, x, last, last + 1), two);
  Value halves = node.reshapeTo(x, node.concat(0, {getDims(node, x, 0, last), two, half}), /*allowZero=*/true);
  auto get = [&](int64_t place) { return node.gather(halves, node.i64Scalar(place), last); };
  return node.finish(node.mul(get(0), emitGelu(node, get(1))));
}

static LogicalResult importBiasAdd(NodeImport &node) {
  Value sum = addBias(node, node.getOperand(0), 1);
  return node.finish(node.add(sum, holdShape(node, node.getOperand(2), sum, "dims of `skip` and `X`")));
}

/// The axis counts dims of the result.
static LogicalResult importExpandDims(NodeImport &node) {
  std::optional<SmallVector<int64_t>> axis = node.getConstantOperand(1, "the axis");
  if (!axis)
    return failure();
  if (axis->size() != 1)
    return node.error("operand 1 has " + Twine(axis->size()) + " elements instead of 1");
  int64_t place = axis->front();
  std::optional<int64_t> rank = place < 0 ? node.requireRank(0) : node.findRank(0);
  if (node.hasFailed())
    return failure();
  if (rank && (place > *rank || place < -*rank - 1))
    return node.error("axis " + Twine(place) + " is out of range for a result of rank " + Twine(*rank + 1));
  return node.finish(node.unsqueeze(node.getOperand(0), place < 0 ? place + *rank + 1 : place));
}

static LogicalResult importQuickGelu(NodeImport &node) {
  Value x = node.getOperand(0);
  Value scaled = node.mul(x, node.scalar(node.getFloat("alpha", 1.702f), x));
  return node.finish(node.mul(x, node.unary<SigmoidOp>(scaled)));
}

/// input, skip, scale, then offsets: the sum of input, skip and the last offset is normalised over the last axis.
static LogicalResult importSkipNormalization(NodeImport &node, bool subtractMean, std::optional<size_t> beta,
                                             size_t bias) {
  Value input = node.getOperand(0), skip = node.getOperand(1);
  std::optional<int64_t> rank = NodeImport::getRank(input), skipRank = NodeImport::getRank(skip);
  // One skip may stand for the whole batch, but not for several places.
  if (rank && skipRank && std::min(*rank, *skipRank) >= 2)
    holdDimPairs(node, skip, input, {{-2, -2}, {-1, -1}}, "last two dims of `skip` and `input`");
  Value sum = addBias(node, node.add(input, node.expandLike(skip, input)), bias);
  Type type = NodeImport::getElementType(sum), computed = getComputeType(sum);
  double epsilon = node.getFloat("epsilon", 1e-12f);
  Normalized normalized = emitNormalization(node, node.cast(sum, computed), {-1}, epsilon, subtractMean);
  auto readLast = [&](size_t operand) {
    return fitToAxis(node, node.cast(node.getOperand(operand), computed), input, -1);
  };
  Value result = node.mul(normalized.value, readLast(2));
  if (beta && node.hasOperand(*beta))
    result = node.add(result, readLast(*beta));
  Value deviation = normalized.inverseDeviation, mean = normalized.mean;
  if (!mean && node.wantsResult(1))
    mean = FullToOp::create(node.builder, node.loc, NodeImport::makeTypeLike(deviation, computed),
                            node.shapeOf(deviation), node.builder.getFloatAttr(computed, 0));
  (void)node.finish(1, mean);
  (void)node.finish(2, deviation);
  (void)node.finish(3, sum);
  return node.finish(node.cast(result, type));
}

static LogicalResult importSkipLayerNormalization(NodeImport &node) {
  return importSkipNormalization(node, /*subtractMean=*/true, /*beta=*/3, /*bias=*/4);
}

static LogicalResult importSkipSimplifiedLayerNormalization(NodeImport &node) {
  return importSkipNormalization(node, /*subtractMean=*/false, /*beta=*/std::nullopt, /*bias=*/3);
}

/// An operand [M, batch.., K] as [batch.., M, K].
static Value moveBatchFirst(NodeImport &node, Value x, int64_t rank) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  return node.transpose(x, ArrayRef<int64_t>(order));
}

static LogicalResult importFusedMatMul(NodeImport &node) {
  Value operands[] = {node.getOperand(0), node.getOperand(1)};
  if (failed(node.requireSameElementTypes(operands)))
    return failure();
  bool movesBatch[] = {node.getInt("transBatchA", 0) != 0, node.getInt("transBatchB", 0) != 0};
  if (movesBatch[0] || movesBatch[1]) {
    int64_t left = node.requireRank(0), right = node.requireRank(1);
    if (node.hasFailed())
      return failure();
    // What would be meant otherwise, onnxruntime refuses to say.
    if (left < 3 || left != right)
      return node.contradiction("batch dims are transposed of operands of one rank of at least 3, not of " +
                                Twine(left) + " and " + Twine(right));
    for (size_t index : {0, 1})
      if (movesBatch[index])
        operands[index] = moveBatchFirst(node, operands[index], left);
  }
  constexpr StringLiteral attributes[] = {"transA", "transB"};
  for (size_t index : {0, 1}) {
    if (!node.getInt(attributes[index], 0))
      continue;
    int64_t rank = node.requireRank(index);
    if (node.hasFailed())
      return failure();
    if (rank >= 2)
      operands[index] = node.transposeLast(operands[index], rank);
  }
  Value product = node.matmul(operands[0], operands[1]);
  double alpha = node.getFloat("alpha", 1.0f);
  return node.finish(alpha == 1 ? product : node.mul(product, node.scalar(alpha, product)));
}

static LogicalResult importGemmFastGelu(NodeImport &node) {
  Value operands[] = {node.getOperand(0), node.getOperand(1)};
  if (failed(node.requireSameElementTypes(operands)))
    return failure();
  return node.finish(emitTanhGelu(node, addBias(node, node.matmul(operands[0], operands[1]), 2)));
}

/// data + bias, of which training drops some, + residual.
static LogicalResult importBiasDropout(NodeImport &node) {
  Value x = node.getOperand(0), sum = node.add(x, node.expandLike(node.getOperand(1), x)), mask;
  if (!dropsNothing(node, /*ratio=*/3, /*training=*/4)) {
    Dropped dropped = dropRandomly(node, sum, /*ratio=*/3, /*training=*/4);
    sum = dropped.result;
    mask = dropped.mask;
  } else if (node.wantsResult(1)) {
    mask = FullToOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, node.builder.getI1Type()),
                            node.shapeOf(x), node.builder.getBoolAttr(true));
  }
  (void)node.finish(1, mask);
  return node.finish(node.hasOperand(2) ? node.add(sum, node.expandLike(node.getOperand(2), sum)) : sum);
}

/// The distance of each row of A to each row of B.
static LogicalResult importCDist(NodeImport &node) {
  std::string metric = node.getString("metric", "sqeuclidean");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return node.error("metric " + quoteName(metric) + " is not supported");
  Value a = node.getOperand(0), b = node.getOperand(1);
  if (failed(node.requireRanks({{0, 2}, {1, 2}})) || failed(node.requireSameElementTypes({a, b})))
    return failure();
  // Rows of one number would be repeated.
  b = node.reshapeTo(b, node.concat(0, {getDims(node, b, 0, 1), getDims(node, a, 1, 2)}), /*allowZero=*/true);
  Value difference = node.sub(node.unsqueeze(a, 1), node.unsqueeze(b, 0));
  Value sum = node.reduce(ReduceKind::Sum, node.mul(difference, difference), ArrayRef<int64_t>(2), /*keepDims=*/false);
  return node.finish(metric == "euclidean" ? node.sqrt(sum) : sum);
}

/// All windows of `size` entries of a dim, with their entries in a new last dim.
static LogicalResult importUnfoldTensor(NodeImport &node) {
  int64_t size = node.getRequiredInt("size"), step = node.getInt("step", 1), rank = node.requireRank(0);
  int64_t axis = node.hasFailed() ? 0 : node.normalizeAxis(node.getInt("dim", -1), rank);
  if (node.hasFailed())
    return failure();
  if (size < 1 || step < 1)
    return node.error("attributes 'size' = " + Twine(size) + " and 'step' = " + Twine(step) + " must be positive");
  Value x = node.getOperand(0);
  std::optional<ArrayRef<int64_t>> dims = NodeImport::getDims(x);
  if (dims && !ShapedType::isDynamic((*dims)[axis]) && (*dims)[axis] < size)
    return node.error("dim " + Twine(axis) + " of operand 0 is " + Twine((*dims)[axis]) +
                      ", less than 'size' = " + Twine(size));
  // A dim may be 0, but not less: so many windows there are besides the first.
  Type i64 = node.builder.getI64Type();
  Value beyond = node.sub(getDims(node, x, axis, axis + 1), node.i64Vector({size}));
  Value others = getDim(node, fill(node, beyond, 1, 0, i64), 0);
  Value count = node.add(node.div(others, node.i64Scalar(step)), node.i64Scalar(1));
  Value starts = node.mul(countTo(node, count), node.i64Scalar(step));
  Value places = node.add(node.unsqueeze(starts, 1), countTo(node, node.i64Scalar(size)));
  Value windows = node.gather(x, places, axis);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
  order.erase(order.begin() + axis + 1);
  order.push_back(axis + 1);
  return node.finish(node.transpose(windows, ArrayRef<int64_t>(order)));
}

/// Products of complex numbers, which are the pairs along the last axis.
template <bool isConjugated>
static LogicalResult importComplexMul(NodeImport &node) {
  Value operands[] = {node.getOperand(0), node.getOperand(1)}, parts[2][2];
  int64_t last = 0;
  if (failed(node.requireSameElementTypes(operands)))
    return failure();
  for (size_t index : {0, 1}) {
    int64_t rank = node.requireRank(index);
    if (node.hasFailed())
      return failure();
    if (rank < 1)
      return node.error("operand " + Twine(index) + " has no dims");
    Value pairs = node.reshapeTo(operands[index],
                                 node.concat(0, {getDims(node, operands[index], 0, rank - 1), node.i64Vector({2})}),
                                 /*allowZero=*/true);
    last = std::max(last, rank - 1);
    for (int64_t part : {0, 1})
      parts[index][part] = node.gather(pairs, node.i64Scalar(part), rank - 1);
  }
  auto [a, b] = parts[0];
  auto [c, d] = parts[1];
  if (isConjugated)
    d = node.neg(d);
  Value real = node.sub(node.mul(a, c), node.mul(b, d)), imaginary = node.add(node.mul(a, d), node.mul(b, c));
  return node.finish(node.concat(last, {node.unsqueeze(real, last), node.unsqueeze(imaginary, last)}));
}

/// What else the operator has is about training.
static LogicalResult importTorchEmbedding(NodeImport &node) {
  return node.finish(node.gather(node.getOperand(0), node.getOperand(1), 0));
}

static LogicalResult importInverse(NodeImport &node) {
  Value x = node.getOperand(0);
  if (int64_t rank = NodeImport::getRank(x).value_or(2); rank < 2)
    return node.error("operand 0 has rank " + Twine(rank) + ", must be at least 2");
  return node.finish(node.unary<InverseOp>(x));
}

void onnx::registerContribOperators(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "com.microsoft";
  registry.add(domain, "Gelu", 1, 1, importGelu);
  registry.add(domain, "BiasGelu", 2, 2, importBiasGelu);
  registry.add(domain, "FastGelu", 1, 2, importFastGelu);
  registry.add(domain, "QuickGelu", 1, 1, importQuickGelu);
  registry.add(domain, "SkipLayerNormalization", 3, 5, importSkipLayerNormalization);
  registry.add(domain, "SkipSimplifiedLayerNormalization", 3, 4, importSkipSimplifiedLayerNormalization);
  registry.add(domain, "FusedMatMul", 2, 2, importFusedMatMul);
  registry.add(domain, "TransposeMatMul", 2, 2, importFusedMatMul); // its name before
  registry.add(domain, "BiasAdd", 3, 3, importBiasAdd);
  registry.add(domain, "BiasSplitGelu", 2, 2, importBiasSplitGelu);
  registry.add(domain, "ExpandDims", 2, 2, importExpandDims);
  registry.add(domain, "GemmFastGelu", 2, 3, importGemmFastGelu);
  registry.add(domain, "BiasDropout", 2, 5, importBiasDropout);
  registry.add(domain, "CDist", 2, 2, importCDist);
  registry.add(domain, "Inverse", 1, 1, importInverse);
  registry.add(domain, "MoE", 3, 8, importMixtureOfExperts);
  registry.add(domain, "QMoE", 3, 15, importQuantizedMixtureOfExperts);
  registry.add(domain, "ComplexMul", 2, 2, importComplexMul</*isConjugated=*/false>);
  registry.add(domain, "ComplexMulConj", 2, 2, importComplexMul</*isConjugated=*/true>);
  registry.add(domain, "TorchEmbedding", 2, 4, importTorchEmbedding);
  registry.add(domain, "UnfoldTensor", 1, 1, importUnfoldTensor);
}
