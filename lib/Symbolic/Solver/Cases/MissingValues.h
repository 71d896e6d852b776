//===- Questions where a side has no value ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Who is told that two sizes are equal writes one for the other. So where a divisor is
// 0, sides are equal only if neither has a value: `s*t floordiv t` does not stand for
// s. What orders or tells apart says so of the points at which both sides have values,
// and nothing where there are none. A broadcast and an exact division are written where
// they have values.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_MISSINGVALUES_H
#define DYN_LIB_SYMBOLIC_MISSINGVALUES_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// Whether a statement counts as true because a side divides by what is known to be 0; nothing where none does, as far
/// as is known.
std::optional<bool> holdsWithoutValues(FactStore &store, const Predicate &predicate);
/// Does a fact, or its opposite, divide by what comes to 0, or each of several alternatives?
bool hasNoValue(const Predicate &fact, llvm::function_ref<Expr(Expr divisor)> getInner, bool isNegated = false);

/// Is there a quotient by what may be 0?
bool mayDivideByZero(const Predicate &predicate);
/// What quotients divide by that may be 0.
llvm::SmallVector<Expr, 4> getDivisors(const Predicate &predicate);

/// Is an answer, found to be right wherever both sides have values, right elsewhere too, and are there such places?
/// `asked` is what was given, in the terms of the store, and `translate` puts a divisor in these. What is asked may
/// have lost some, and none has become null.
bool isTrueWithoutValues(FactStore &store, const Predicate &given, const Predicate &asked, Verdict verdict,
                         llvm::function_ref<Expr(Expr)> translate);
/// The same of what was given in the terms of the store.
bool isTrueWithoutValues(FactStore &store, const Predicate &given, Verdict verdict);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_MISSINGVALUES_H
