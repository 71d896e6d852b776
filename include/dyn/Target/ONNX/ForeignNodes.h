//===- What ONNX itself infers of a node ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// For nodes that have no dyn ops: ONNX's own inference of the node, in the sizes
// that are known here. It copies dims of operands to results, or says nothing; so
// a dim that stands for an expression is handed to it as a name.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_ONNX_FOREIGNNODES_H
#define DYN_TARGET_ONNX_FOREIGNNODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace dyn::onnx {

struct Model;
struct Node;
struct Tensor;

/// A tensor, or what all tensors of a sequence have in common, as that inference sees it.
struct ForeignTensor {
  int elementType = 0; ///< ONNX's number
  /// Nothing where the rank is not known. A number, or the name of a dim that is none; empty where nothing is known.
  std::optional<std::vector<std::string>> dims;
  /// Of a small integer tensor, the elements in the same form.
  std::optional<std::vector<std::string>> elements;
  bool isSequence = false;
};

class ForeignNodes {
public:
  /// The functions of the model are inlined, and its nodes in order. It must outlive this.
  explicit ForeignNodes(const Model &model);

  /// An output of each node, in an order in which each stands after those that it reads: those that no output of the
  /// model needs, too.
  std::vector<llvm::StringRef> listNodes() const;
  /// The values that inference of the node wants to know: its operands, and where the node has a graph, all that the
  /// graph may read.
  std::vector<llvm::StringRef> listOperands(llvm::StringRef output) const;
  /// All outputs of the node that computes `output`, empty ones among them.
  llvm::ArrayRef<llvm::StringRef> listOutputs(llvm::StringRef output) const;
  /// An initializer of the model's graph by its name. Of its elements, inference sees what it needs.
  std::optional<ForeignTensor> findInitializer(llvm::StringRef name) const;
  /// The outputs of the node that computes `output`, in their order; nothing for one that is an optional or not known.
  /// Names among the dims are those of `operands`.
  std::vector<std::optional<ForeignTensor>> infer(llvm::StringRef output,
                                                  const llvm::StringMap<ForeignTensor> &operands) const;

private:
  const Model &model;
  llvm::StringMap<const Node *> nodes; ///< by output
  llvm::StringMap<const Tensor *> initializers;
  llvm::StringMap<const Tensor *> data; ///< of constants that are small enough to matter
};

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_FOREIGNNODES_H
