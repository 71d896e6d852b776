//===- What generated code may consist of ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELCODE_VERIFYCODE_H
#define DYN_CONVERSION_KERNELCODE_VERIFYCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// Refuses ops on tensors or memrefs, and those of other dialects than `arith`, `func`, `llvm`, `math`, `scf` and
/// `vector`, unless `isAllowed` says that they have a place. `culprit` ends the diagnostic.
llvm::LogicalResult verifyCode(mlir::func::FuncOp function, llvm::StringRef culprit,
                               llvm::function_ref<bool(mlir::Operation *)> isAllowed = nullptr);

} // namespace dyn

#endif // DYN_CONVERSION_KERNELCODE_VERIFYCODE_H
