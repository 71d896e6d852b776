//===- Comparisons of values -----------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_COMPARISON_H
#define DYN_LIB_SYMBOLIC_COMPARISON_H

#include "dyn/Symbolic/Predicate.h"
#include "llvm/Support/ErrorHandling.h"

namespace dyn::symbolic {

/// Does a comparison of that kind, which is Equal, NotEqual, LessEqual or Less, hold between two values?
inline bool holdsBetween(Predicate::Kind comparison, int64_t lhs, int64_t rhs) {
  switch (comparison) {
  case Predicate::Kind::Equal:
    return lhs == rhs;
  case Predicate::Kind::NotEqual:
    return lhs != rhs;
  case Predicate::Kind::LessEqual:
    return lhs <= rhs;
  case Predicate::Kind::Less:
    return lhs < rhs;
  default:
    llvm_unreachable("no comparison");
  }
}

inline Verdict negate(Verdict verdict) {
  return verdict == Verdict::Yes ? Verdict::No : verdict == Verdict::No ? Verdict::Yes : verdict;
}

/// The verdict of a predicate that is no comparison, by those of its parts. They are asked until one decides.
template <typename Decide>
Verdict decideByParts(const Predicate &joined, Decide decide) {
  if (joined.kind == Predicate::Kind::Not)
    return negate(decide(joined.operands.front()));
  Verdict deciding = joined.kind == Predicate::Kind::And ? Verdict::No : Verdict::Yes;
  bool areAllKnown = true;
  for (const Predicate &part : joined.operands) {
    Verdict verdict = decide(part);
    if (verdict == deciding)
      return deciding;
    areAllKnown &= verdict != Verdict::Unknown;
  }
  return areAllKnown ? negate(deciding) : Verdict::Unknown;
}

/// Is it few enough parts that each is worth some effort of its own?
inline bool isAskedByParts(const Predicate &predicate) {
  constexpr size_t maximalParts = 2;
  return !predicate.operands.empty() && predicate.operands.size() <= maximalParts;
}

/// Have all sides values, whatever sizes are?
bool isTotal(const Predicate &predicate);

/// The same of other sides. One that there is not is given to `map` too.
Predicate mapSides(const Predicate &predicate, llvm::function_ref<Expr(Expr)> map);

/// `y <= v` for `2*y + x < 2*v + x + 1`: without what both sides share, and with a constant on one of them if it cannot
/// be left out; of sums of products also without terms that are taken away. Nothing where it is that already, and where
/// a side may have no value.
std::optional<Predicate> shorten(const Predicate &comparison);

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_COMPARISON_H
