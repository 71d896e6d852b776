//===- Words of the syntax -------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_KEYWORDS_H
#define DYN_LIB_SYMBOLIC_KEYWORDS_H

#include "dyn/Symbolic/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace dyn::symbolic {

inline bool isIdentifierStart(char c) { return llvm::isAlpha(c) || c == '_'; }
inline bool isIdentifierPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }
inline bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && isIdentifierStart(name.front()) && llvm::all_of(name, isIdentifierPart);
}

/// Words that a symbol of that name must be quoted for: those of expressions, predicates and of the ops that hold them.
inline bool isKeyword(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"floordiv", "ceildiv", "mod", "min", "max", "bcast", "exactdiv", "tdiv", "bc_ok"}, true)
      .Cases({"floor", "ceiling", "Mod", "Max", "Min", "Abs", "abs", "FloorDiv", "CeilDiv"}, true)
      .Cases({"and", "or", "not", "in", "ne", "true", "false", "True", "False", "because", "inf", "oo", "int_oo"}, true)
      .Default(false);
}

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_KEYWORDS_H
