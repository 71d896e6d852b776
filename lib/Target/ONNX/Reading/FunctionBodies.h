//===- Operators that ONNX defines by others ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_FUNCTIONBODIES_H
#define DYN_LIB_TARGET_ONNX_FUNCTIONBODIES_H

#include "../Model.h"
#include "llvm/ADT/ArrayRef.h"

namespace dyn::onnx {

/// What is known of an operand: nothing where it is left out, and no dims where the rank is not known.
struct OperandType {
  ElementType type = ElementType::Undefined;
  std::optional<llvm::SmallVector<int64_t>> dims; ///< negative where dynamic
};

/// May ONNX define the operator of `node` by other operators?
bool mayHaveFunctionBody(const Node &node);

/// The body that defines `node` for operands of these types; nothing where ONNX has none. `model` keeps its bytes.
std::optional<Function> findFunctionBody(const Node &node, llvm::ArrayRef<OperandType> operands, Model &model);

/// The nodes of a body in the place of a call, without those that nothing needs. `number` makes their values' names
/// unique, which `model` keeps. Results that no node computes appear as Identity nodes.
std::vector<Node> instantiateBody(const Node &call, const Function &function, unsigned number, Model &model);

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_FUNCTIONBODIES_H
