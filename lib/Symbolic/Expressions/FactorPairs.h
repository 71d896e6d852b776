//===- Products that are ordered as their factors are ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_FACTORPAIRS_H
#define DYN_LIB_SYMBOLIC_FACTORPAIRS_H

#include "Expressions/Polynomial.h"

namespace dyn::symbolic {

using Factors = llvm::SmallVector<const Atom *, 4>;

/// The factors of a product, each as often as it is there and not in `without`.
Factors listFactors(const Monomial *product, const Monomial *without = nullptr);

/// Can each of `smaller` be put beside another one of `larger`, of which there are as many, that it is at most? Takes
/// a question for each pair at most, of which there are to be few.
bool canPairFactors(llvm::ArrayRef<const Atom *> smaller, Factors larger,
                    llvm::function_ref<bool(const Atom *smaller, const Atom *larger)> isAtMost);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_FACTORPAIRS_H
