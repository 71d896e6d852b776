//===- Import of ensembles of decision trees ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../OperatorRegistry.h"
#include "Builders.h"
#include "Formulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {
/// How a node compares a feature, by ONNX's numbers.
enum Mode : int64_t { LEQ, LT, GTE, GT, EQ, NEQ, Member, kNumModes };

struct TreeNode {
  int64_t feature = 0, mode = LEQ;
  double split = 0;
  bool trueForNaN = false;
  SmallVector<double> members; ///< of mode Member
  /// Nodes, or behind the last one leaves.
  int64_t onTrue = 0, onFalse = 0;
};

struct Forest {
  std::vector<TreeNode> nodes;
  SmallVector<int64_t> leafTargets;
  SmallVector<double> leafWeights;
  SmallVector<int64_t> roots;
  int64_t targets = 1;
  Type type;         ///< of thresholds and weights
  int64_t depth = 0; ///< of the deepest leaf, once verifyForest has been there

  int64_t size() const { return static_cast<int64_t>(nodes.size()); }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A list of integers, one for each of `count` nodes or leaves.
static SmallVector<int64_t> readInts(NodeImport &node, StringRef name, size_t count) {
  SmallVector<int64_t> values = node.getInts(name).value_or(SmallVector<int64_t>());
  if (values.size() != count && !node.hasFailed())
    (void)node.error("attribute '" + name + "' has " + Twine(values.size()) + " entries instead of " + Twine(count));
  values.resize(count, 0);
  return values;
}

/// The numbers of an attribute that is a vector; its type goes to `type`. Nothing where it is missing.
static std::optional<SmallVector<double>> readNumbers(NodeImport &node, StringRef name, Type &type) {
  const NodeAttribute *attribute = node.getAttributeOfKind(name, NodeAttribute::Kind::Tensor);
  if (!attribute)
    return std::nullopt;
  llvm::Expected<DenseElementsAttr> elements =
      node.constants.readElements(attribute->tensor, node.builder.getContext());
  if (!elements) {
    (void)node.error("attribute '" + name + "': " + llvm::toString(elements.takeError()));
    return std::nullopt;
  }
  type = elements->getElementType();
  SmallVector<double> values;
  if (isa<FloatType>(type))
    for (const APFloat &value : elements->getValues<APFloat>())
      values.push_back(value.convertToDouble());
  else if (auto integer = dyn_cast<IntegerType>(type))
    for (const APInt &value : elements->getValues<APInt>())
      values.push_back(value.roundToDouble(!integer.isUnsigned()));
  else
    (void)node.error("attribute '" + name + "' has no numbers");
  return values;
}

/// Splits what is delimited by numbers that are none, one list for each node of mode Member.
static LogicalResult readMembers(NodeImport &node, Forest &forest) {
  Type type;
  SmallVector<double> values = readNumbers(node, "membership_values", type).value_or(SmallVector<double>());
  size_t place = 0;
  for (auto [index, tree] : llvm::enumerate(forest.nodes)) {
    if (tree.mode != Member)
      continue;
    while (place < values.size() && !std::isnan(values[place]))
      tree.members.push_back(values[place++]);
    if (place++ >= values.size())
      return node.error("attribute 'membership_values' has no set for node " + Twine(index));
  }
  return success();
}

/// Where a node's child is among nodes and leaves; an error if it is not there.
static int64_t readChild(NodeImport &node, int64_t index, bool isLeaf, const Forest &forest) {
  auto leaves = static_cast<int64_t>(forest.leafTargets.size());
  int64_t limit = isLeaf ? leaves : forest.size();
  if ((index < 0 || index >= limit) && !node.hasFailed())
    (void)node.error("there is no " + Twine(isLeaf ? "leaf " : "node ") + Twine(index) + " among " + Twine(limit));
  return isLeaf ? forest.size() + index : index;
}

static LogicalResult readForest(NodeImport &node, Forest &forest) {
  Type weightType, modeType;
  std::optional<SmallVector<double>> splits = readNumbers(node, "nodes_splits", forest.type),
                                     weights = readNumbers(node, "leaf_weights", weightType),
                                     modes = readNumbers(node, "nodes_modes", modeType);
  if (node.hasFailed())
    return failure();
  if (!splits || !weights || !modes || splits->empty() || modes->size() != splits->size())
    return node.error("attributes 'nodes_splits', 'nodes_modes' and 'leaf_weights' do not fit together");
  size_t count = splits->size();
  forest.leafWeights = *weights;
  forest.leafTargets = readInts(node, "leaf_targetids", weights->size());
  forest.targets = node.getInt("n_targets", 1);
  forest.roots = node.getInts("tree_roots").value_or(SmallVector<int64_t>());
  forest.nodes.resize(count);
  SmallVector<int64_t> features = readInts(node, "nodes_featureids", count),
                       trueIds = readInts(node, "nodes_truenodeids", count),
                       falseIds = readInts(node, "nodes_falsenodeids", count),
                       trueLeaves = readInts(node, "nodes_trueleafs", count),
                       falseLeaves = readInts(node, "nodes_falseleafs", count), forNaN(count, 0);
  if (std::optional<SmallVector<int64_t>> given = node.getInts("nodes_missing_value_tracks_true");
      given && !given->empty())
    forNaN = readInts(node, "nodes_missing_value_tracks_true", count);
  for (auto [index, tree] : llvm::enumerate(forest.nodes)) {
    tree.feature = features[index];
    tree.mode = static_cast<int64_t>((*modes)[index]);
    tree.split = (*splits)[index];
    tree.trueForNaN = forNaN[index] != 0;
    tree.onTrue = readChild(node, trueIds[index], trueLeaves[index] != 0, forest);
    tree.onFalse = readChild(node, falseIds[index], falseLeaves[index] != 0, forest);
    if (tree.feature < 0 || tree.mode < 0 || tree.mode >= kNumModes)
      return node.error("node " + Twine(index) + " has the feature " + Twine(tree.feature) + " and the mode " +
                        Twine(tree.mode));
  }
  return failure(node.hasFailed() || failed(readMembers(node, forest)));
}

/// Checks that trees end, and finds how deep they are.
static LogicalResult verifyForest(NodeImport &node, Forest &forest) {
  if (forest.roots.empty() || forest.targets < 1)
    return node.error("has " + Twine(forest.roots.size()) + " trees for " + Twine(forest.targets) + " targets");
  for (int64_t target : forest.leafTargets)
    if (target < 0 || target >= forest.targets)
      return node.error("a leaf is of target " + Twine(target) + " of " + Twine(forest.targets));
  enum : int64_t { kNew = -1, kOpen = -2 };
  SmallVector<int64_t> depths(forest.nodes.size(), kNew), path;
  auto depthOf = [&](int64_t place) { return place < forest.size() ? depths[static_cast<size_t>(place)] : 0; };
  for (int64_t root : forest.roots) {
    if (root < 0 || root >= forest.size())
      return node.error("there is no node " + Twine(root) + ", the root of a tree, among " + Twine(forest.size()));
    path.push_back(root);
    while (!path.empty()) {
      int64_t place = path.back();
      const TreeNode &tree = forest.nodes[static_cast<size_t>(place)];
      int64_t &depth = depths[static_cast<size_t>(place)];
      if (depth >= 0) {
        path.pop_back();
        continue;
      }
      bool isSecond = depth == kOpen;
      depth = kOpen;
      bool isReady = true;
      for (int64_t child : {tree.onTrue, tree.onFalse}) {
        if (depthOf(child) == kOpen)
          return node.error("node " + Twine(child) + " is below itself");
        if (depthOf(child) == kNew) {
          path.push_back(child);
          isReady = false;
        }
      }
      if (isReady || isSecond) {
        depth = 1 + std::max(depthOf(tree.onTrue), depthOf(tree.onFalse));
        path.pop_back();
      }
    }
    forest.depth = std::max(forest.depth, depthOf(root));
  }
  constexpr int64_t most = 1000;
  if (forest.depth > most)
    return node.error("trees of depth " + Twine(forest.depth) + " are not supported, only up to " + Twine(most));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static Value makeNumbers(NodeImport &node, ArrayRef<double> values, ArrayRef<int64_t> dims, Type type) {
  SmallVector<Attribute> elements =
      llvm::map_to_vector(values, [&](double value) -> Attribute { return FloatAttr::get(type, value); });
  return node.constant(DenseElementsAttr::get(RankedTensorType::get(dims, type), elements));
}

/// The answers of nodes of one mode for each row of `x`.
static Value decide(NodeImport &node, Value x, const Forest &forest, ArrayRef<int64_t> places) {
  auto trees = llvm::map_to_vector(places, [&](int64_t place) { return &forest.nodes[static_cast<size_t>(place)]; });
  auto count = static_cast<int64_t>(trees.size());
  Value features =
      node.gather(x, node.i64Vector(llvm::map_to_vector(trees, [](const TreeNode *tree) { return tree->feature; })), 1);
  Value result;
  if (trees.front()->mode == Member) {
    size_t most = 1;
    for (const TreeNode *tree : trees)
      most = std::max(most, tree->members.size());
    // Nothing equals what fills sets up.
    SmallVector<double> sets;
    for (const TreeNode *tree : trees) {
      sets.append(tree->members.begin(), tree->members.end());
      sets.append(most - tree->members.size(), std::nan(""));
    }
    Value members = makeNumbers(node, sets, {count, static_cast<int64_t>(most)}, forest.type);
    Value isEqual = node.cast(node.compare(CompareDirection::EQ, node.unsqueeze(features, 2), members), forest.type);
    Value matches = node.reduce(ReduceKind::Max, isEqual, ArrayRef<int64_t>(2), /*keepDims=*/false);
    result = node.compare(CompareDirection::GT, matches, node.scalar(0, matches));
  } else {
    constexpr CompareDirection directions[] = {CompareDirection::LE, CompareDirection::LT, CompareDirection::GE,
                                               CompareDirection::GT, CompareDirection::EQ, CompareDirection::NE};
    SmallVector<double> splits = llvm::map_to_vector(trees, [](const TreeNode *tree) { return tree->split; });
    result = node.compare(directions[trees.front()->mode], features, makeNumbers(node, splits, count, forest.type));
  }
  auto forNaN = llvm::map_to_vector(trees, [](const TreeNode *tree) { return tree->trueForNaN; });
  if (!llvm::is_contained(forNaN, true))
    return result;
  Type flag = node.builder.getI1Type();
  Value isNaN = IsNanOp::create(node.builder, node.loc, NodeImport::makeTypeLike(features, flag), features);
  Value counts = node.constant(DenseElementsAttr::get(RankedTensorType::get(count, flag), ArrayRef<bool>(forNaN)));
  return node.binary<OrOp>(result, node.binary<AndOp>(isNaN, counts));
}

/// The leaf that each row of `x` comes to in each tree: rows x trees.
static Value findLeaves(NodeImport &node, Value x, const Forest &forest) {
  // Nodes get new numbers, those of one mode side by side.
  SmallVector<Value> answers;
  SmallVector<int64_t> order;
  for (int64_t mode = 0; mode < kNumModes; ++mode) {
    size_t before = order.size();
    for (auto [place, tree] : llvm::enumerate(forest.nodes))
      if (tree.mode == mode)
        order.push_back(static_cast<int64_t>(place));
    if (order.size() > before)
      answers.push_back(decide(node, x, forest, ArrayRef(order).drop_front(before)));
  }
  Value answer = answers.size() == 1 ? answers.front() : node.concat(1, answers);
  int64_t size = forest.size();
  SmallVector<int64_t> numbers(forest.nodes.size());
  for (auto [number, place] : llvm::enumerate(order))
    numbers[static_cast<size_t>(place)] = static_cast<int64_t>(number);
  auto renumber = [&](int64_t place) { return place < size ? numbers[static_cast<size_t>(place)] : place; };
  // Leaves lead to themselves, whatever the answer.
  SmallVector<int64_t> onTrue, onFalse;
  for (int64_t place : order) {
    onTrue.push_back(renumber(forest.nodes[static_cast<size_t>(place)].onTrue));
    onFalse.push_back(renumber(forest.nodes[static_cast<size_t>(place)].onFalse));
  }
  for (int64_t leaf = size, end = size + static_cast<int64_t>(forest.leafTargets.size()); leaf < end; ++leaf) {
    onTrue.push_back(leaf);
    onFalse.push_back(leaf);
  }
  Value trueTable = node.i64Vector(onTrue), falseTable = node.i64Vector(onFalse);
  Value roots = node.i64Vector(llvm::map_to_vector(forest.roots, renumber)), last = node.i64Scalar(size - 1);
  Value shape = node.concat(0, {getDims(node, x, 0, 1), node.i64Vector(static_cast<int64_t>(forest.roots.size()))});
  Value place = expand(node, roots, shape, 2);
  for (int64_t step = 0; step < forest.depth; ++step) {
    Value isTrue = gatherElements(node, answer, node.min(place, last), 1);
    place = node.select(isTrue, node.gather(trueTable, place, 0), node.gather(falseTable, place, 0));
  }
  return node.sub(place, node.i64Scalar(size));
}

/// Weights of leaves brought together over the trees: rows x targets. 0 where no tree has a leaf of the target.
static Value aggregate(NodeImport &node, Value leaves, const Forest &forest, int64_t function) {
  enum : int64_t { Average, Sum, Min, Max };
  bool isExtreme = function == Min || function == Max;
  auto count = static_cast<int64_t>(forest.leafTargets.size());
  double infinity = std::numeric_limits<double>::infinity();
  SmallVector<double> table(static_cast<size_t>(count * forest.targets), !isExtreme        ? 0.0
                                                                         : function == Min ? infinity
                                                                                           : -infinity);
  for (auto [leaf, target, weight] : llvm::enumerate(forest.leafTargets, forest.leafWeights))
    table[leaf * static_cast<size_t>(forest.targets) + static_cast<size_t>(target)] = weight;
  Value weights = node.gather(makeNumbers(node, table, {count, forest.targets}, forest.type), leaves, 0);
  ReduceKind kind = function == Average ? ReduceKind::Mean
                    : function == Sum   ? ReduceKind::Sum
                    : function == Min   ? ReduceKind::Min
                                        : ReduceKind::Max;
  Value result = node.reduce(kind, weights, ArrayRef<int64_t>(1), /*keepDims=*/false);
  if (!isExtreme || forest.targets == 1)
    return result;
  Value isMissing = node.compare(CompareDirection::EQ, node.abs(result), node.scalar(infinity, result));
  return node.select(isMissing, node.scalar(0, result), result);
}

static LogicalResult importTreeEnsemble(NodeImport &node) {
  Value x = node.getOperand(0);
  Type type = NodeImport::getElementType(x);
  Forest forest;
  if (failed(readForest(node, forest)) || failed(verifyForest(node, forest)))
    return failure();
  if (!isa<FloatType>(type) || forest.type != type)
    return node.error("operand 0 and attribute 'nodes_splits' must have floats of one type");
  if (std::optional<int64_t> rank = NodeImport::getRank(x); rank && *rank != 2)
    return node.error("operand 0 has rank " + Twine(*rank) + " instead of 2");
  int64_t function = node.getInt("aggregate_function", 1), transform = node.getInt("post_transform", 0);
  if (function < 0 || function > 3)
    return node.error("aggregate_function " + Twine(function) + " is not supported");
  enum : int64_t { None, Softmax, Logistic };
  if (transform < None || transform > Logistic)
    return node.error("post_transform " + Twine(transform) + " is not supported");
  Value result = aggregate(node, findLeaves(node, x, forest), forest, function);
  if (transform == Softmax)
    result = emitSoftmax(node, result, {-1});
  if (transform == Logistic)
    result = node.unary<SigmoidOp>(result);
  return node.finish(result);
}

void onnx::registerTrees(OperatorRegistry &registry) {
  registry.add("ai.onnx.ml", "TreeEnsemble", 1, 1, importTreeEnsemble);
}
