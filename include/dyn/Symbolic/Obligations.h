//===- What must hold, and which of it is checked ----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_OBLIGATIONS_H
#define DYN_SYMBOLIC_OBLIGATIONS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn::symbolic {

/// What must hold for the expression to have a value: divisors that are not 0, exact divisions that divide, sizes that
/// broadcast. Each once, inner ones first. Expressions are built as if they had values: what became simpler by that,
/// as `bcast(s, 3)`, which is 3, and `exactdiv(s, 4)`, which is `s floordiv 4`, has nothing to list any more.
std::vector<Predicate> getDefinedness(Expr expr);
/// The same for all sides of a predicate.
std::vector<Predicate> getDefinedness(const Predicate &predicate);
/// Those for an expression that the facts do not imply.
std::vector<Predicate> getDefinedness(Solver &solver, Expr expr);

/// What text that other programs read says of it: `floordiv(a, b)` for `exactdiv(a, b)`, and `max(m, n)*min(m, n, 1)`
/// for `bcast(m, n)` of sizes that are at least 0. The same size where this has a value. Null if that gets too large.
Expr withoutPromises(Expr expr);

/// A guard to be checked at run time.
struct PlannedGuard {
  unsigned index;                            ///< among the obligations
  unsigned stage;                            ///< when its last symbol becomes known
  unsigned cost;                             ///< nodes to compute
  llvm::SmallVector<unsigned, 2> reliedOnBy; ///< the obligations that hold because of it, itself among them
};

/// A smallest set of guards found that, with the facts, implies every obligation and that it has a value: ordered by
/// stage, then by cost. `stageOf` tells when a symbol becomes known: 0 on entry, later for what ops bind. A guard fails
/// where it has no value, as `evaluate` has it: of `768 mod t == 0` and `t != 0` the first alone is kept. Code that
/// checks guards has to look at what `getDefinedness` lists of them first.
std::vector<PlannedGuard> planGuards(const Solver &solver, llvm::ArrayRef<Predicate> obligations,
                                     llvm::function_ref<unsigned(Expr symbol)> stageOf);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_OBLIGATIONS_H
