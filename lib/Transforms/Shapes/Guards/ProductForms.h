//===- Comparisons of products, factor by factor ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_PRODUCTFORMS_H
#define DYN_LIB_TRANSFORMS_SHAPES_PRODUCTFORMS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// Is a side a product of more than a number and one factor?
bool comparesProducts(const symbolic::Predicate &guard);

/// What a comparison of products says of their factors, where facts make these the same: `1 <= a and 1 <= b` for `1 <=
/// a*b` of sizes, `b == 0 or (p == q and r == s)` for `b*p*r == b*q*s` where p is at most q, r at most s, and neither
/// is 0. Nothing where facts do not tell.
std::optional<symbolic::Predicate> separateProducts(const symbolic::Predicate &guard, symbolic::Solver &facts);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_PRODUCTFORMS_H
