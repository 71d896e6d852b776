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
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyn::onnx {

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
  /// `message` is a `::onnx::ModelProto`, which must outlive this.
  explicit ForeignNodes(const void *message);
  ~ForeignNodes();

  /// The values that inference of the node wants to know: its operands, and where the node has a graph, all that the
  /// graph may read.
  std::vector<std::string> listOperands(llvm::StringRef output) const;
  /// All outputs of the node that computes `output`, empty ones among them; none for a node inside of a function.
  std::vector<std::string> listOutputs(llvm::StringRef output) const;
  /// An initializer of the model's graph by its name. Of its elements, inference sees what it needs.
  std::optional<ForeignTensor> findInitializer(llvm::StringRef name) const;
  /// The outputs of the node that computes `output`, in their order; nothing for one that is an optional or not known.
  /// Names among the dims are those of `operands`. A call of a function of the model has the outputs that inference of
  /// the function's nodes says; of these nodes themselves nothing is told.
  std::vector<std::optional<ForeignTensor>> infer(llvm::StringRef output,
                                                  const llvm::StringMap<ForeignTensor> &operands) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace dyn::onnx

#endif // DYN_TARGET_ONNX_FOREIGNNODES_H
