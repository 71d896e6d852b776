//===- Symbols as people read them --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_SYMBOLORIGIN_H
#define DYN_DIALECT_DYN_IR_SYMBOLORIGIN_H

#include "dyn/Symbolic/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace dyn {

/// `[1, 512] mod 8`
std::string printSymbolFacts(const symbolic::SymbolDeclaration &symbol);

/// `dim 1 of 'ids'`, `element 0 of 'k'`, `data`, or a definition; empty where nothing is said.
std::string describeOrigin(const symbolic::SymbolDeclaration &symbol,
                           llvm::function_ref<std::string(unsigned)> getInputName);

/// `seq: [1, 512]  dim 1 of 'ids'`
std::string describeSymbol(const symbolic::SymbolDeclaration &symbol,
                           llvm::function_ref<std::string(unsigned)> getInputName);

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_SYMBOLORIGIN_H
