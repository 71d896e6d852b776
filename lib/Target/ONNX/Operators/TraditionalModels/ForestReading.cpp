//===- Attributes of ensembles of decision trees ----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Forest.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <set>

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

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
    if (tree.mode != TreeNode::Member)
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

LogicalResult onnx::readForest(NodeImport &node, Forest &forest) {
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
    if (tree.feature < 0 || tree.mode < 0 || tree.mode >= TreeNode::kNumModes)
      return node.error("node " + Twine(index) + " has the feature " + Twine(tree.feature) + " and the mode " +
                        Twine(tree.mode));
  }
  for (int64_t root : forest.roots)
    if (root < 0 || root >= forest.size())
      return node.error("there is no node " + Twine(root) + ", the root of a tree, among " + Twine(forest.size()));
  return failure(node.hasFailed() || failed(readMembers(node, forest)));
}

SmallVector<double> onnx::readTreeNumbers(NodeImport &node, StringRef name) {
  if (std::optional<SmallVector<double>> values = node.getFloats(name); values && !values->empty())
    return *values;
  Type type;
  return readNumbers(node, (name + "_as_tensor").str(), type).value_or(SmallVector<double>());
}

LogicalResult onnx::readNumberedForest(NodeImport &node, StringRef target, Forest &forest) {
  std::vector<std::string> modes = node.getStrings("nodes_modes").value_or(std::vector<std::string>());
  size_t count = modes.size();
  auto read = [&](StringRef name) { return readInts(node, name, count); };
  SmallVector<int64_t> trees = read("nodes_treeids"), numbers = read("nodes_nodeids"),
                       trueIds = read("nodes_truenodeids"), falseIds = read("nodes_falsenodeids"),
                       features = read("nodes_featureids"), forNaN(count, 0);
  if (std::optional<SmallVector<int64_t>> given = node.getInts("nodes_missing_value_tracks_true");
      given && !given->empty())
    forNaN = read("nodes_missing_value_tracks_true");
  SmallVector<double> splits = readTreeNumbers(node, "nodes_values");
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
  auto nameOf = [&](StringRef what) { return (target + what).str(); };
  SmallVector<double> weights = readTreeNumbers(node, nameOf("_weights"));
  for (auto [tree, number, index, weight] : llvm::zip_equal(readInts(node, nameOf("_treeids"), weights.size()),
                                                            readInts(node, nameOf("_nodeids"), weights.size()),
                                                            readInts(node, nameOf("_ids"), weights.size()), weights)) {
    int64_t place = find(tree, number);
    if (!node.hasFailed() && place < forest.size())
      return node.error("node " + Twine(number) + " of tree " + Twine(tree) + " has a weight, but is no leaf");
    forest.weights.push_back({place - forest.size(), index, weight});
  }
  return failure(node.hasFailed());
}

LogicalResult onnx::verifyForest(NodeImport &node, Forest &forest) {
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
