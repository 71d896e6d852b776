//===- Distinctions of cases ---------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SPLITS_H
#define DYN_LIB_SYMBOLIC_SPLITS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// Cases of which at least one holds.
using Split = std::vector<Predicate>;

/// The cases of a division, maximum, quotient or product in expressions in inner form; empty where there is none.
Split findSplit(FactStore &store, llvm::ArrayRef<Expr> exprs);

/// Is there a maximum or a quotient by a constant in them, whose cases are linear?
bool hasLinearSplit(llvm::ArrayRef<Expr> exprs);

/// Distinctions of cases, as near to the question as possible: first what shares symbols with it, then what shares
/// symbols with facts that do, and so on. Empty where nothing is left to split that has to do with the question.
std::vector<Split> findSplits(FactStore &store, const Predicate &question);

/// Do the facts say that all divisors are no zeros, and nothing of it is a broadcast or an exact quotient?
bool hasValue(FactStore &store, Expr expr);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SPLITS_H
