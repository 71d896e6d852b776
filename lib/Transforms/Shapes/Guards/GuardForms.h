//===- Ways to write a guard ---------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What says the same at every point where it has a value, whatever the facts are.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_TRANSFORMS_SHAPES_GUARDFORMS_H
#define DYN_LIB_TRANSFORMS_SHAPES_GUARDFORMS_H

#include "dyn/Symbolic/Solver.h"

namespace dyn {

/// The expression of a tree, whose operands are built by another function.
symbolic::Expr buildExpr(const symbolic::ExprTree &tree, symbolic::SymbolicContext &context,
                         llvm::function_ref<symbolic::Expr(const symbolic::ExprTree &)> build);

symbolic::Expr buildExpr(const symbolic::ExprTree &tree, symbolic::SymbolicContext &context);

/// What has to hold for all sides of its comparisons to have values.
std::vector<symbolic::Predicate> getObligations(const symbolic::Predicate &guard);

/// Do the facts and one predicate imply all of some? One of which 64 bits leave nothing is not implied.
bool implyAll(const symbolic::Solver &facts, const symbolic::Predicate &premise,
              llvm::ArrayRef<symbolic::Predicate> conclusions);

/// Where the facts and the other form hold, does the guard have a value?
bool hasValueWhere(const symbolic::Predicate &guard, const symbolic::Predicate &form, const symbolic::Solver &facts);

/// The same without terms that stand on both sides of a comparison: `past + seq <= total` for
/// `batch*total + past + seq - total <= batch*total`.
symbolic::Predicate cancelTerms(symbolic::Predicate predicate);

/// Are they the same but for terms that stand on both sides of comparisons? Of those, the engine sees the differences
/// of the sides only, so that it need not be asked.
bool haveSameDifferences(const symbolic::Predicate &guard, const symbolic::Predicate &other);

/// What may say the same: `a <= b` and `a <= c` for `a <= min(b, c)`, `a <= c` and `a <= a` for `min(a, c) == a`, `1 <=
/// b` for `1 <= b*c + b`, `c == 1` and `b == 0 or c == 1` for `b*c == b`.
std::vector<symbolic::Predicate> getParts(const symbolic::Predicate &guard);

/// An equation with an exact quotient among the factors of its terms, multiplied by the divisor, without factors of all
/// terms that the facts say are positive: the same where the quotient has a value. Nothing where there is none.
std::optional<symbolic::Predicate> multiplyOut(const symbolic::Predicate &guard, symbolic::Solver &facts);
/// Is a symbol a factor of all terms of an equation?
bool hasFactor(const symbolic::Predicate &guard);

/// `n == 12` for `12 == n`.
symbolic::Predicate putNumbersLast(symbolic::Predicate guard);

/// `bcast(m, s) == s` says `m == s or m == 1`, of which nobody has to know what a broadcast is.
symbolic::Predicate spellBroadcast(const symbolic::Predicate &guard);

/// The same without numbers, rounding and parts that decide nothing: `n <= 64` for `max(n, 0) <= 64`, `1 <= b` for `1
/// <= 3*b`, `1 <= h` for `1 <= h ceildiv 8`, `1 <= h or (1 <= b and 1 <= w)` for `1 <= h or (1 <= b and (1 <= w or 1 <=
/// h))`.
symbolic::Predicate dropIdle(const symbolic::Predicate &guard);

} // namespace dyn

#endif // DYN_LIB_TRANSFORMS_SHAPES_GUARDFORMS_H
