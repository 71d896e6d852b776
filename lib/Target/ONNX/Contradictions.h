//===- Nodes whose operands contradict each other -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_CONTRADICTIONS_H
#define DYN_LIB_TARGET_ONNX_CONTRADICTIONS_H

#include "Model.h"
#include "dyn/Analysis/ForwardShapes.h"
#include "mlir/IR/Operation.h"

namespace dyn::onnx {

/// Verifies the ops from `first` on, which were imported for a node. Emits what the first one that is wrong objects to.
mlir::LogicalResult verifyOps(mlir::Block::iterator first, mlir::Block &block);

/// An objection of a verifier in terms of the model: with the node and the names and dims of its inputs, of which
/// `shapes` tells more than their types.
std::string describeContradiction(const Node &node, llvm::StringRef objection,
                                  llvm::function_ref<mlir::Value(llvm::StringRef)> getValue, ForwardShapes &shapes);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_CONTRADICTIONS_H
