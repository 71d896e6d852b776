//===- Proofs by contradiction and by cases -----------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_PROOF_H
#define DYN_LIB_SYMBOLIC_PROOF_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

class Witnesses;

/// Is it true wherever the facts of `near` hold? False where that is not found with three times `fuel` for all ways to
/// prove it together. Points at which it is false are left in `witnesses`, which may be null. `isAlone`: nothing is
/// known but of each symbol by itself, so that what combines facts is not tried.
bool isProved(FactStore &near, const Predicate &predicate, Witnesses *witnesses, unsigned fuel, bool isAlone);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_PROOF_H
