//===- Symbols as people read them --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_SYMBOLORIGIN_H
#define DYN_DIALECT_DYN_IR_SYMBOLORIGIN_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Facts.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace dyn {

/// `[1, 512] mod 8`
std::string printSymbolFacts(const symbolic::SymbolDeclaration &symbol);

/// The dim of an argument as its type or its attribute `dyn.dims` says it; null where neither does.
ExprAttr getArgumentDim(mlir::FunctionOpInterface function, unsigned argument, unsigned index);

/// What inputs are called, and what is declared of their dims: empty where nothing is.
struct InputTexts {
  llvm::function_ref<std::string(unsigned input)> getName;
  llvm::function_ref<std::string(unsigned input, unsigned dim)> getDim;
};

/// `dim 1 of 'ids'`, `dim 2 of 'x', which is 2 * h`, `element 0 of 'k'`, `data`, or a definition; empty where nothing
/// is said.
std::string describeOrigin(const symbolic::SymbolDeclaration &symbol, InputTexts inputs);

/// `seq: [1, 512]  dim 1 of 'ids'`
std::string describeSymbol(const symbolic::SymbolDeclaration &symbol, InputTexts inputs);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_SYMBOLORIGIN_H
