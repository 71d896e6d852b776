//===- Predicates over expressions ------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_PREDICATE_H
#define DYN_SYMBOLIC_PREDICATE_H

#include "dyn/Symbolic/Expr.h"
#include <vector>

namespace dyn::symbolic {

/// A formula over expressions: comparisons joined by `and`, `or`, `not`. `x in (a, b)`, chained comparisons and
/// `bc_ok(a, b)` are read as what they abbreviate.
struct Predicate {
  enum class Kind : uint8_t { True, False, Equal, NotEqual, LessEqual, Less, And, Or, Not };
  Kind kind = Kind::True;
  Expr lhs, rhs;                   ///< of a comparison; `>=` and `>` are stored with sides swapped
  std::vector<Predicate> operands; ///< of And, Or, Not

  static Predicate equal(Expr lhs, Expr rhs) { return {Kind::Equal, lhs, rhs, {}}; }
  static Predicate notEqual(Expr lhs, Expr rhs) { return {Kind::NotEqual, lhs, rhs, {}}; }
  static Predicate lessEqual(Expr lhs, Expr rhs) { return {Kind::LessEqual, lhs, rhs, {}}; }
  static Predicate less(Expr lhs, Expr rhs) { return {Kind::Less, lhs, rhs, {}}; }
  static Predicate conjunction(std::vector<Predicate> operands) { return {Kind::And, {}, {}, std::move(operands)}; }
  static Predicate disjunction(std::vector<Predicate> operands) { return {Kind::Or, {}, {}, std::move(operands)}; }
  static Predicate negation(Predicate operand) { return {Kind::Not, {}, {}, {std::move(operand)}}; }
  /// `lhs == rhs or lhs == 1 or rhs == 1`.
  static Predicate broadcastable(Expr lhs, Expr rhs);

  bool operator==(const Predicate &other) const;
  /// Distinct symbols, in the order of their declaration.
  llvm::SmallVector<Expr, 4> getSymbols() const;
  void print(llvm::raw_ostream &os, Syntax syntax = Syntax::Dyn) const;
  std::string str(Syntax syntax = Syntax::Dyn) const;
};

/// Does each comparison have both of its sides? What left 64 bits has none, and says nothing: two of these are not
/// equal.
bool isComplete(const Predicate &predicate);

Predicate substitute(const Predicate &predicate, const Substitution &substitution);

/// Truth at a point; nothing where an expression has no value there.
std::optional<bool> evaluate(const Predicate &predicate,
                             llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf);

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_PREDICATE_H
