//===- Sizes that a condition on sizes chooses --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_CHOICES_H
#define DYN_LIB_ANALYSIS_CHOICES_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// 1 where the predicate holds, 0 elsewhere. Null where 64 bits do not hold a coefficient.
symbolic::Expr getIndicator(const symbolic::Predicate &predicate, symbolic::Solver &solver);

/// `onTrue` where the predicate holds, `onFalse` elsewhere, in the form that is best to read. Null where that is beyond
/// the budget of expressions.
symbolic::Expr choose(const symbolic::Predicate &predicate, symbolic::Expr onTrue, symbolic::Expr onFalse,
                      symbolic::Solver &solver);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_CHOICES_H
