//===- Calls in the place of nodes that can't be imported -------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_FOREIGNIMPORT_H
#define DYN_LIB_TARGET_ONNX_FOREIGNIMPORT_H

#include "../Model.h"
#include "dyn/Target/ONNX/ForeignNodes.h"
#include "dyn/Target/ONNX/ImportONNX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

namespace dyn::onnx {

class ForeignImport {
public:
  /// `values` are those that the module has so far.
  ForeignImport(const Model &model, mlir::func::FuncOp function, ValuesByName &values);

  enum class Outcome { Imported, NotSupported, Contradicts };

  /// Calls `import`, which appends the ops of `node`. If it fails, or an op is malformed, they are removed again, and a
  /// call of a function without a body takes their place. `getValue` gives an operand, or null, `describe` says in
  /// terms of the model what is wrong with an op.
  std::optional<ForeignNode> attempt(const Node &node, llvm::function_ref<Outcome()> import,
                                     llvm::function_ref<mlir::Value(llvm::StringRef)> getValue,
                                     llvm::function_ref<std::string(llvm::StringRef objection)> describe);

private:
  void eraseAfter(mlir::Operation *last);
  ForeignNode call(const Node &node, bool isContradiction, llvm::function_ref<mlir::Value(llvm::StringRef)> getValue);
  mlir::Type getType(llvm::StringRef name, const std::optional<ForeignTensor> &inferred);

  const Model &model;
  mlir::func::FuncOp function;
  ValuesByName &values;
  // Made for the first such node.
  std::optional<ForeignNodes> nodes;
  llvm::StringMap<const ValueInfo *> declared;
  unsigned numCalls = 0;
  bool isAttempting = false;
  std::string reason; ///< of the first error of an attempt
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_FOREIGNIMPORT_H
