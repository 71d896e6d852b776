//===- What guards say of nodes that become several ops ----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_GUARDREASONS_H
#define DYN_LIB_TARGET_ONNX_GUARDREASONS_H

#include "Model.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace dyn::onnx {

/// Remembers where the ops of a node begin, to give those that would say of a guard what no node of the model is, such
/// as a reshape, a reason that names the operator and its operand.
class GuardReasons {
public:
  GuardReasons(const Node &node, llvm::ArrayRef<mlir::Value> operands, mlir::OpBuilder &builder);

  /// Is the operator one of a standard, and no function of the model?
  static bool isKnown(const Node &node);

  /// To be called when all ops are there.
  void give() const;

private:
  /// Which of the node's operands a value has its dims of: a bit for each.
  using Sources = llvm::DenseMap<mlir::Value, uint64_t>;

  /// Empty where the op has no guards.
  std::string describe(mlir::Operation *op, const Sources &sources) const;
  std::string describeOwn(mlir::Operation *op, const Sources &sources) const;
  std::string listOperands(mlir::ValueRange values, const Sources &sources) const;

  const Node &node;
  llvm::ArrayRef<mlir::Value> operands;
  mlir::OpBuilder &builder;
  mlir::Operation *before; ///< null where they begin their block
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_GUARDREASONS_H
