//===- Factors of an expression -------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_FACTORS_H
#define DYN_SYMBOLIC_FACTORS_H

#include "dyn/Symbolic/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace dyn::symbolic {

/// What gives `expr` when it is multiplied, as far as it is found: atoms that all terms have in common, then sums: `s`,
/// `t - 1` and `s - u` for `s*s*t - s*t*u - s*s + s*u`. The expression alone where it is no product, and for a null
/// one.
llvm::SmallVector<Expr, 4> getFactors(Expr expr);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_FACTORS_H
