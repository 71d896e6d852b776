//===- Sizes that are equal or 1 ----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Broadcasts as they were told: `r1 == bcast(r0, c0)` says that r0 is 1 or r1, and so
// is c0; `bc_ok(a, b)` that they are equal or one of them is 1. A question is answered
// by assuming its opposite and following what that leads to: classes of terms that are
// equal, each with a range and whether it may be 1. Terms are not looked into, so a row
// of thousands of broadcasts takes one pass: where `r0 != 1`, r1 is r0, then r2 is r1,
// and so on. Where nothing more follows, the terms of the question are 1 or not 1, one
// after another.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_BROADCASTFACTS_H
#define DYN_LIB_SYMBOLIC_BROADCASTFACTS_H

#include "Bounds/Bounds.h"
#include "Expressions/Builder.h"
#include "dyn/Symbolic/Solver.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>

namespace dyn::symbolic {

class BroadcastFacts {
public:
  /// What is known of a term by itself.
  struct Own {
    Interval range{Interval::minusInfinity, Interval::plusInfinity};
    bool isNotOne = false;
  };
  using GetOwn = llvm::function_ref<Own(Expr term)>;

  /// first + offset <= second, or first == second, or first != second.
  struct Comparison {
    enum Kind : uint8_t { Equal, NotEqual, AtMost } kind;
    Expr first, second;
    int64_t offset = 0;
  };
  using Conjunction = llvm::SmallVector<Comparison, 1>;
  /// Alternatives, of which one holds.
  using Statement = llvm::SmallVector<Conjunction, 1>;

  explicit BroadcastFacts(SymbolicContext::Impl &context) : context(context) {}

  /// What a predicate says, in comparisons of terms, as far as it is made of such.
  static std::vector<Statement> getStatements(SymbolicContext::Impl &context, const Predicate &predicate);
  /// Takes in a fact. That it is known of a broadcast does not say that this has a value: a dim may be known to be
  /// `bcast(s, t)` before it is checked that s and t broadcast.
  void add(const Statement &fact, GetOwn getOwn) { add(fact, /*hasValues=*/false, getOwn); }
  void add(const Predicate &fact, GetOwn getOwn) {
    for (const Statement &statement : getStatements(context, fact))
      add(statement, getOwn);
  }
  /// To be called when all are taken in: finds which broadcasts have values.
  void finish();
  /// Was a contradiction found?
  bool isContradictory() const { return state.contradictory; }
  /// Where the broadcasts of the question have values; unknown where nothing broadcasts.
  Verdict decide(const Predicate &question, GetOwn getOwn) const;

private:
  using Node = unsigned;
  struct Class {
    Interval range{Interval::minusInfinity, Interval::plusInfinity};
    bool isNotOne = false;
    llvm::SmallVector<unsigned, 4> users; ///< constraints that mention a node of it
    bool isOne() const { return range.isSingleton() && range.lower == 1; }
    bool isNeverOne() const { return isNotOne || !range.contains(1); }
  };
  struct Literal {
    Comparison::Kind kind;
    Node first, second;
    int64_t offset = 0;
  };
  using Alternative = llvm::SmallVector<Literal, 1>;
  struct Constraint {
    bool isBroadcast = false;
    llvm::SmallVector<Node, 4> nodes;               ///< of a broadcast: the result, then operands
    llvm::SmallVector<Alternative, 1> alternatives; ///< of what is none
  };

  /// Of a broadcast that is sure to have a value, what it says of its operands is taken in.
  Node getNode(Expr term, bool hasValue, GetOwn getOwn);
  void add(const Statement &statement, bool hasValues, GetOwn getOwn);
  void addConstraint(Constraint constraint);
  /// What its value says of its operands, once.
  void addBroadcast(Node node);
  /// Does it follow from what is known that two of them broadcast?
  bool areBroadcastable(Node first, Node second);

  Node find(Node node) const;
  void merge(Node first, Node second);
  void restrict(Node node, Interval range);
  void setNotOne(Node node);
  void setDifferent(Node first, Node second);
  void setOne(Node node) { restrict(node, Interval{1, 1}); }
  void wake(const Class &changed);
  /// Nothing where it may be either.
  std::optional<bool> isTrue(const Literal &literal) const;
  void assertTrue(const Literal &literal);
  void propagateBroadcast(llvm::ArrayRef<Node> nodes);
  void propagateAlternatives(llvm::ArrayRef<Alternative> alternatives);
  /// Follows what is new. Does that contradict itself?
  bool isRefuted();
  bool isOpen(Node node) const { return !getClass(node).isOne() && !getClass(node).isNeverOne(); }
  const Class &getClass(Node node) const { return state.classes[find(node)]; }
  /// The same in every case of nodes that are 1 or not.
  bool isRefutedInCases(llvm::ArrayRef<Node> open, unsigned &cases);
  /// Nodes that cannot but be 1 become so.
  bool isRefutedByProbing();
  bool refutes(llvm::ArrayRef<Statement> statements, GetOwn getOwn) const;
  bool refutes(const Predicate &assumption, GetOwn getOwn) const;

  SymbolicContext::Impl &context;
  llvm::DenseMap<Expr, Node> nodes;
  /// A term that is a broadcast.
  struct Broadcast {
    llvm::SmallVector<Node, 4> nodes; ///< the result, then operands
    bool hasValue = false;
  };
  std::vector<std::optional<unsigned>> broadcastOf; ///< by node
  std::vector<Broadcast> broadcasts;
  llvm::DenseSet<std::pair<Node, Node>> broadcastable;        ///< pairs, the smaller node first, that were told to be
  std::vector<std::shared_ptr<const Constraint>> constraints; ///< shared by copies
  std::vector<unsigned> pending;                              ///< constraints that may lead to more
  bool hasBroadcasts = false;
  /// What was found.
  struct State {
    mutable std::vector<Node> parents;
    std::vector<Class> classes;
    std::vector<std::pair<Node, Node>> different;
    bool contradictory = false;
  } state;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_BROADCASTFACTS_H
