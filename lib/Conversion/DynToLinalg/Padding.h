//===- Padding, which convolutions need too ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DYNTOLINALG_PADDING_H
#define DYN_LIB_CONVERSION_DYNTOLINALG_PADDING_H

#include "FunctionReifier.h"

namespace dyn {

/// `tensor` of dims `from` placed at `low` in dims `to`; elsewhere stands `fill`, or what the mode says.
mlir::Value createPad(FunctionReifier &reifier, mlir::Location loc, PadMode mode, mlir::Value tensor,
                      llvm::ArrayRef<symbolic::Expr> from, llvm::ArrayRef<symbolic::Expr> to,
                      llvm::ArrayRef<symbolic::Expr> low, const Access &fill);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DYNTOLINALG_PADDING_H
