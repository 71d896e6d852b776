//===- Calls, branches, loops and large sizes ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A branch of control flow has a solver of its own: Solver::fork(). What it learns
// holds there only.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_SCOPES_H
#define DYN_SYMBOLIC_SCOPES_H

#include "dyn/Symbolic/Solver.h"

namespace dyn::symbolic {

/// What the declarations of a callee demand of the sizes that a caller gives for its symbols.
std::vector<Predicate> instantiate(llvm::ArrayRef<SymbolDeclaration> callee, SymbolicContext &context,
                                   const Substitution &arguments);

/// What holds of a value that is one of two.
SymbolFacts joinFacts(const SymbolFacts &lhs, const SymbolFacts &rhs);

/// What a solver knows of a size, as facts of a symbol for it.
SymbolFacts describeSize(Solver &solver, Expr size);

/// A size that may be too large to be written out wherever it is used.
struct AbbreviatedSize {
  Expr value; ///< the size, if it is within budget (Expr::isWithinBudget), else a fresh symbol
  /// For a fresh symbol: its facts, as declared in the solver. That it equals the size is no fact of the solver, which
  /// would write it out again: the client keeps what it stands for, and computes it at run time.
  std::optional<SymbolFacts> facts;
};
/// Simplifies the size first. A fresh symbol gets a name with `prefix`.
AbbreviatedSize abbreviate(Solver &solver, Expr size, llvm::StringRef prefix);

/// A size after two branches.
struct JoinedSize {
  Expr value; ///< the size of both, or a fresh symbol
  /// For a fresh symbol: its facts, declared in the solver after the branches, and what it is in either of them, so
  /// that it can be computed at run time.
  std::optional<SymbolFacts> facts;
  Expr whenTrue, whenFalse;
};
/// `after` knows what holds behind the branches. A fresh symbol gets a name with `prefix`.
JoinedSize joinSizes(Solver &after, Solver &thenFacts, Expr whenTrue, Solver &elseFacts, Expr whenFalse,
                     llvm::StringRef prefix);

/// A size that a loop carries.
struct CarriedSize {
  enum Kind : uint8_t {
    Invariant, ///< each trip leaves it as it is
    Linear,    ///< each trip adds `step`
    Widened    ///< anything from 0 to `range.upper`
  } kind;
  Expr step; ///< of a linear one
  Expr exit; ///< behind the loop; null for a widened one, and of a linear one where the step may have no value, which
             ///< nobody notices if there are no trips
  Range range;
};
/// `carried` is the symbol of the size at the start of a trip, `next` the size at its end, in terms of it. `tripCount`
/// may be null, and a number below 0, which is no trip. `limit` is the largest size that is possible, if one is
/// declared.
CarriedSize widen(Solver &solver, Expr initial, Expr carried, Expr next, Expr tripCount,
                  std::optional<int64_t> limit = std::nullopt);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_SCOPES_H
