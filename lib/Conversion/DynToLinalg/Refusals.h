//===- What is not compiled yet -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DYNTOLINALG_REFUSALS_H
#define DYN_LIB_CONVERSION_DYNTOLINALG_REFUSALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// Refuses, all at once, the ops that have no lowering, and says what would let those that depend on sizes or on
/// elements of inputs be compiled.
mlir::LogicalResult verifyHaveLowerings(mlir::func::FuncOp function, llvm::ArrayRef<mlir::Operation *> ops,
                                        llvm::function_ref<bool(mlir::Operation *)> hasNone);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DYNTOLINALG_REFUSALS_H
