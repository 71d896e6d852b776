//===- The program of a module ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_EXECUTIONENGINE_PROGRAM_H
#define DYN_LIB_EXECUTIONENGINE_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace dyn {

/// The one public function of a module, if the runtime, or with `mayHaveSequences` the interpreter, which takes strings
/// too, can deal with its inputs and outputs; those without a name get one. Null after a diagnostic.
mlir::func::FuncOp findProgram(mlir::ModuleOp module, bool mayHaveSequences);

/// Fails, with a diagnostic, if a module has functions beside its program: calls are interpreted, not compiled.
llvm::LogicalResult verifyIsAlone(mlir::func::FuncOp program);

} // namespace dyn

#endif // DYN_LIB_EXECUTIONENGINE_PROGRAM_H
