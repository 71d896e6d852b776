//===- Sizes at which guards are looked at -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_GUARDPOINTS_H
#define DYN_LIB_TRANSFORMS_SHAPES_GUARDPOINTS_H

#include "dyn/Symbolic/Predicate.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/BitVector.h"

namespace dyn {

/// Of guards with more symbols no shorter form is looked for.
constexpr size_t kMaxSymbolsOfForms = 3;

/// The least sizes that the facts allow, and those around numbers of a guard, which has one to `kMaxSymbolsOfForms`
/// symbols.
class GuardPoints {
public:
  using Point = llvm::SmallVector<int64_t, kMaxSymbolsOfForms>; ///< the values of `symbols`

  /// `known` holds at all of them.
  GuardPoints(const symbolic::Predicate &guard, symbolic::Solver &facts, llvm::ArrayRef<symbolic::Predicate> known);

  /// Are there points enough, of which the guard allows some, and some not?
  bool tellForms() const { return points.size() >= kMinPoints && allowed.any() && !allowed.all(); }
  /// The least value that is looked at: of data that may be negative without a small bound, some below 0.
  int64_t getLeast(symbolic::Expr symbol) const;

  llvm::SmallVector<symbolic::Expr, 4> symbols;
  llvm::SmallVector<int64_t> numbers; ///< of the guard, above 1, in order
  std::vector<Point> points;
  llvm::BitVector allowed; ///< points at which the guard holds
  /// Of one symbol: the points have each value below that the facts and `known` allow, and tell whether the guard holds
  /// there. Nothing where they have no least value, where 64 bits do not hold some, or of more symbols.
  std::optional<int64_t> end;

private:
  static constexpr size_t kMinPoints = 8;

  std::optional<bool> evaluateAt(const symbolic::Predicate &predicate, llvm::ArrayRef<int64_t> point) const;
  /// What has no value since a divisor is 0, or does not divide, fails. Where 64 bits overflow, nothing is known, so
  /// that there is no `end`.
  bool holdsAt(const symbolic::Predicate &predicate, llvm::ArrayRef<int64_t> point);
  void collectNumbers(const symbolic::Predicate &predicate);
  /// False where sizes are too large to look at.
  bool choosePoints(llvm::ArrayRef<symbolic::Predicate> known);

  symbolic::Solver &facts;
};

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_GUARDPOINTS_H
