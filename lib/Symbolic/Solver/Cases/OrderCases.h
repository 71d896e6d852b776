//===- Maxima and broadcasts by the orders of their operands -------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// max(min(s, t), min(s, u)) == min(s, max(t, u)) has as many cases as there are orders
// of s, t and u, and in each both sides are the same symbol. So a maximum is replaced
// by the operand that is the largest in a case, and only what is left at the end, sums
// without maxima, is asked of the facts and of the inequalities of the case, as
// integers. That is complete where these are linear.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_ORDERCASES_H
#define DYN_LIB_SYMBOLIC_ORDERCASES_H

#include "Expressions/Builder.h"
#include "Expressions/Factoring.h"
#include "Solver/FactStore.h"

namespace dyn::symbolic {

class OrderCases {
public:
  explicit OrderCases(FactStore &store) : store(store), builder(store.getContext()) {}

  /// Does it, or its opposite, hold in all cases of its maxima and broadcasts? False if it has none of them.
  bool holds(const Predicate &predicate, bool truth = true);
  /// Whether the last answer was false because there is a point at which the facts hold and the predicate does not.
  bool isRefuted() const { return refuted; }

private:
  bool holdsIn(Expr difference, unsigned depth);
  /// With more premises, by which an operand adds nothing to maxima or broadcasts that have the other, too.
  bool holdsInCase(Expr difference, unsigned depth, llvm::ArrayRef<Predicate> added, AtomKind kind, Expr dropped,
                   Expr other);
  bool holdsAtIntegers(Expr difference);
  bool followsFromPremises(Expr difference, unsigned count);
  /// By its range, or by so many premises.
  bool isNonNegative(Expr expr, unsigned count = 1);
  std::optional<Factoring> factorDifference(Expr difference);
  bool hasGreaterFactors(Expr difference);
  bool isAtLeast(Expr greater, Expr smaller);
  Expr findOrderingFactor(Expr x, Expr y);

  FactStore &store;
  ExprBuilder builder;
  Predicate::Kind relation = Predicate::Kind::Equal; ///< of 0 to the difference that is asked about
  llvm::SmallVector<Predicate, 8> premises;          ///< of the case
  unsigned cases = 0;
  bool refuted = false;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_ORDERCASES_H
