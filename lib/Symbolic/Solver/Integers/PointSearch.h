//===- Points of what has few values -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Where symbols have few values, all of them are tried, one symbol after another. A
// fact is looked at as soon as its symbols have values, so that most are never tried
// together. What is linear or not makes no difference.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_POINTSEARCH_H
#define DYN_LIB_SYMBOLIC_POINTSEARCH_H

#include "Integers/LinearSystem.h"
#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// Is there a point at which the open facts hold that have to do with a question, as far as their symbols have few
/// values, and the question does not? `Feasible` where nothing was left out. A side without a value counts as not equal
/// to one with a value, and a fact without a value says nothing.
Feasibility searchCounterexample(FactStore &store, const Predicate &question);
/// The same where the facts are given as they were told, of which the store may have made others of more symbols.
Feasibility searchCounterexample(FactStore &store, const Predicate &question, llvm::ArrayRef<Predicate> given);

/// Looks for values at which all facts hold, and have values: what is open in a store, or else what is given.
Feasibility searchPoint(FactStore &store, llvm::ArrayRef<Predicate> given = {});

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_POINTSEARCH_H
