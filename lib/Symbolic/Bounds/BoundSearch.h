//===- One search for a bound --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_BOUNDSEARCH_H
#define DYN_LIB_SYMBOLIC_BOUNDSEARCH_H

#include "Bounds/Bounds.h"

namespace dyn::symbolic {

/// One question for a lower bound. Every method returns a value that the polynomial never falls below.
struct BoundProver::Search {
  /// Nested eliminations, and eliminations for one question.
  static constexpr unsigned maximalLevel = 10, maximalSteps = 160;
  /// Longer sums have the bounds of their terms only.
  static constexpr size_t maximalTerms = 64;

  BoundProver &prover;
  /// Off for the ranges of atoms, which inequalities about them would ask for again.
  bool usesInequalities = true;
  bool multipliesFacts = false;
  bool reducesProducts = true; ///< and quotients by sizes, until they have been, with no quotients of others left
  SymbolicContext::Impl &context = prover.context;
  unsigned steps = 0, stepLimit = maximalSteps;

  int64_t getLower(Terms terms, int64_t goal, unsigned level);

private:
  /// Sums of two do not need more room most often.
  using LongPoly = llvm::SmallVector<Term, 20>;

  /// Counts a step, which costs more the longer the sum.
  bool isExhausted(size_t termCount = 0) {
    constexpr size_t termsOfStep = 16, costOfStep = 4, costOfTerm = 2;
    context.spend(costOfStep + costOfTerm * termCount);
    steps += 1 + termCount / termsOfStep;
    return steps > stepLimit || isOutOfFuel();
  }
  /// Without facts, the cut depends on the question only.
  bool isOutOfFuel() const { return prover.facts && context.fuel == 0; }

  Interval getInterval(const Monomial *monomial);
  /// Of the sum of the intervals of the terms.
  int64_t getIntervalLower(Terms terms);
  /// The same of lhsFactor * lhs + rhsFactor * rhs, which is not made.
  int64_t getIntervalLower(Terms lhs, int64_t lhsFactor, Terms rhs, int64_t rhsFactor);
  int64_t getIntervalUpper(Terms terms);

  int64_t eliminate(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level);
  int64_t eliminateFloorDiv(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level);
  int64_t eliminateQuotientByRange(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level);
  int64_t eliminateMax(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level);
  int64_t eliminateByInterval(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level);
  int64_t eliminateByDifference(const Atom *atom, Terms terms, int64_t goal, unsigned level);
  /// With each known inequality alone, or with several, and once with a multiple of one.
  int64_t useInequalities(Terms terms, int64_t goal, unsigned level, bool several);
  /// With multiples of inequalities that take the leading products away, one after another.
  int64_t reduceProducts(Terms terms, int64_t goal);
  /// What gets smaller once other products stand for leading ones; nothing where none does.
  std::optional<Poly> exchangeProducts(Terms terms, llvm::ArrayRef<Expr> facts,
                                       llvm::function_ref<std::optional<Poly>(Terms)> findSmaller);
  /// By each fact that takes a leading product away.
  void forEachReduction(Terms terms, llvm::ArrayRef<Expr> facts, llvm::function_ref<void(Poly &rest)> visit);
  /// The goal, where it is found by multiplying quotients by their common divisor.
  int64_t multiplyByDivisor(Terms terms, int64_t goal);
  /// The goal, where it is found by taking one quotient by a size for what it is compared with.
  int64_t compareDivisors(Terms terms, int64_t goal);
  int64_t compareQuotients(Terms terms, int64_t goal);
  void addNestedQuotients(Terms terms, llvm::SmallVectorImpl<Expr> &facts);
  /// Monomials of whose terms it is known already that they have no least value.
  llvm::SmallVector<const Monomial *, 8> getUnbounded(Terms terms);

  /// -1, 0, 1 where the terms are known to be <= 0, of unknown sign, >= 0.
  int getSign(Terms terms, unsigned level);
  static int64_t scaleGoal(int64_t goal, int64_t factor);
  static int64_t ceilDivBound(int64_t bound, int64_t divisor);
  /// Lower bound of coefficient * value + scale * rest, divided by scale.
  int64_t getReplaced(const LinearSplit &split, Terms value, int64_t scale, int64_t goal, unsigned level);
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_BOUNDSEARCH_H
