//===- The numbers in an expression ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_NUMBERS_H
#define DYN_SYMBOLIC_NUMBERS_H

#include "dyn/Symbolic/Expr.h"

namespace dyn::symbolic {

/// The largest of the coefficients and constants in an expression, of the operands of its atoms too, without their
/// signs: 7 for `max(2*s, 3) - 7*t`. That of -2^63 is 2^63 - 1; 0 for an expression that is null.
int64_t getLargestNumber(Expr expr);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_NUMBERS_H
