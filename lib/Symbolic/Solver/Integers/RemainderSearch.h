//===- Questions that remainders decide -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Whether `s*t mod 2 == 0` holds depends on the remainders of s and t alone, and so
// does whether `(s + t) mod 2 == 1` does. There are few of them, whatever values the
// symbols have: all are tried.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_REMAINDERSEARCH_H
#define DYN_LIB_SYMBOLIC_REMAINDERSEARCH_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// By the remainders that symbols may have by what the store knows of each, and at which open facts hold; unknown where
/// the truth depends on more than these, or where there are too many.
Verdict decideByRemainders(FactStore &store, const Predicate &question);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_REMAINDERSEARCH_H
