//===- Sizes that do not fit, in the words of compiled models ---------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_FAULTTEXTS_H
#define DYN_LIB_INTERPRETER_FAULTTEXTS_H

#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Runtime/GuardText.h"

namespace dyn::reference {

/// About a call. Who runs a model knows its inputs by their names, and nothing of the function that it has become.
mlir::InFlightDiagnostic emitCallError(mlir::FunctionOpInterface function);

/// Whether the inputs have names.
bool hasNames(mlir::FunctionOpInterface function);
/// "input 'ids'", or "input 0" where it has no name.
std::string describeInput(mlir::FunctionOpInterface function, unsigned index);
/// As numpy and compiled models name it: "float32", "bool", "float8e4m3fn".
std::string getElementTypeName(mlir::Type type);
/// "a tensor of float32", "a sequence of tensors of int64".
std::string describeInputType(mlir::Type type);

/// Symbols with their values and where these come from, in the order in which the function declares them.
std::vector<SymbolText> getSymbolTexts(mlir::FunctionOpInterface function, llvm::ArrayRef<std::string> names,
                                       const ReferenceScope &scope);
/// The names of symbols.
llvm::SmallVector<std::string> getNames(llvm::ArrayRef<symbolic::Expr> symbols);

/// Whether all symbols of a predicate have values.
bool hasValues(PredAttr predicate, const ReferenceScope &scope);
/// The symbols in the definition of one that a predicate needs and that has no value, though they all have; empty where
/// there is none.
llvm::SmallVector<std::string> findInvalidSize(mlir::FunctionOpInterface function, PredAttr predicate,
                                               const ReferenceScope &scope);

mlir::InFlightDiagnostic emitGuardError(mlir::FunctionOpInterface function, PredAttr predicate, llvm::StringRef because,
                                        llvm::StringRef node, const ReferenceScope &scope);
/// Of dim `dim` of an input, which is not the expected one.
mlir::InFlightDiagnostic emitDimError(mlir::FunctionOpInterface function, unsigned input, unsigned dim, int64_t actual,
                                      int64_t expected, const ReferenceScope &scope);
mlir::InFlightDiagnostic emitRankError(mlir::FunctionOpInterface function, unsigned input,
                                       llvm::ArrayRef<int64_t> dims);

/// Checks a tensor of a list against what is declared of each in `dyn.element_dims`.
llvm::LogicalResult checkElementDims(mlir::FunctionOpInterface function, unsigned input, unsigned number,
                                     const ReferenceTensor &tensor, const ReferenceScope &scope);

} // namespace dyn::reference

#endif // DYN_LIB_INTERPRETER_FAULTTEXTS_H
