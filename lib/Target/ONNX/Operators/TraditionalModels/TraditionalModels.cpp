//===- Import of ai.onnx.ml: models that are not networks ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "ScoreTransforms.h"
#include "VectorAttribute.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

static Value floatVector(NodeImport &node, ArrayRef<double> values, Type type) {
  SmallVector<Attribute> elements =
      llvm::map_to_vector(values, [&](double value) -> Attribute { return FloatAttr::get(type, value); });
  return node.constant(
      DenseElementsAttr::get(RankedTensorType::get(static_cast<int64_t>(values.size()), type), elements));
}

/// Columns of the last dim, by a list of places.
static LogicalResult importArrayFeatureExtractor(NodeImport &node) {
  Value x = node.getOperand(0);
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  Value places = node.reshapeTo(node.getOperand(1), node.i64Vector({-1}), /*allowZero=*/false);
  if (rank == 1)
    x = node.unsqueeze(x, 0);
  return node.finish(node.gather(x, places, -1));
}

static LogicalResult importBinarizer(NodeImport &node) {
  Value x = node.getOperand(0);
  Value isGreater = node.compare(CompareDirection::GT, x, node.scalar(node.getFloat("threshold", 0), x));
  return node.finish(node.cast(isGreater, NodeImport::getElementType(x)));
}

/// (x - offset) * scale, both one for all or one for each column.
static LogicalResult importScaler(NodeImport &node) {
  Type type = node.builder.getF32Type();
  Value x = node.cast(node.getOperand(0), type);
  std::optional<SmallVector<double>> offset = node.getFloats("offset"), scale = node.getFloats("scale");
  if (offset && !offset->empty())
    x = node.sub(x, node.expandLike(floatVector(node, *offset, type), x));
  if (scale && !scale->empty())
    x = node.mul(x, node.expandLike(floatVector(node, *scale, type), x));
  return node.finish(x);
}

/// Rows divided by a norm; rows of norm 0 stay.
static LogicalResult importNormalizer(NodeImport &node) {
  std::string norm = node.getString("norm", "MAX");
  Type type = node.builder.getF32Type();
  Value x = node.cast(node.getOperand(0), type);
  constexpr int64_t last[] = {-1};
  auto reduce = [&](ReduceKind kind, Value value) {
    return node.reduce(kind, value, ArrayRef<int64_t>(last), /*keepDims=*/true);
  };
  Value size;
  if (norm == "MAX")
    size = reduce(ReduceKind::Max, x);
  else if (norm == "L1")
    size = reduce(ReduceKind::Sum, node.abs(x));
  else if (norm == "L2")
    size = node.sqrt(reduce(ReduceKind::Sum, node.mul(x, x)));
  else
    return node.error("norm " + quoteName(norm) + " is not supported");
  Value isZero = node.compare(CompareDirection::EQ, size, node.scalar(0, size));
  return node.finish(node.div(x, node.select(isZero, node.scalar(1, size), size)));
}

/// What a value is replaced with where it is the one that marks a missing value.
static LogicalResult importImputer(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  bool isFloat = isa<FloatType>(type);
  Value replacement, isMissing;
  if (isFloat) {
    std::optional<SmallVector<double>> values = node.getFloats("imputed_value_floats");
    if (!values || values->empty())
      return node.error("attribute 'imputed_value_floats' is missing");
    replacement = floatVector(node, *values, type);
    double marked = node.getFloat("replaced_value_float", 0);
    isMissing =
        std::isnan(marked)
            ? Value(IsNanOp::create(node.builder, node.loc, NodeImport::makeTypeLike(x, node.builder.getI1Type()), x))
            : node.compare(CompareDirection::EQ, x, node.scalar(marked, x));
  } else {
    std::optional<SmallVector<int64_t>> values = node.getInts("imputed_value_int64s");
    if (!values || values->empty())
      return node.error("attribute 'imputed_value_int64s' is missing");
    replacement = node.cast(node.i64Vector(*values), type);
    isMissing =
        node.compare(CompareDirection::EQ, x, node.cast(node.i64Scalar(node.getInt("replaced_value_int64", 0)), type));
  }
  return node.finish(node.select(isMissing, node.expandLike(replacement, x), x));
}

/// x * coefficients' + intercepts, with one row of coefficients for each target.
static LogicalResult importLinearRegressor(NodeImport &node) {
  std::optional<SmallVector<double>> coefficients = node.getFloats("coefficients"),
                                     added = node.getFloats("intercepts");
  int64_t targets = node.getInt("targets", 1);
  ScoreTransform transform = readScoreTransform(node);
  if (!coefficients || targets < 1 || coefficients->size() % static_cast<size_t>(targets) != 0)
    return node.error("attribute 'coefficients' does not fit " + Twine(targets) + " targets");
  if (node.hasFailed())
    return failure();
  Type type = node.builder.getF32Type();
  Value x = node.cast(node.getOperand(0), type);
  Value weights = node.reshapeTo(floatVector(node, *coefficients, type), node.i64Vector({targets, -1}),
                                 /*allowZero=*/false);
  constexpr int64_t swapped[] = {1, 0};
  Value result = node.matmul(x, node.transpose(weights, ArrayRef<int64_t>(swapped)));
  if (added && !added->empty())
    result = node.add(result, node.expandLike(floatVector(node, *added, type), result));
  return node.finish(transformScores(node, result, transform));
}

/// Scores as of a regressor, one for each class, and the labels of the highest ones.
static LogicalResult importLinearClassifier(NodeImport &node) {
  std::optional<SmallVector<double>> coefficients = node.getFloats("coefficients"),
                                     added = node.getFloats("intercepts");
  std::optional<std::vector<std::string>> texts = node.getStrings("classlabels_strings");
  std::optional<SmallVector<int64_t>> numbers = node.getInts("classlabels_ints");
  ScoreTransform transform = readScoreTransform(node);
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  bool hasTexts = texts && !texts->empty();
  size_t count = hasTexts ? texts->size() : numbers ? numbers->size() : 0;
  if (count < 2)
    return node.error("has " + Twine(count) + " class labels, must have 2 or more");
  // The score of the second of two classes; that of the first is the other way round. ONNX's reference and onnxruntime
  // agree on it for this transform only.
  if (count == 2 && added && added->size() == 1 && coefficients && transform == ScoreTransform::Logistic) {
    SmallVector<double> both = llvm::map_to_vector(*coefficients, [](double value) { return -value; });
    llvm::append_range(both, *coefficients);
    coefficients = both;
    added = SmallVector<double>{-added->front(), added->front()};
  }
  if (added && !added->empty() && added->size() != count)
    return node.error("has " + Twine(added->size()) + " 'intercepts' for " + Twine(count) +
                      " classes, which is not supported");
  if (!coefficients || coefficients->empty() || coefficients->size() % count != 0)
    return node.error("attribute 'coefficients' does not fit " + Twine(count) + " classes");
  Type type = node.builder.getF32Type();
  Value x = node.cast(node.getOperand(0), type);
  if (rank == 1)
    x = node.unsqueeze(x, 0);
  Value weights = node.reshapeTo(floatVector(node, *coefficients, type),
                                 node.i64Vector({static_cast<int64_t>(count), -1}), /*allowZero=*/false);
  constexpr int64_t swapped[] = {1, 0};
  Value scores = node.matmul(x, node.transpose(weights, ArrayRef<int64_t>(swapped)));
  if (added && !added->empty())
    scores = node.add(scores, floatVector(node, *added, type));
  if (node.wantsResult(0)) {
    Value labels =
        node.constant(hasTexts ? makeStrings(node, *texts) : makeNumbers<int64_t>(*numbers, node.builder.getI64Type()));
    Type places = NodeImport::makeDynamicType(1, node.builder.getI64Type());
    Value best = ArgReduceOp::create(node.builder, node.loc, places, ReduceKind::Max, scores, 1, /*keepDims=*/false,
                                     /*selectLastIndex=*/false);
    (void)node.finish(0, node.gather(labels, best, 0));
  }
  if (node.wantsResult(1))
    (void)node.finish(1, transformScores(node, scores, transform));
  return success(!node.hasFailed());
}

/// Maps from labels to the scores of a row. There are none here: the scores stay a tensor, which the reader is told of.
static LogicalResult importZipMap(NodeImport &node) {
  int64_t rank = node.requireRank(0);
  if (node.hasFailed())
    return failure();
  if (rank != 1 && rank != 2)
    return node.error("operand 0 has rank " + Twine(rank) + ", must have 1 or 2");
  std::optional<std::vector<std::string>> texts = node.getStrings("classlabels_strings");
  std::optional<SmallVector<int64_t>> numbers = node.getInts("classlabels_int64s");
  bool hasTexts = texts && !texts->empty();
  size_t count = hasTexts ? texts->size() : numbers ? numbers->size() : 0;
  if (node.hasFailed())
    return failure();
  if (count == 0)
    return node.error("has no class labels");
  Value scores = node.getOperand(0);
  int64_t columns = NodeImport::getDims(scores) ? NodeImport::getDims(scores)->back() : ShapedType::kDynamic;
  if (!ShapedType::isDynamic(columns) && columns != static_cast<int64_t>(count))
    return node.error("has " + Twine(count) + " class labels for " + Twine(columns) + " scores");
  constexpr size_t shown = 5;
  std::string labels;
  for (size_t i = 0; i < std::min(count, shown); ++i)
    labels += (i == 0 ? "" : ", ") + (hasTexts ? quoteName((*texts)[i]) : std::to_string((*numbers)[i]));
  emitWarning(node.loc) << node.node.describe()
                        << ": the result is a tensor of scores, with a column for each of the labels " << labels
                        << (count > shown ? ", ..." : "") << ", and no sequence of maps";
  return node.finish(rank == 1 ? node.unsqueeze(scores, 0) : scores);
}

void onnx::registerTraditionalModels(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "ai.onnx.ml";
  registry.add(domain, "ArrayFeatureExtractor", 2, 2, importArrayFeatureExtractor);
  registry.add(domain, "Binarizer", 1, 1, importBinarizer);
  registry.add(domain, "Scaler", 1, 1, importScaler);
  registry.add(domain, "Normalizer", 1, 1, importNormalizer);
  registry.add(domain, "Imputer", 1, 1, importImputer);
  registry.add(domain, "LinearRegressor", 1, 1, importLinearRegressor);
  registry.add(domain, "LinearClassifier", 1, 1, importLinearClassifier);
  registry.add(domain, "ZipMap", 1, 1, importZipMap);
}
