//===- Points of what is linear in a store -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_INTEGERSEARCH_H
#define DYN_LIB_SYMBOLIC_INTEGERSEARCH_H

#include "Integers/LinearSystem.h"
#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// Do the facts around some expressions allow integers? Every monomial that is no symbol is an integer of its own, tied
/// to its parts by what a quotient, a maximum or a product of two means, and otherwise free. Disjunctions, maxima and
/// disequalities are decided one after another, as the points found ask for. Takes facts from near to far as long as
/// there are few unknowns: `Infeasible` is right always, and `Feasible` says that these facts refute nothing.
Feasibility searchIntegers(FactStore &store, llvm::ArrayRef<Expr> around, unsigned effort);

/// Does a predicate hold at all integers that premises and the facts around it allow? If these facts do not say so,
/// `isComplete` tells whether there is nothing else to find: all facts that have to do with the predicate were used,
/// and nothing in them was left free.
bool holdsAtAllIntegers(FactStore &store, const Predicate &predicate, unsigned effort, bool &isComplete,
                        llvm::ArrayRef<Predicate> premises = {});

/// The symbols of the expressions, which are in inner form, and of the facts that share symbols with them.
llvm::SmallVector<Expr> getNeighbours(const FactStore &store, llvm::ArrayRef<Expr> exprs);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_INTEGERSEARCH_H
