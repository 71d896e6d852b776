//===- Nodes whose operands contradict each other -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_CONTRADICTIONS_H
#define DYN_LIB_TARGET_ONNX_CONTRADICTIONS_H

#include "Model.h"
#include "mlir/IR/Operation.h"

namespace dyn::onnx {

/// What is wrong with the ops from `first` on, which were imported for `node`: in the words of the op's verifier, with
/// the node and the names and dims of its inputs. Nothing if they are right.
std::optional<std::string> findContradiction(const Node &node, mlir::Block::iterator first, mlir::Block &block,
                                             llvm::function_ref<mlir::Value(llvm::StringRef)> getValue);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_CONTRADICTIONS_H
