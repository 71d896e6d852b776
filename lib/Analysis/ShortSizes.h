//===- Long sizes in few words -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Bounds and copies that sizes choose make sums of products of maxima, though what
// is left is a size as it was, or a product of two. Forms are found at few points,
// and taken if they are proved to be the same at all.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_SHORTSIZES_H
#define DYN_LIB_ANALYSIS_SHORTSIZES_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// For a long size of at most three symbols: one of them, `min(s, 1)`, `max(s, 1)` or a quotient by a number of the
/// size, times a number and plus one, or the product of two of these and a number. The size itself where none of them
/// is proved to be the same. Null for null.
symbolic::Expr findShortForm(symbolic::Expr size, symbolic::Solver &solver);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_SHORTSIZES_H
