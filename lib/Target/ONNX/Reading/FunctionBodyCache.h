//===- Bodies of operators that nodes share ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_FUNCTIONBODYCACHE_H
#define DYN_LIB_TARGET_ONNX_FUNCTIONBODYCACHE_H

#include "FunctionBodies.h"

namespace dyn::onnx {

/// As findFunctionBody. ONNX's builders read their nodes from texts each time, while the layers of a model have nodes
/// with the same attributes and operands of the same types.
class FunctionBodyCache {
public:
  explicit FunctionBodyCache(Model &model) : model(model) {}

  /// Null where ONNX has no body. Lives as long as the cache.
  const Function *find(const Node &node, llvm::ArrayRef<OperandType> operands);

private:
  const Function *keep(std::optional<Function> body);

  Model &model;
  std::deque<Function> bodies;
  llvm::StringMap<const Function *> known; ///< by what they depend on
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_FUNCTIONBODYCACHE_H
