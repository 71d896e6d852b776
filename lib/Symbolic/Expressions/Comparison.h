//===- Comparisons of values -----------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_COMPARISON_H
#define DYN_LIB_SYMBOLIC_COMPARISON_H

#include "dyn/Symbolic/Predicate.h"
#include "llvm/Support/ErrorHandling.h"

namespace dyn::symbolic {

/// Does a comparison of that kind, which is Equal, NotEqual, LessEqual or Less, hold between two values?
inline bool holdsBetween(Predicate::Kind comparison, int64_t lhs, int64_t rhs) {
  switch (comparison) {
  case Predicate::Kind::Equal:
    return lhs == rhs;
  case Predicate::Kind::NotEqual:
    return lhs != rhs;
  case Predicate::Kind::LessEqual:
    return lhs <= rhs;
  case Predicate::Kind::Less:
    return lhs < rhs;
  default:
    llvm_unreachable("no comparison");
  }
}

/// Have all sides values, whatever sizes are?
bool isTotal(const Predicate &predicate);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_COMPARISON_H
