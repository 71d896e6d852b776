//===- What guards say of nodes that become several ops ----------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TARGET_ONNX_GUARDREASONS_H
#define DYN_LIB_TARGET_ONNX_GUARDREASONS_H

#include "Model.h"
#include "mlir/IR/Builders.h"

namespace dyn::onnx {

/// Remembers where the ops of a node begin, to give those that would say of a guard what no node of the model is, such
/// as a reshape, a reason that names the operator and its operand.
class GuardReasons {
public:
  GuardReasons(const Node &node, llvm::ArrayRef<mlir::Value> operands, mlir::OpBuilder &builder);

  /// To be called when all ops are there.
  void give() const;

private:
  std::string describe(mlir::Operation *op) const;
  llvm::StringRef findOperand(mlir::Value value) const;

  const Node &node;
  llvm::ArrayRef<mlir::Value> operands;
  mlir::OpBuilder &builder;
  mlir::Operation *before; ///< null where they begin their block
};

} // namespace dyn::onnx

#endif // DYN_LIB_TARGET_ONNX_GUARDREASONS_H
