//===- What is not compiled yet -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DYNTOLINALG_REFUSALS_H
#define DYN_LIB_CONVERSION_DYNTOLINALG_REFUSALS_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// Refuses, all at once, the ops that have no lowering, and says what would let those that depend on sizes or on
/// elements of inputs be compiled. `findLoopObstacle` says why a loop has none, "" if it has one.
mlir::LogicalResult verifyHaveLowerings(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Operation *> ops,
                                        llvm::function_ref<bool(mlir::Operation *)> hasNone,
                                        llvm::function_ref<std::string(LoopOp)> findLoopObstacle);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DYNTOLINALG_REFUSALS_H
