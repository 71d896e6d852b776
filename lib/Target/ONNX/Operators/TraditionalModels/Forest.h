//===- Ensembles of decision trees ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_OPERATORS_FOREST_H
#define DYN_LIB_TARGET_ONNX_OPERATORS_FOREST_H

#include "../../NodeImport.h"

namespace dyn::onnx {

struct TreeNode {
  /// How a feature is compared, by ONNX's numbers.
  enum Mode : int64_t { LEQ, LT, GTE, GT, EQ, NEQ, Member, kNumModes };

  int64_t feature = 0, mode = LEQ;
  double split = 0;
  bool trueForNaN = false;
  llvm::SmallVector<double> members; ///< of mode Member
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
  llvm::SmallVector<int64_t> roots; ///< nodes or leaves
  int64_t targets = 1;
  mlir::Type type;   ///< of thresholds and weights
  int64_t depth = 0; ///< of the deepest leaf, once verifyForest has been there

  int64_t size() const { return static_cast<int64_t>(nodes.size()); }
};

/// Reads the attributes of a TreeEnsemble, the type of thresholds among them.
mlir::LogicalResult readForest(NodeImport &node, Forest &forest);
/// Reads trees as they are written before version 5: nodes have a number within their tree, and leaves are nodes. What
/// leaves add to is told by attributes that begin with `target`: a regressor's `target`, a classifier's `class`.
mlir::LogicalResult readNumberedForest(NodeImport &node, llvm::StringRef target, Forest &forest);
/// The numbers of an attribute that is a list, or with `_as_tensor` behind its name a tensor.
llvm::SmallVector<double> readTreeNumbers(NodeImport &node, llvm::StringRef name);
/// Checks that trees end, and finds how deep they are.
mlir::LogicalResult verifyForest(NodeImport &node, Forest &forest);

/// How the trees' weights of a target become one number, by ONNX's numbers.
enum class Aggregate : int64_t { Average, Sum, Min, Max };

/// A constant.
mlir::Value makeFloats(NodeImport &node, llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> dims, mlir::Type type);
/// The leaf that each row of `x` comes to in each tree: rows x trees.
mlir::Value findLeaves(NodeImport &node, mlir::Value x, const Forest &forest);
/// Weights of leaves brought together over the trees: rows x targets. 0 where no tree has a leaf of the target.
mlir::Value aggregateLeaves(NodeImport &node, mlir::Value leaves, const Forest &forest, Aggregate function);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_OPERATORS_FOREST_H
