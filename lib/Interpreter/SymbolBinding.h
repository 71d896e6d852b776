//===- Symbols from concrete tensors ----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_SYMBOLBINDING_H
#define DYN_LIB_INTERPRETER_SYMBOLBINDING_H

#include "dyn/Interpreter/Interpreter.h"

namespace dyn::reference {

/// Gives the symbols of a function the values that its inputs determine, and checks inputs and declared facts.
mlir::LogicalResult bindArguments(mlir::FunctionOpInterface function, llvm::ArrayRef<ReferenceTensor> inputs,
                                  ReferenceScope &scope);

/// Checks a tensor against a type. With `mayBind`, a symbol without a value that is a dim of the type gets one:
/// data-dependent symbols are bound by the op that determines them.
mlir::LogicalResult checkType(ReferenceScope &scope, const ReferenceTensor &tensor, mlir::Type type, bool mayBind,
                              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_SYMBOLBINDING_H
