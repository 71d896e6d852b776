//===- Ensembles of decision trees as tables --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Forest.h"
#include "../Builders.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

Value onnx::makeFloats(NodeImport &node, ArrayRef<double> values, ArrayRef<int64_t> dims, Type type) {
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
  if (trees.front()->mode == TreeNode::Member) {
    size_t most = 1;
    for (const TreeNode *tree : trees)
      most = std::max(most, tree->members.size());
    // Nothing equals what fills sets up.
    SmallVector<double> sets;
    for (const TreeNode *tree : trees) {
      sets.append(tree->members.begin(), tree->members.end());
      sets.append(most - tree->members.size(), std::nan(""));
    }
    Value members = makeFloats(node, sets, {count, static_cast<int64_t>(most)}, forest.type);
    Value isEqual = node.cast(node.compare(CompareDirection::EQ, node.unsqueeze(features, 2), members), forest.type);
    Value matches = node.reduce(ReduceKind::Max, isEqual, ArrayRef<int64_t>(2), /*keepDims=*/false);
    result = node.compare(CompareDirection::GT, matches, node.scalar(0, matches));
  } else {
    constexpr CompareDirection directions[] = {CompareDirection::LE, CompareDirection::LT, CompareDirection::GE,
                                               CompareDirection::GT, CompareDirection::EQ, CompareDirection::NE};
    SmallVector<double> splits = llvm::map_to_vector(trees, [](const TreeNode *tree) { return tree->split; });
    result = node.compare(directions[trees.front()->mode], features, makeFloats(node, splits, count, forest.type));
  }
  auto forNaN = llvm::map_to_vector(trees, [](const TreeNode *tree) { return tree->trueForNaN; });
  if (!llvm::is_contained(forNaN, true))
    return result;
  Type flag = node.builder.getI1Type();
  Value isNaN = IsNanOp::create(node.builder, node.loc, NodeImport::makeTypeLike(features, flag), features);
  Value counts = node.constant(DenseElementsAttr::get(RankedTensorType::get(count, flag), ArrayRef<bool>(forNaN)));
  return node.binary<OrOp>(result, node.binary<AndOp>(isNaN, counts));
}

Value onnx::findLeaves(NodeImport &node, Value x, const Forest &forest) {
  int64_t size = forest.size();
  Value shape = node.concat(0, {getDims(node, x, 0, 1), node.i64Vector(static_cast<int64_t>(forest.roots.size()))});
  if (size == 0)
    return expand(node, node.i64Vector(forest.roots), shape, 2);
  // Nodes get new numbers, those of one mode side by side.
  SmallVector<Value> answers;
  SmallVector<int64_t> order;
  for (int64_t mode = 0; mode < TreeNode::kNumModes; ++mode) {
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

Value onnx::aggregateLeaves(NodeImport &node, Value leaves, const Forest &forest, Aggregate function) {
  bool isExtreme = function == Aggregate::Min || function == Aggregate::Max;
  double infinity = std::numeric_limits<double>::infinity();
  double missing = !isExtreme ? 0.0 : function == Aggregate::Min ? infinity : -infinity;
  SmallVector<double> table(static_cast<size_t>(forest.numLeaves * forest.targets), missing);
  for (const LeafWeight &each : forest.weights) {
    double &entry = table[static_cast<size_t>(each.leaf * forest.targets + each.target)];
    entry = isExtreme ? each.weight : entry + each.weight;
  }
  Value weights = node.gather(makeFloats(node, table, {forest.numLeaves, forest.targets}, forest.type), leaves, 0);
  constexpr ReduceKind kinds[] = {ReduceKind::Mean, ReduceKind::Sum, ReduceKind::Min, ReduceKind::Max};
  Value result = node.reduce(kinds[static_cast<size_t>(function)], weights, ArrayRef<int64_t>(1), /*keepDims=*/false);
  if (!isExtreme)
    return result;
  Value isMissing = node.compare(CompareDirection::EQ, result, node.scalar(missing, result));
  return node.select(isMissing, node.scalar(0, result), result);
}
