//===- Orders of sizes along any number of facts ---------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Solving makes long sequences of facts hard to see: `s1 == max(s0, t0)`,
// `s2 == max(s1, t1)` and so on become one maximum of all. As they were given, each
// of them bounds the difference of two terms from below, and a walk from one term to
// another adds up as many as there are. Which facts came first makes no difference to
// a walk, nor what symbols are called, and its steps are the reasons of what it finds.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_DIFFERENCEGRAPH_H
#define DYN_LIB_SYMBOLIC_DIFFERENCEGRAPH_H

#include "Bounds/Bounds.h"
#include "Expressions/Builder.h"
#include "Solver/PagedTable.h"
#include "dyn/Symbolic/Facts.h"
#include "dyn/Symbolic/Predicate.h"
#include "dyn/Symbolic/Solver.h"
#include <map>

namespace dyn::symbolic {

class DifferenceGraph : private BoundFacts {
public:
  /// Whatever tells the facts apart.
  using FactId = unsigned;

  explicit DifferenceGraph(SymbolicContext::Impl &context)
      : context(context), prover(context, this), builder(context) {}
  DifferenceGraph(const DifferenceGraph &other);

  void declare(const Atom *symbol, const SymbolFacts &facts, FactId fact);
  void add(const Predicate &fact, FactId id);

  /// Unknown where walks do not tell. `used` gets the facts that the verdict rests on, in their order.
  Verdict decide(const Predicate &question, llvm::SmallVectorImpl<FactId> *used = nullptr);
  /// Does it contradict the facts? The same for `used`.
  bool refutes(const Predicate &predicate, llvm::SmallVectorImpl<FactId> *used = nullptr);

  /// As far as walks tell.
  Interval getBounds(Expr expr);

private:
  static constexpr FactId noFact = UINT_MAX;
  /// Edges that a walk may look at for a question.
  static constexpr unsigned looksOfQuestion = 4000;
  /// The largest factor by which a sum with both terms has a part factor * (x - y). None where the terms do not have
  /// these signs.
  static std::optional<int64_t> getCommonFactor(const Term &upper, const Term &lower);
  static Poly getPartialDifference(const Monomial *upper, const Monomial *lower, int64_t factor);
  /// factor * (upper - lower) >= least + slack. What a fact leaves for the slack is put together when an edge is
  /// walked, which most are not.
  struct Edge {
    unsigned lower = 0, upper = 0;
    int64_t least = 0, factor = 1;
    Expr given; ///< what is at least 0; null where the slack is 0
    FactId fact = noFact;
    std::optional<int64_t> difference; ///< as it was when bounds had changed `knownAt` times; nothing for no bound
    unsigned knownAt = UINT_MAX;
    /// The factor that `upper` has and `lower` has not, if that is what the edge is about. Its slack is all of the
    /// difference.
    const Atom *added = nullptr;
  };
  /// An edge and the node where it leads, so that most steps need no look at the edge itself.
  struct Step {
    unsigned edge, node;
    std::optional<int64_t> difference; ///< if it is the same whatever bounds are known
  };
  struct Node {
    const Monomial *monomial = nullptr;
    llvm::SmallVector<Step, 2> up, down; ///< to what is larger, and to what is smaller
    Interval range;                      ///< as it was when bounds had changed `rangeKnownAt` times
    unsigned rangeKnownAt = UINT_MAX;
  };
  struct SymbolBounds {
    Interval range;
    FactId lowerFact = noFact, upperFact = noFact;
  };
  /// How far a node is at least from where a walk starts, and the edge by which it was reached.
  struct Reached {
    int64_t distance;
    unsigned edge, walk = 0; ///< the walk that it was reached by
  };
  enum Direction : bool { Down, Up };
  class Walk;

  MaybePoly getSlack(const Edge &edge) const;

  // BoundFacts
  Interval getSymbolRange(const Atom *symbol) const override;
  std::optional<Interval> getKnownRange(const Atom *atom) const override;
  llvm::ArrayRef<Expr> getInequalities(Terms, llvm::SmallVectorImpl<Expr> &) const override { return {}; }

  // Learning.
  void addNonNegative(Expr expr, FactId fact);
  void addPairs(Expr expr, FactId fact);
  void restrict(const Atom *symbol, Interval range, FactId fact);
  unsigned getNode(const Monomial *monomial);
  void addEdge(const Edge &edge);
  /// The same whatever came first, so that a walk whose effort ends has been to the same nodes.
  bool isBefore(const Step &a, const Step &b) const;
  void insertStep(llvm::SmallVectorImpl<Step> &steps, const Step &step);
  /// What the meaning of an atom says about it and its operands.
  void addMeaning(const Atom *atom);
  void addFactors(const Monomial *product);
  /// Takes in what a node without a symbol has for bounds.
  void limitEnds(const Monomial *monomial);

  // Asking.
  void startQuestion();
  bool ask(const Predicate &predicate, bool truth, llvm::SmallVectorImpl<FactId> *usedFacts);
  bool holds(const Predicate &predicate, bool truth);
  bool isNonNegative(Expr expr);
  bool followsFromPair(Terms terms);
  bool mayFollowFromEnds(Terms terms);
  /// What the best bound that a walk from a node of that range leads to does not pass.
  int64_t getLimitOfEnd(Interval range, Direction direction) const;
  bool followsFromEnds(Terms terms);
  /// Of a sum of terms each of which has a bound where its walk ends.
  std::optional<int64_t> getLeastFromEnds(Terms terms);
  bool isApart(unsigned lower, unsigned upper, int64_t least);
  /// The best bound from below, or from above, that nodes give which a walk reaches.
  std::optional<int64_t> getEnd(const Monomial *monomial, Direction direction);
  std::optional<int64_t> findEnd(const Monomial *monomial, Direction direction);
  std::optional<int64_t> getDifference(unsigned place);
  Interval getNodeRange(unsigned place);
  std::optional<int64_t> getGrowth(const Edge &edge);
  Interval getAtomRange(const Atom *atom);
  void findRanges(Terms terms);
  void forgetRangesWith(const Atom *symbol);
  Interval getRange(Terms terms);
  /// By the ranges of the terms alone.
  Interval getSum(Terms terms);
  void useBounds(Terms terms);

  SymbolicContext::Impl &context;
  BoundProver prover;
  ExprBuilder builder;
  PagedList<Node, 16> nodes;
  PagedList<Edge, 16> edges;
  PagedMap<const Monomial *, unsigned> places;
  PagedMap<const Atom *, SymbolBounds> bounds;
  llvm::DenseMap<const Atom *, Interval> atomRanges; ///< of atoms that are no symbols, as far as they were asked for
  unsigned changes = 0;                              ///< of bounds
  bool hasUpper = false;                             ///< is any symbol known to be at most something?
  // How far from the bounds of nodes walks may lead, unless facts contradict each other: none passes an edge twice.
  // Nodes are symbols, or maxima of symbols and constants, as long as there is a longest walk; once there is none,
  // there is none again.
  int64_t largestLower = 0, smallestUpper = Interval::plusInfinity;
  std::optional<int64_t> longestWalk = 0; ///< nothing where what edges or nodes say depends on other bounds
  std::vector<Expr> meanings;             ///< that are to be added
  std::vector<const Monomial *> products; ///< whose factors are to be added
  // Of walks in each direction: by node, and how many there were.
  std::array<std::vector<Reached>, 2> reached;
  std::array<unsigned, 2> walks = {0, 0};
  // Of the question at hand: where walks led that found nothing more, and how far apart nodes are.
  std::map<std::pair<const Monomial *, Direction>, std::optional<int64_t>> ends;
  struct Gap {
    std::optional<int64_t> distance;
    bool isLargest = false; ///< did a walk go on to its end, or to that of the effort?
  };
  std::map<std::pair<unsigned, unsigned>, Gap> gaps;
  unsigned looks = 0;
  unsigned expansions = 0; ///< of a question, or of a fact
  unsigned questions = 0;
  std::vector<unsigned> chargedTo; ///< by edge: the question that paid last for its difference
  llvm::SmallVectorImpl<FactId> *used = nullptr;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_DIFFERENCEGRAPH_H
