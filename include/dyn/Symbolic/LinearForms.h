//===- Expressions that are linear in a symbol -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_LINEARFORMS_H
#define DYN_SYMBOLIC_LINEARFORMS_H

#include "dyn/Symbolic/Expr.h"
#include "dyn/Symbolic/Facts.h"
#include <optional>
#include <vector>

namespace dyn::symbolic {

/// `factor * symbol + rest`, where the symbol stands in neither, and the factor is not 0.
struct LinearForm {
  Expr factor, rest;
};

/// Nothing where the expression is not of that form, or coefficients overflow.
std::optional<LinearForm> getLinearForm(Expr expr, Expr symbol);

/// The symbols that stand in `dims` but do not follow from their values: they are neither one of the dims, nor is a dim
/// linear in them whose other symbols follow.
std::vector<Expr> findUndetermined(llvm::ArrayRef<Expr> dims);

/// Is it one of the values that are declared? The remainder of a negative one counts from below, as everywhere.
bool allows(const SymbolFacts &facts, int64_t value);

/// The value of a symbol that stands in dims with a factor of 0 only, so that any value will do: the least one from 0
/// on that the facts allow.
int64_t getAnyValue(const SymbolFacts &facts);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_LINEARFORMS_H
