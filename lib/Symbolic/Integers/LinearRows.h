//===- Rows of linear systems, and their normal form --------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_LINEARROWS_H
#define DYN_LIB_SYMBOLIC_LINEARROWS_H

#include "Integers/LinearSystem.h"

namespace dyn::symbolic {

/// Holds products of two numbers of 64 bits, and sums of a few of them.
using Wide = __int128;

/// Stores what fits into 64 bits.
inline bool assign(int64_t &target, Wide value) {
  target = static_cast<int64_t>(value);
  return target == value && target != INT64_MIN;
}

/// The sum that the row speaks of.
Wide evaluateAt(const LinearRow &row, const IntegerPoint &point);

/// More rows than that are not looked at.
inline constexpr size_t maximalRows = 200;

/// What a step came to: `Open` where the search goes on.
enum class Step : uint8_t { Open, Infeasible, GivenUp };

/// Divides rows by the content of their coefficients, and leaves of all rows of one direction the tightest.
Step normalize(std::vector<LinearRow> &rows);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_LINEARROWS_H
