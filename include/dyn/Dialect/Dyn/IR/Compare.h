//===- What directions of comparison mean ------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DYN_IR_COMPARE_H
#define DYN_DIALECT_DYN_IR_COMPARE_H

#include "dyn/Dialect/Dyn/IR/DynOps.h"

namespace dyn {

/// As `dyn.compare` does; of NaN, only `!=` is true.
template <typename T>
bool compare(CompareDirection direction, T lhs, T rhs) {
  switch (direction) {
  case CompareDirection::EQ:
    return lhs == rhs;
  case CompareDirection::NE:
    return lhs != rhs;
  case CompareDirection::LT:
    return lhs < rhs;
  case CompareDirection::LE:
    return lhs <= rhs;
  case CompareDirection::GT:
    return lhs > rhs;
  case CompareDirection::GE:
    return lhs >= rhs;
  }
  llvm_unreachable("all directions are covered");
}

} // namespace dyn

#endif // DYN_DIALECT_DYN_IR_COMPARE_H
