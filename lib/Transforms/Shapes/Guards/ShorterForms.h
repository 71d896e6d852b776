//===- Long guards said in few words ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// `h <= H` for what a slice from (H - h) floordiv 2 on needs of its sizes, which is
// minima of maxima over many lines. Forms are found at small sizes, and taken if
// they are proved to say the same at all.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_SHORTERFORMS_H
#define DYN_LIB_TRANSFORMS_SHAPES_SHORTERFORMS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// Is a guard long and more than comparisons of sums, and are its symbols few?
bool mayHaveShorterForm(const symbolic::Predicate &guard);

/// Few comparisons of sums of symbols with each other or with numbers, or remainders of one, each of them maybe
/// but for one or two values of symbols, that say the same as a guard of at most three symbols where `facts` hold.
/// `known` are some of the facts, which tell the sizes to look at.
std::optional<symbolic::Predicate> findShorterForm(const symbolic::Predicate &guard,
                                                   llvm::ArrayRef<symbolic::Predicate> known, symbolic::Solver &facts);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_SHORTERFORMS_H
