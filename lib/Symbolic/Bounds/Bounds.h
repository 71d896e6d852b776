//===- Proving bounds of polynomials --------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A bound is found by eliminating one atom after another, the most deeply nested
// first:
//   q * floordiv(P, q) lies in [P - q + 1, P]          (relational elimination)
//   max(x, y) >= x, and it is one of x, y              (case split)
//   C*v + R with C >= 0 is least where v is least      (monotonicity)
// or any atom is replaced by its own interval. The search is cut by the number of
// steps, which depends on the question and the facts only, so answers are the same
// whatever was asked before. Bounds that leave 64 bits widen to infinity.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_BOUNDS_H
#define DYN_LIB_SYMBOLIC_BOUNDS_H

#include "Bounds/Samples.h"
#include "Bounds/SharedMemo.h"
#include "Expressions/Polynomial.h"

namespace dyn::symbolic {

/// A closed interval; the smallest and largest 64-bit values stand for infinity. A finite end that is as large is told
/// as the number before it, which is weaker and therefore right: see `withFiniteEnds`.
struct Interval {
  static constexpr int64_t minusInfinity = INT64_MIN, plusInfinity = INT64_MAX;
  int64_t lower = minusInfinity, upper = plusInfinity;

  bool hasLower() const { return lower != minusInfinity; }
  bool hasUpper() const { return upper != plusInfinity; }
  bool isEmpty() const { return lower > upper; }
  bool isSingleton() const { return lower == upper; }
  bool hasAtMost(int64_t values) const {
    int64_t last;
    return hasLower() && hasUpper() && (__builtin_add_overflow(lower, values - 1, &last) || upper <= last);
  }
  bool contains(int64_t value) const { return lower <= value && value <= upper; }
  bool operator==(const Interval &other) const { return lower == other.lower && upper == other.upper; }
};

/// Of numbers, where no upper end is the smallest 64-bit value and no lower one the largest.
Interval withFiniteEnds(Interval numbers);
Interval add(Interval lhs, Interval rhs);
Interval multiply(Interval lhs, Interval rhs);
Interval power(Interval base, unsigned exponent);
/// Of the quotients rounded down, over all divisors but 0.
Interval floorDiv(Interval lhs, Interval rhs);
Interval intersect(Interval lhs, Interval rhs);
Interval join(Interval lhs, Interval rhs);

/// What a prover may assume.
class BoundFacts {
public:
  virtual ~BoundFacts() = default;
  virtual Interval getSymbolRange(const Atom *symbol) const = 0;
  /// Polynomials that are known to be at least 0: all that share symbols with the terms, and perhaps others. May be
  /// kept in `found`.
  virtual llvm::ArrayRef<Expr> getInequalities(Terms terms, llvm::SmallVectorImpl<Expr> &found) const = 0;
  /// Of an atom that is no symbol; nothing where it is to be found by those of its operands.
  virtual std::optional<Interval> getKnownRange(const Atom *) const { return std::nullopt; }
  /// A factor of the monomial that is known to be a multiple of the divisor; null where there is none.
  virtual const Monomial *findMultiple(const Monomial *, Expr) const { return nullptr; }
};

class BoundProver {
public:
  /// Without facts, a symbol is any integer.
  BoundProver(SymbolicContext::Impl &context, const BoundFacts *facts) : context(context), facts(facts) {}

  Interval getRange(Terms terms, bool usesInequalities = true);
  Interval getRange(Expr expr) { return getRange(getTerms(expr)); }
  /// floordiv(terms + offset, divisor), where bounds show that it is one number.
  std::optional<int64_t> getOnlyQuotient(Terms terms, int64_t offset, int64_t divisor);
  Interval getAtomRange(const Atom *atom);
  /// Nothing where it would have to be found first.
  std::optional<Interval> lookUpRange(const Atom *atom) const;

  /// Is terms >= bound everywhere? False means: not proved.
  bool isAtLeast(Terms terms, int64_t bound);
  bool isAtMost(Terms terms, int64_t bound);
  bool isAtLeast(Expr expr, int64_t bound) { return isAtLeast(getTerms(expr), bound); }
  bool isAtMost(Expr expr, int64_t bound) { return isAtMost(getTerms(expr), bound); }
  /// A lower and an upper bound of terms. The search for one ends where it has reached the goal; one that is out of
  /// reach is looked for with all effort.
  int64_t getLowerUpTo(Terms terms, int64_t goal);
  int64_t getUpperDownTo(Terms terms, int64_t goal);
  /// Is it never zero?
  bool isNonZero(Terms terms);
  bool isNonZero(Expr expr) { return isNonZero(getTerms(expr)); }
  const Monomial *findMultiple(const Monomial *monomial, Expr divisor) const {
    return facts ? facts->findMultiple(monomial, divisor) : nullptr;
  }

  /// Forgets all results.
  void forget() { atomRanges.forget(); }
  /// To be called when the range of a symbol has changed. The range of an atom depends on no other facts.
  void forgetRangesWith(const Atom *symbol) {
    atomRanges.forgetIf(
        [&](const Atom *atom, const AtomRange &) { return (atom->symbolMask & symbol->symbolMask) != 0; });
  }
  /// Forgets what effort did not suffice for.
  void forgetCutRanges() {
    if (hasCutRanges)
      atomRanges.forgetIf([](const Atom *, const AtomRange &known) { return known.isCut; });
    hasCutRanges = false;
  }
  /// To be called when another prover has the same facts.
  void share(const BoundProver &other) {
    atomRanges = other.atomRanges;
    hasCutRanges = other.hasCutRanges;
  }

private:
  struct Search;

  int64_t getLower(Terms terms, bool usesInequalities);
  int64_t getUpper(Terms terms, bool usesInequalities);

  SymbolicContext::Impl &context;
  const BoundFacts *facts;
  struct AtomRange {
    Interval range;
    bool isCut; ///< effort ended before
  };
  bool hasCutRanges = false; ///< there may be such
  SharedMemo<const Atom *, AtomRange> atomRanges;
  Samples samples; ///< without facts, when every point counts
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_BOUNDS_H
