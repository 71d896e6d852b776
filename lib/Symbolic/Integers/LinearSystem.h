//===- Linear equations and inequalities over the integers ------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The Omega test (Pugh, "The Omega Test: a fast and practical integer programming
// algorithm for dependence analysis", 1991). Equations are solved, then one unknown
// after another is eliminated from the inequalities. A pair of bounds with a
// coefficient of 1 is eliminated exactly. Any other pair has a real shadow, outside
// of which is no solution, and a dark shadow, inside of which there is one for
// sure; between the two lie finitely many planes, which are looked at one by one.
// So the test decides every system, as far as effort and 64 bits suffice.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_LINEARSYSTEM_H
#define DYN_LIB_SYMBOLIC_LINEARSYSTEM_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace dyn::symbolic {

/// The sum of coefficients times unknowns, and the constant: 0 for an equation, else at least 0.
struct LinearRow {
  llvm::SmallVector<int64_t, 32> coefficients; ///< one for each unknown
  int64_t constant = 0;
  bool isEquation = false;
};

/// Integers, one for each unknown.
using IntegerPoint = llvm::SmallVector<int64_t, 32>;

/// Does the row hold there? Not where 64 bits overflow.
bool holdsAt(const LinearRow &row, const IntegerPoint &point);

enum class Feasibility : uint8_t { Infeasible, Feasible, Unknown };

/// Are there integers that satisfy all rows? `point` gets some. Every new row takes one from `fuel`; unknown where it
/// is used up or coefficients leave 64 bits.
Feasibility findIntegers(unsigned unknowns, std::vector<LinearRow> rows, unsigned &fuel, IntegerPoint &point);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_LINEARSYSTEM_H
