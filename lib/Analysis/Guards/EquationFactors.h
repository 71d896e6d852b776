//===- Equations of products as equations of their factors -------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A reshape asks for the same number of elements, which is an equation of large
// products. As far as it says that a product is 0, it says that one of few sums is.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_ANALYSIS_GUARDS_EQUATIONFACTORS_H
#define DYN_LIB_ANALYSIS_GUARDS_EQUATIONFACTORS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// `batch == 0 or h == 2*q` for `batch*h*q + 2*batch*q == 2*batch*q*q + batch*h`, which is `batch*(q - 1)*(h - 2*q) ==
/// 0`, where the facts say that q is not 1. The same predicate where it is no equation of sums whose difference is a
/// product with sums, and where it may have no value.
symbolic::Predicate splitFactors(const symbolic::Predicate &predicate, symbolic::Solver &facts);

} // namespace dyn

#endif // DYN_LIB_ANALYSIS_GUARDS_EQUATIONFACTORS_H
