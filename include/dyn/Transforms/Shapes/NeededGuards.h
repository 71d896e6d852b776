//===- The few guards that are needed ----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TRANSFORMS_SHAPES_NEEDEDGUARDS_H
#define DYN_TRANSFORMS_SHAPES_NEEDEDGUARDS_H

#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "dyn/Symbolic/Solver.h"

namespace dyn {

struct NeededGuard {
  unsigned index;                ///< of the guard that it was
  symbolic::Predicate predicate; ///< which may say the same in a form that reads better: `seq <= 512`
};

/// A subset of `guards` that, with what is declared of symbols, implies all of them. Nothing where declarations
/// contradict each other.
std::optional<llvm::SmallVector<NeededGuard>> findNeededGuards(llvm::ArrayRef<symbolic::Predicate> guards,
                                                               llvm::ArrayRef<symbolic::SymbolDeclaration> symbols,
                                                               ConstraintsAttr constraints,
                                                               symbolic::SymbolicContext &context);

/// Does it speak of minima or maxima?
bool hasExtremes(const symbolic::Predicate &guard);

/// The guard in the form that reads best, if it says the same with what is declared; itself otherwise.
symbolic::Predicate spellGuard(const symbolic::Predicate &guard, llvm::ArrayRef<symbolic::SymbolDeclaration> symbols,
                               ConstraintsAttr constraints, symbolic::SymbolicContext &context);

} // namespace dyn

#endif // DYN_TRANSFORMS_SHAPES_NEEDEDGUARDS_H
