//===- What guards say of nodes ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_GUARDREASONS_H
#define DYN_LIB_TARGET_ONNX_GUARDREASONS_H

#include "Model.h"
#include "dyn/Dialect/Dyn/IR/GuardReason.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace dyn::onnx {

/// Which of a node's operands a value has its dims of: a bit for each.
using OperandsOfDims = llvm::SmallDenseMap<mlir::Value, uint64_t, 16>;

/// Remembers where the ops of a node begin, to give those that may have guards a reason that names the operator, and
/// its operands where the node becomes several ops.
class GuardReasons {
public:
  GuardReasons(const Node &node, llvm::ArrayRef<mlir::Value> operands, mlir::OpBuilder &builder,
               GuardReasonWriter &writer);

  /// Is the operator one of a standard, and no function of the model?
  static bool isKnown(const Node &node);

  /// To be called when all ops are there.
  void give();

private:
  /// Nothing where the op has no guards.
  std::optional<GuardReason> describe(mlir::Operation *op, const OperandsOfDims &sources) const;
  std::string listOperands(mlir::ValueRange values, const OperandsOfDims &sources) const;

  const Node &node;
  llvm::ArrayRef<mlir::Value> operands;
  mlir::OpBuilder &builder;
  GuardReasonWriter &writer;
  mlir::Operation *before; ///< null where they begin their block
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_GUARDREASONS_H
