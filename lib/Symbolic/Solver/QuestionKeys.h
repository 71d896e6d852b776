//===- What questions are the same ---------------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_QUESTIONKEYS_H
#define DYN_LIB_SYMBOLIC_QUESTIONKEYS_H

#include "Expressions/Comparison.h"
#include "dyn/Symbolic/Solver.h"
#include <tuple>

namespace dyn::symbolic {

/// The structure of a predicate as a list of words.
inline void flatten(const Predicate &predicate, llvm::SmallVectorImpl<uintptr_t> &words) {
  words.push_back(static_cast<uintptr_t>(predicate.kind));
  if (predicate.lhs || predicate.rhs) {
    words.push_back(reinterpret_cast<uintptr_t>(predicate.lhs.getNode()));
    words.push_back(reinterpret_cast<uintptr_t>(predicate.rhs.getNode()));
  }
  words.push_back(predicate.operands.size());
  for (const Predicate &operand : predicate.operands)
    flatten(operand, words);
}

inline std::tuple<unsigned, const ExprNode *, const ExprNode *> getComparison(const Predicate &comparison) {
  return {static_cast<unsigned>(comparison.kind), comparison.lhs.getNode(), comparison.rhs.getNode()};
}

/// Comparisons of constants, and of an expression with itself.
inline std::optional<Verdict> decideConstant(Predicate::Kind kind, Expr left, Expr right) {
  if (!left || !right)
    return std::nullopt;
  std::optional<int64_t> lhs = left.getConstant(), rhs = right.getConstant();
  if (left == right)
    lhs = rhs = 0;
  if (!lhs || !rhs)
    return std::nullopt;
  return holdsBetween(kind, *lhs, *rhs) ? Verdict::Yes : Verdict::No;
}

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_QUESTIONKEYS_H
