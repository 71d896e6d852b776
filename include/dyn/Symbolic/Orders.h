//===- Orders of sizes and signs of differences -----------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_ORDERS_H
#define DYN_SYMBOLIC_ORDERS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn::symbolic {

/// How two sizes compare at all points that the facts allow.
enum class Order : uint8_t { Less, LessOrEqual, Equal, GreaterOrEqual, Greater, Unknown };

/// The strongest order that is proved. For memory planning: which block fits into which.
Order compareSizes(Solver &solver, Expr lhs, Expr rhs);

/// A part of a symbol's range on which an expression has one sign.
struct SignInterval {
  Range range;
  /// -1, 0, 1; nothing where the sign depends on other symbols, or where effort ended.
  std::optional<int> sign;
};

/// Splits the range of `symbol` where the sign of `difference` changes; intervals in ascending order, which cover the
/// range. For cost models: of two costs, which is lower where? At most `maximalIntervals`.
std::vector<SignInterval> getSigns(const Solver &solver, Expr difference, Expr symbol, unsigned maximalIntervals = 16);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_ORDERS_H
