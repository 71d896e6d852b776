//===- Import of ensembles of decision trees ---------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../OperatorRegistry.h"
#include "../Builders.h"
#include "../Formulas.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <set>

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

/// What a leaf adds to a target.
struct LeafWeight {
  int64_t leaf, target;
  double weight;
};

struct Forest {
  std::vector<TreeNode> nodes;
  int64_t numLeaves = 0;
  std::vector<LeafWeight> weights;
  SmallVector<int64_t> roots; ///< nodes or leaves
  int64_t targets = 1;
  Type type;         ///< of thresholds and weights
  int64_t depth = 0; ///< of the deepest leaf, once verifyForest has been there

  int64_t size() const { return static_cast<int64_t>(nodes.size()); }
};

enum class Aggregate : int64_t { Average, Sum, Min, Max };
enum class Transform : int64_t { None, Softmax, Logistic };
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
  int64_t limit = isLeaf ? forest.numLeaves : forest.size();
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
  forest.numLeaves = static_cast<int64_t>(weights->size());
  for (auto [leaf, target, weight] : llvm::enumerate(readInts(node, "leaf_targetids", weights->size()), *weights))
    forest.weights.push_back({static_cast<int64_t>(leaf), target, weight});
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
  for (int64_t root : forest.roots)
    if (root < 0 || root >= forest.size())
      return node.error("there is no node " + Twine(root) + ", the root of a tree, among " + Twine(forest.size()));
  return failure(node.hasFailed() || failed(readMembers(node, forest)));
}

/// The numbers of an attribute that is a list, or with `_as_tensor` behind its name a tensor.
static SmallVector<double> readWeights(NodeImport &node, StringRef name) {
  if (std::optional<SmallVector<double>> values = node.getFloats(name); values && !values->empty())
    return *values;
  Type type;
  return readNumbers(node, (name + "_as_tensor").str(), type).value_or(SmallVector<double>());
}

/// Trees as they are written before version 5: nodes have a number within their tree, and leaves are nodes.
static LogicalResult readNumberedForest(NodeImport &node, Forest &forest) {
  std::vector<std::string> modes = node.getStrings("nodes_modes").value_or(std::vector<std::string>());
  size_t count = modes.size();
  auto read = [&](StringRef name) { return readInts(node, name, count); };
  SmallVector<int64_t> trees = read("nodes_treeids"), numbers = read("nodes_nodeids"),
                       trueIds = read("nodes_truenodeids"), falseIds = read("nodes_falsenodeids"),
                       features = read("nodes_featureids"), forNaN(count, 0);
  if (std::optional<SmallVector<int64_t>> given = node.getInts("nodes_missing_value_tracks_true");
      given && !given->empty())
    forNaN = read("nodes_missing_value_tracks_true");
  SmallVector<double> splits = readWeights(node, "nodes_values");
  if (node.hasFailed())
    return failure();
  if (count == 0 || splits.size() != count)
    return node.error("has " + Twine(count) + " nodes, and " + Twine(splits.size()) + " 'nodes_values'");
  constexpr StringLiteral names[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
  std::map<std::pair<int64_t, int64_t>, int64_t> places; ///< of nodes, and as negative numbers less one of leaves
  for (auto [index, mode] : llvm::enumerate(modes)) {
    bool isLeaf = mode == "LEAF";
    int64_t place = isLeaf ? -1 - forest.numLeaves++ : forest.size();
    if (!isLeaf) {
      const auto *name = llvm::find(names, mode);
      if (name == std::end(names))
        return node.error("mode " + quoteName(mode) + " of node " + Twine(numbers[index]) + " is not supported");
      TreeNode &tree = forest.nodes.emplace_back();
      tree.mode = name - std::begin(names);
      tree.feature = features[index];
      tree.split = splits[index];
      tree.trueForNaN = forNaN[index] != 0;
      if (tree.feature < 0)
        return node.error("node " + Twine(numbers[index]) + " has the feature " + Twine(tree.feature));
    }
    if (!places.try_emplace({trees[index], numbers[index]}, place).second)
      return node.error("tree " + Twine(trees[index]) + " has two nodes " + Twine(numbers[index]));
  }
  auto find = [&](int64_t tree, int64_t number) {
    auto place = places.find({tree, number});
    if (place == places.end()) {
      if (!node.hasFailed())
        (void)node.error("tree " + Twine(tree) + " has no node " + Twine(number));
      return int64_t(0);
    }
    return place->second < 0 ? forest.size() - 1 - place->second : place->second;
  };
  llvm::DenseSet<int64_t> children;
  int64_t next = 0;
  for (auto [index, mode] : llvm::enumerate(modes)) {
    if (mode == "LEAF")
      continue;
    TreeNode &tree = forest.nodes[static_cast<size_t>(next++)];
    tree.onTrue = find(trees[index], trueIds[index]);
    tree.onFalse = find(trees[index], falseIds[index]);
    children.insert(tree.onTrue);
    children.insert(tree.onFalse);
  }
  std::set<int64_t> rooted; // any numbers
  for (auto [tree, number] : llvm::zip_equal(trees, numbers)) {
    int64_t place = find(tree, number);
    if (children.contains(place))
      continue;
    if (!rooted.insert(tree).second)
      return node.error("tree " + Twine(tree) + " has two roots");
    forest.roots.push_back(place);
  }
  for (int64_t tree : trees)
    if (!rooted.count(tree))
      return node.error("tree " + Twine(tree) + " has no root");
  SmallVector<double> weights = readWeights(node, "target_weights");
  for (auto [tree, number, target, weight] : llvm::zip_equal(readInts(node, "target_treeids", weights.size()),
                                                             readInts(node, "target_nodeids", weights.size()),
                                                             readInts(node, "target_ids", weights.size()), weights)) {
    int64_t place = find(tree, number);
    if (!node.hasFailed() && place < forest.size())
      return node.error("node " + Twine(number) + " of tree " + Twine(tree) + " has a weight, but is no leaf");
    forest.weights.push_back({place - forest.size(), target, weight});
  }
  forest.targets = node.getInt("n_targets", 1);
  return failure(node.hasFailed());
}

/// Checks that trees end, and finds how deep they are.
static LogicalResult verifyForest(NodeImport &node, Forest &forest) {
  if (forest.roots.empty() || forest.targets < 1)
    return node.error("has " + Twine(forest.roots.size()) + " trees for " + Twine(forest.targets) + " targets");
  for (const LeafWeight &each : forest.weights)
    if (each.target < 0 || each.target >= forest.targets)
      return node.error("a leaf is of target " + Twine(each.target) + " of " + Twine(forest.targets));
  constexpr int64_t mostTargets = 1 << 20;
  if (forest.targets > mostTargets || forest.targets * std::max<int64_t>(forest.numLeaves, 1) > int64_t(1) << 32)
    return node.error("has too many targets, " + Twine(forest.targets));
  enum : int64_t { kNew = -1, kOpen = -2 };
  SmallVector<int64_t> depths(forest.nodes.size(), kNew), path;
  auto depthOf = [&](int64_t place) { return place < forest.size() ? depths[static_cast<size_t>(place)] : 0; };
  for (int64_t root : forest.roots) {
    if (root < forest.size())
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
  int64_t size = forest.size();
  Value shape = node.concat(0, {getDims(node, x, 0, 1), node.i64Vector(static_cast<int64_t>(forest.roots.size()))});
  if (size == 0)
    return expand(node, node.i64Vector(forest.roots), shape, 2);
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
  for (int64_t leaf = size; leaf < size + forest.numLeaves; ++leaf) {
    onTrue.push_back(leaf);
    onFalse.push_back(leaf);
  }
  Value trueTable = node.i64Vector(onTrue), falseTable = node.i64Vector(onFalse);
  Value roots = node.i64Vector(llvm::map_to_vector(forest.roots, renumber)), last = node.i64Scalar(size - 1);
  Value place = expand(node, roots, shape, 2);
  for (int64_t step = 0; step < forest.depth; ++step) {
    Value isTrue = gatherElements(node, answer, node.min(place, last), 1);
    place = node.select(isTrue, node.gather(trueTable, place, 0), node.gather(falseTable, place, 0));
  }
  return node.sub(place, node.i64Scalar(size));
}

/// Weights of leaves brought together over the trees: rows x targets. 0 where no tree has a leaf of the target.
static Value aggregate(NodeImport &node, Value leaves, const Forest &forest, Aggregate function) {
  bool isExtreme = function == Aggregate::Min || function == Aggregate::Max;
  double infinity = std::numeric_limits<double>::infinity();
  double missing = !isExtreme ? 0.0 : function == Aggregate::Min ? infinity : -infinity;
  SmallVector<double> table(static_cast<size_t>(forest.numLeaves * forest.targets), missing);
  for (const LeafWeight &each : forest.weights) {
    double &entry = table[static_cast<size_t>(each.leaf * forest.targets + each.target)];
    entry = isExtreme ? each.weight : entry + each.weight;
  }
  Value weights = node.gather(makeNumbers(node, table, {forest.numLeaves, forest.targets}, forest.type), leaves, 0);
  constexpr ReduceKind kinds[] = {ReduceKind::Mean, ReduceKind::Sum, ReduceKind::Min, ReduceKind::Max};
  Value result = node.reduce(kinds[static_cast<size_t>(function)], weights, ArrayRef<int64_t>(1), /*keepDims=*/false);
  if (!isExtreme)
    return result;
  Value isMissing = node.compare(CompareDirection::EQ, result, node.scalar(missing, result));
  return node.select(isMissing, node.scalar(0, result), result);
}

/// Scores of the rows of `x`, with a number added for each target if `base` has any.
static LogicalResult finishForest(NodeImport &node, Value x, Forest &forest, Aggregate function, ArrayRef<double> base,
                                  Transform transform, Type type) {
  if (failed(verifyForest(node, forest)))
    return failure();
  if (std::optional<int64_t> rank = NodeImport::getRank(x); rank && *rank != 2)
    return node.error("operand 0 has rank " + Twine(*rank) + " instead of 2");
  Value result = aggregate(node, findLeaves(node, x, forest), forest, function);
  if (!base.empty())
    result = node.add(result, makeNumbers(node, base, forest.targets, forest.type));
  result = node.cast(result, type);
  if (transform == Transform::Softmax)
    result = emitSoftmax(node, result, {-1});
  if (transform == Transform::Logistic)
    result = node.unary<SigmoidOp>(result);
  return node.finish(result);
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
  if (transform < 0 || transform > static_cast<int64_t>(Transform::Logistic))
    return node.error("post_transform " + Twine(transform) + " is not supported");
  return finishForest(node, x, forest, static_cast<Aggregate>(function), {}, static_cast<Transform>(transform), type);
}

/// Thresholds and weights are floats; those of doubles are compared and added as doubles.
static LogicalResult importTreeEnsembleRegressor(NodeImport &node) {
  Value x = node.getOperand(0);
  Type f32 = node.builder.getF32Type();
  Forest forest;
  forest.type = NodeImport::getElementType(x).isF64() ? Type(node.builder.getF64Type()) : Type(f32);
  if (failed(readNumberedForest(node, forest)))
    return failure();
  constexpr StringLiteral functions[] = {"AVERAGE", "SUM", "MIN", "MAX"},
                          transforms[] = {"NONE", "SOFTMAX", "LOGISTIC"};
  auto choose = [&](StringRef name, StringRef otherwise, ArrayRef<StringLiteral> texts) {
    std::string text = node.getString(name, otherwise);
    const auto *found = llvm::find(texts, text);
    if (found == texts.end())
      (void)node.error(name + " " + quoteName(text) + " is not supported");
    return static_cast<int64_t>(found - texts.begin());
  };
  int64_t function = choose("aggregate_function", "SUM", functions),
          transform = choose("post_transform", "NONE", transforms);
  SmallVector<double> base = readWeights(node, "base_values");
  if (node.hasFailed())
    return failure();
  if (!base.empty() && static_cast<int64_t>(base.size()) != forest.targets)
    return node.error("has " + Twine(base.size()) + " 'base_values' for " + Twine(forest.targets) + " targets");
  return finishForest(node, node.cast(x, forest.type), forest, static_cast<Aggregate>(function), base,
                      static_cast<Transform>(transform), f32);
}

void onnx::registerTrees(OperatorRegistry &registry) {
  registry.add("ai.onnx.ml", "TreeEnsemble", 1, 1, importTreeEnsemble);
  registry.add("ai.onnx.ml", "TreeEnsembleRegressor", 1, 1, importTreeEnsembleRegressor);
}
