//===- The same question in another form ---------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_QUESTIONFORMS_H
#define DYN_LIB_SYMBOLIC_QUESTIONFORMS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// The same question without what all terms of both sides have in common: `b == 0 or s == t` for `b*s == b*t`. Nothing
/// where no factor stands out.
std::optional<Predicate> takeFactorsApart(FactStore &store, const Predicate &question);

/// The same of a multiple, so that what a quotient is bounded by stands in it: `0 < m*n - n*p*Q` for `p*Q < m` where Q
/// is `i floordiv (n*p)`, of which `n*p*Q <= i` is known; or of the dividend in place of a quotient that stands alone:
/// `c*c < b*m` for `(c*c) floordiv b < m`. Nothing where there is no such quotient by sizes; sides may be null.
std::optional<Predicate> multiplyByDivisors(FactStore &store, const Predicate &question);

/// What is no less than the question asks, without products of which the facts say that others in it are no smaller:
/// `0 <= f - e` for `a*b + e <= x*y + f` where a <= x and b <= y. Only a yes says something of the question. Nothing
/// where there are no such.
std::optional<Predicate> dropSmallerProducts(FactStore &store, const Predicate &question);

/// The same with maxima in place of the broadcasts of sizes that are at least 1, where these have values.
std::optional<Predicate> takeMaxima(FactStore &store, const Predicate &question);

/// The same with maxima of quotients in place of quotients of maxima. As a normal form it would have more terms than
/// what people write.
std::optional<Predicate> distributeQuotients(FactStore &store, const Predicate &question);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_QUESTIONFORMS_H
