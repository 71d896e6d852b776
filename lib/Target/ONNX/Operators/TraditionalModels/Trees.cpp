//===- Import of ensembles of decision trees ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "Forest.h"
#include "ScoreTransforms.h"
#include "VectorAttribute.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// Checks the trees, and that `x` has rows.
static LogicalResult verifyOperand(NodeImport &node, Value x, Forest &forest) {
  if (failed(verifyForest(node, forest)))
    return failure();
  return node.requireRanks({{0, 2}});
}

/// Scores of the rows of `x`, with a number added for each target if `base` has any.
static LogicalResult finishForest(NodeImport &node, Value x, Forest &forest, Aggregate function, ArrayRef<double> base,
                                  ScoreTransform transform, Type type) {
  if (failed(verifyOperand(node, x, forest)))
    return failure();
  Value result = aggregateLeaves(node, findLeaves(node, x, forest), forest, function);
  if (!base.empty())
    result = node.add(result, makeFloats(node, base, forest.targets, forest.type));
  return node.finish(transformScores(node, node.cast(result, type), transform));
}

static LogicalResult importTreeEnsemble(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  Forest forest;
  if (failed(readForest(node, forest)))
    return failure();
  if (!isa<FloatType>(type) || forest.type != type)
    return node.error("operand 0 and attribute 'nodes_splits' must have floats of one type");
  int64_t function = node.getInt("aggregate_function", 1), transform = node.getInt("post_transform", 0);
  if (function < 0 || function > static_cast<int64_t>(Aggregate::Max))
    return node.error("aggregate_function " + Twine(function) + " is not supported");
  if (transform < 0 || transform > static_cast<int64_t>(ScoreTransform::Probit))
    return node.error("post_transform " + Twine(transform) + " is not supported");
  return finishForest(node, x, forest, static_cast<Aggregate>(function), {}, static_cast<ScoreTransform>(transform),
                      type);
}

/// Thresholds and weights are floats; those of doubles are compared and added as doubles.
static Type getForestType(NodeImport &node) {
  return NodeImport::getElementType(node.getOperand(0)).isF64() ? Type(node.builder.getF64Type())
                                                                : Type(node.builder.getF32Type());
}

static LogicalResult importTreeEnsembleRegressor(NodeImport &node) {
  Forest forest;
  forest.type = getForestType(node);
  forest.targets = node.getInt("n_targets", 1);
  if (failed(readNumberedForest(node, "target", forest)))
    return failure();
  constexpr StringLiteral functions[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  std::string function = node.getString("aggregate_function", "SUM");
  const auto *found = llvm::find(functions, function);
  if (found == std::end(functions))
    return node.error("aggregate_function " + quoteName(function) + " is not supported");
  ScoreTransform transform = readScoreTransform(node);
  SmallVector<double> base = readTreeNumbers(node, "base_values");
  if (node.hasFailed())
    return failure();
  if (!base.empty() && static_cast<int64_t>(base.size()) != forest.targets)
    return node.error("has " + Twine(base.size()) + " 'base_values' for " + Twine(forest.targets) + " targets");
  return finishForest(node, node.cast(node.getOperand(0), forest.type), forest,
                      static_cast<Aggregate>(found - std::begin(functions)), base, transform,
                      node.builder.getF32Type());
}

//===----------------------------------------------------------------------===//
// Classifiers
//===----------------------------------------------------------------------===//

namespace {

class TreeClassifier {
public:
  explicit TreeClassifier(NodeImport &node) : node(node), f32(node.builder.getF32Type()) {}
  LogicalResult run();

private:
  LogicalResult readAttributes();
  /// Do leaves have weights of the first of two classes only? That score is then the second one's.
  bool isBinary() const { return forest.targets == 1; }
  /// Rows x classes, from rows x 1.
  Value makeBinaryScores(Value score);
  /// The places of the classes with the highest scores. Those that no leaf adds to are not chosen.
  Value chooseClasses(Value scores, Value leaves);

  NodeImport &node;
  Type f32;
  Forest forest;
  DenseElementsAttr labels;
  SmallVector<double> base;
  ScoreTransform transform = ScoreTransform::None;
  bool hasNegativeWeights = false;
};

} // namespace

LogicalResult TreeClassifier::readAttributes() {
  labels = readVector(node, "classlabels");
  if (!labels)
    return failure();
  int64_t numClasses = labels.getNumElements();
  forest.type = getForestType(node);
  forest.targets = numClasses;
  if (failed(readNumberedForest(node, "class", forest)))
    return failure();
  transform = readScoreTransform(node);
  base = readTreeNumbers(node, "base_values");
  if (node.hasFailed())
    return failure();
  if (numClasses < 2)
    return node.error("has " + Twine(numClasses) + " class labels, must have 2 or more");
  hasNegativeWeights = llvm::any_of(forest.weights, [](const LeafWeight &each) { return each.weight < 0; });
  auto isOf = [&](int64_t target) {
    return llvm::all_of(forest.weights, [&](const LeafWeight &each) { return each.target == target; });
  };
  if (numClasses == 2 && isOf(1))
    return node.error("leaves have weights of the second of two classes only, which is not supported");
  if (numClasses == 2 && isOf(0))
    forest.targets = 1;
  if (!base.empty() && static_cast<int64_t>(base.size()) != forest.targets)
    return node.error("has " + Twine(base.size()) + " 'base_values' for " + Twine(forest.targets) +
                      " classes that leaves have weights of");
  return success();
}

Value TreeClassifier::makeBinaryScores(Value score) {
  // Weights that are no negative numbers are taken for shares.
  bool isShare = transform == ScoreTransform::Probit || (!hasNegativeWeights && transform != ScoreTransform::Logistic);
  Value other = isShare ? node.sub(node.scalar(1, score), score) : node.neg(score);
  Value both = node.cast(node.concat(1, {other, score}), f32);
  bool isElementwise = transform == ScoreTransform::Logistic || transform == ScoreTransform::Probit;
  return isElementwise ? transformScores(node, both, transform) : both;
}

Value TreeClassifier::chooseClasses(Value scores, Value leaves) {
  if (isBinary()) {
    Value score = node.squeeze(scores, ArrayRef<int64_t>(1));
    Value isSecond = node.compare(CompareDirection::GT, score, node.scalar(hasNegativeWeights ? 0 : 0.5, score));
    return node.cast(isSecond, node.builder.getI64Type());
  }
  if (base.empty()) {
    Forest marks = forest;
    for (LeafWeight &each : marks.weights)
      each.weight = 1;
    Value isScored = node.compare(CompareDirection::GT, aggregateLeaves(node, leaves, marks, Aggregate::Max),
                                  node.scalar(0, scores));
    scores = node.select(isScored, scores, node.scalar(-std::numeric_limits<double>::infinity(), scores));
  }
  Type type = NodeImport::makeDynamicType(1, node.builder.getI64Type());
  return ArgReduceOp::create(node.builder, node.loc, type, ReduceKind::Max, scores, 1, /*keepDims=*/false,
                             /*selectLastIndex=*/false);
}

LogicalResult TreeClassifier::run() {
  Value x = node.cast(node.getOperand(0), getForestType(node));
  if (failed(readAttributes()) || failed(verifyOperand(node, x, forest)))
    return failure();
  Value leaves = findLeaves(node, x, forest);
  Value scores = aggregateLeaves(node, leaves, forest, Aggregate::Sum);
  if (!base.empty())
    scores = node.add(scores, makeFloats(node, base, forest.targets, forest.type));
  if (node.wantsResult(0))
    (void)node.finish(0, node.gather(node.constant(labels), chooseClasses(scores, leaves), 0));
  if (node.wantsResult(1))
    (void)node.finish(1,
                      isBinary() ? makeBinaryScores(scores) : transformScores(node, node.cast(scores, f32), transform));
  return success(!node.hasFailed());
}

static LogicalResult importTreeEnsembleClassifier(NodeImport &node) { return TreeClassifier(node).run(); }

void onnx::registerTrees(OperatorRegistry &registry) {
  constexpr StringLiteral domain = "ai.onnx.ml";
  registry.add(domain, "TreeEnsemble", 1, 1, importTreeEnsemble);
  registry.add(domain, "TreeEnsembleRegressor", 1, 1, importTreeEnsembleRegressor);
  registry.add(domain, "TreeEnsembleClassifier", 1, 1, importTreeEnsembleClassifier);
}
