//===- Names of symbols ------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_NAMES_H
#define DYN_SYMBOLIC_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace dyn::symbolic {

/// Does it start with one of the characters 1 and 2, as names do that contexts and solvers make for themselves? Text
/// with such a name is refused, and `SymbolicContext::getSymbol` gives it another one.
bool isReservedName(llvm::StringRef name);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_NAMES_H
