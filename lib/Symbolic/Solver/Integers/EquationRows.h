//===- Equations over monomials, as they were told -------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Gaussian elimination in which maxima, quotients and products are unknowns like any
// other. It deduces nothing from what they are, and from ranges of symbols only what
// they say of one fact, so that a long chain of equations costs little: `x1 == x0 +
// 8*y0, x2 == x1 + 8*y1, ...` says of the last one what is said of the first one
// modulo 8, and sizes of 2 and more that broadcast one after the other are equal.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_EQUATIONROWS_H
#define DYN_LIB_SYMBOLIC_EQUATIONROWS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

class EquationRows {
public:
  explicit EquationRows(SymbolicContext::Impl &context) : builder(context) {}

  /// Of a store the ranges of symbols are looked at. Facts other than equations, and alternatives of which one is left,
  /// which is an equation, are passed over.
  void add(const Predicate &fact, const FactStore &store);
  /// Of a comparison whose sides differ by a constant wherever the equations hold; else unknown.
  Verdict decide(const Predicate &comparison);

private:
  struct Row {
    const Monomial *pivot; ///< with the coefficient 1
    Expr equation;         ///< is 0, and has no pivot of an earlier row
  };

  Expr divideByNonZero(Expr equation, const FactStore &store);
  /// Without pivots; null where a number is too large.
  Expr reduce(Expr expr);
  Expr reduceQuotients(Expr expr);
  /// With what the rows say of symbols in place of these inside of atoms.
  Expr replaceInOperands(Expr expr);

  ExprBuilder builder;
  std::vector<Row> rows;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_EQUATIONROWS_H
