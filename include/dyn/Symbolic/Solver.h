//===- Facts in, verdicts with reasons out ----------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SYMBOLIC_SOLVER_H
#define DYN_SYMBOLIC_SOLVER_H

#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"

namespace dyn::symbolic {

/// Why a fact holds. `text` is for people ("matmul: contraction"); `where` names the place, as the client writes it
/// ("model.onnx:/l0/MatMul"); `client` is the client's own handle and never read by the engine.
struct Reason {
  std::string text;
  std::string where;
  uint64_t client = 0;
};
using ReasonId = uint32_t;

/// One step of a chain of reasons: the fact, and why it holds.
struct ExplainStep {
  std::string fact;
  Reason reason;
  /// It follows from the steps since the derived ones before it and from those, and stands for all of them: with the
  /// steps after it, it suffices. Its reason says so and has no place.
  bool isDerived = false;
};

/// Two facts that cannot both hold, with the chain that led there; the last step is the fact that was refused.
struct Conflict {
  std::string message;
  std::vector<ExplainStep> chain;
};

/// Symbol preference when one of two must go: a symbol of a lower class is expressed by one of a higher class.
enum class SymbolClass : uint8_t {
  Internal,      ///< made by inference, no user ever named it
  DataDependent, ///< bound by an op; an earlier one is never expressed by a later one
  Declared,      ///< named by the user or the model; earlier declared wins
};

/// Learns facts about sizes and answers questions three-valued. The order of facts and the names of symbols matter
/// among many facts only, where effort ends: a yes or no may become unknown, never the opposite. Questions have no
/// influence on later answers. Every learnt fact keeps its reasons. Learning a fact never forgets another.
class Solver {
public:
  explicit Solver(SymbolicContext &context);
  ~Solver();
  Solver(Solver &&);
  Solver &operator=(Solver &&);

  SymbolicContext &getContext() const;

  /// A solver that knows the same, for facts that hold in a branch of control flow only. Neither learns from the other.
  Solver fork() const;

  ReasonId addReason(Reason reason);
  const Reason &getReason(ReasonId id) const;
  size_t getReasonCount() const;

  /// Declares a symbol. A symbol that is used without declaration is Internal with range [0, ?].
  /// False if the facts contradict each other or what is known; see getConflict().
  bool declare(Expr symbol, const SymbolFacts &facts, SymbolClass symbolClass, ReasonId reason);
  SymbolFacts getFacts(Expr symbol) const;

  /// Learn a fact. False on contradiction: the fact is not added, getConflict() tells why.
  bool addEqual(Expr lhs, Expr rhs, ReasonId reason);
  bool addLessEqual(Expr lhs, Expr rhs, ReasonId reason);
  bool addPredicate(const Predicate &predicate, ReasonId reason);
  const std::optional<Conflict> &getConflict() const;

  /// The normal form under all facts: substitutions applied, `max(S, 0)` with S >= 0 folded, and so on.
  Expr simplify(Expr expr);

  Verdict isEqual(Expr lhs, Expr rhs);
  Verdict isLessEqual(Expr lhs, Expr rhs);
  Verdict isLess(Expr lhs, Expr rhs);
  Verdict isZero(Expr expr);
  Verdict isOne(Expr expr);
  /// Is `expr` a multiple of `divisor`?
  Verdict isDivisible(Expr expr, int64_t divisor);
  /// Do the sizes broadcast, that is, are they equal or is one of them 1?
  Verdict isBroadcastable(Expr lhs, Expr rhs);
  Verdict implies(const Predicate &predicate);
  /// May a hypothesis, such as equal sample sizes, take the two for one? Not where a fact says otherwise, nor for a
  /// symbol that is declared unique.
  bool mayAssumeEqual(Expr lhs, Expr rhs);
  /// Tightest range that the engine can prove.
  Range getRange(Expr expr);
  /// Is the lower end of that range at least `bound`? Bounds that are far from tight, as most of those that memory
  /// planning asks for, are proved for much less than the range, or an order, takes.
  bool hasLowerBound(Expr expr, int64_t bound);
  /// (modulus, remainder) with expr mod modulus == remainder; (0, c) for a constant c.
  std::pair<int64_t, int64_t> getCongruence(Expr expr);

  /// The shortest chain the engine has for an answer that it gave as yes or no; empty where the answer is unknown or
  /// needs no fact (ring arithmetic).
  std::vector<ExplainStep> explain(const Predicate &predicate);

  /// A subset of `guards` that, with the other facts, implies all of them and that those which it lacks have values;
  /// indices in ascending order. Guards that the facts imply are dropped; among equivalent ones the earliest stays.
  /// `Thorough` tries each part of a guard that is a disjunction as a fact, too, to drop what is more than a comparison
  /// of sums.
  enum class Minimization : uint8_t { Fast, Thorough };
  llvm::SmallVector<unsigned> minimizeGuards(llvm::ArrayRef<Predicate> guards,
                                             Minimization effort = Minimization::Fast);

  struct Impl;

private:
  friend class SignSearch;
  explicit Solver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace dyn::symbolic

#endif // DYN_SYMBOLIC_SOLVER_H
