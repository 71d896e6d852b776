//===- Sums as numbers of a mixed radix -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Where x < w, a place `y*w + x` in rows of w is written with two digits, of which each
// place has its own. Two of them differ by `w*(y - z) + (x - v)`, which is 0 where both
// digits are the same only, and whose sign is that of the first digit that is not.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_MIXEDRADIX_H
#define DYN_LIB_SYMBOLIC_MIXEDRADIX_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

class MixedRadix {
public:
  /// Sums that facts, in the form of SortedFacts, say to be above others are taken for radices. `store` knows what else
  /// is known of symbols, and is not told anything.
  MixedRadix(FactStore &store, llvm::ArrayRef<Predicate> facts);

  /// Of equations in the form of SortedFacts, the sums that are 0, and those that few of them together say so of,
  /// without a symbol that two share.
  static std::vector<Expr> getZeroSums(SymbolicContext::Impl &context, llvm::ArrayRef<Predicate> facts);
  /// With what a symbol is by one of these sums that are 0, one after another.
  static Expr putValues(SymbolicContext::Impl &context, Expr sum, llvm::ArrayRef<Expr> zeros);
  /// Is there a product in it, without which no radix is?
  static bool mayHaveDigits(Expr sum);

  /// sum == radix*high + low, where -radix < low < radix
  struct Digits {
    Expr high, low;
  };
  std::optional<Digits> split(Expr sum);
  /// From the highest on, those that are not 0 anyway: the sum is 0 where each is, and has the sign of the first one
  /// that is not. Nothing of a sum with one digit.
  std::vector<Expr> getDigits(Expr sum);
  /// `a == 0 and b == 0`, `a > 0 or (a == 0 and b > 0)` and the like for a comparison of 0 with a sum; nothing where it
  /// has one digit.
  std::optional<Predicate> compareDigits(Predicate::Kind comparison, Expr sum);
  /// What is not negative where the sum is not, though it may be where the sum is; null where nothing is known.
  Expr getHighOfNonNegative(Expr sum);

private:
  struct Order {
    Expr difference; ///< is not negative
    uint64_t symbolMask;
  };
  /// Of what is 0: `8*(w ceildiv 8) >= w`, of which `s == 8*(w ceildiv 8)` makes `s >= w`.
  void addOrdersOfQuotients(Expr zero);
  std::optional<Digits> divide(Expr sum, Expr radix);
  bool isNonNegative(Expr expr);
  /// low <= radix - 1
  bool isBelow(Expr low, Expr radix);

  FactStore &store;
  SymbolicContext::Impl &context;
  ExprBuilder builder;
  std::vector<Order> orders;
  std::vector<Expr> radices;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_MIXEDRADIX_H
