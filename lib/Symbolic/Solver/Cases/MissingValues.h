//===- Questions where a side has no value ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Who is told that two sizes are equal writes one for the other. So where a divisor is
// 0, sides are equal only if neither has a value: `s*t floordiv t` does not stand for
// s. What orders or tells apart says so of the points at which both sides have values.
// A broadcast and an exact division are written where they have values.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_MISSINGVALUES_H
#define DYN_LIB_SYMBOLIC_MISSINGVALUES_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// Whether a statement counts as true because a side divides by what is known to be 0; nothing where none does, as far
/// as is known.
std::optional<bool> holdsWithoutValues(FactStore &store, const Predicate &predicate);

/// Do equations of a statement that holds wherever their sides have values also count as true elsewhere?
bool isEqualWhereDivisorsVanish(FactStore &store, const Predicate &predicate);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_MISSINGVALUES_H
