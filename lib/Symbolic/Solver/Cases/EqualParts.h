//===- Products that are equal factor by factor -------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_EQUALPARTS_H
#define DYN_LIB_SYMBOLIC_EQUALPARTS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// Are both sides the same where quotients and maxima in products are put for each other that differ by a number, as
/// `isTrue` proves? Of padded rows and columns each dim is what it should be, and so is their product, which has too
/// many cases by itself.
bool isEqualByParts(FactStore &store, const Predicate &equation, llvm::function_ref<bool(const Predicate &)> isTrue);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_EQUALPARTS_H
