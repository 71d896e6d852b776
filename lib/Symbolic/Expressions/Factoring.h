//===- Sums as products of two sums --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_FACTORING_H
#define DYN_LIB_SYMBOLIC_FACTORING_H

#include "Expressions/Polynomial.h"

namespace dyn::symbolic {

/// first * second + rest, where neither factor is a constant.
struct Factoring {
  Poly first, second;
  int64_t rest = 0;
};

/// `(s - t)*(s + t + 1)` for `s*s + s - t*t - t`, `(s - 1)*(t - 1) - 1` for `s*t - s - t`: of a sum of few terms in
/// which an atom stands to the power of 1 only, or that is quadratic. Nothing where none is found, or where all terms
/// have a factor in common.
std::optional<Factoring> factor(SymbolicContext::Impl &context, Terms terms);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_FACTORING_H
