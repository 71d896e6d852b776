//===- Facts in an order of their own -----------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What a store deduces depends on what it knew when a fact came: which symbol was
// left, which bound was there to cancel by, where effort ended. Facts that are told
// in an order that depends on what they say alone lead to the same store whenever
// they came, however often, and in however many conjunctions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_SORTEDFACTS_H
#define DYN_LIB_SYMBOLIC_SORTEDFACTS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

class SortedFacts {
public:
  /// Each part of a conjunction is a fact; one that is known already is none.
  void add(const Predicate &predicate);
  /// All facts are told again for a question after a new one, which is dear where they are many or large.
  bool areFew() const { return facts.size() <= maximalFacts && nodes <= maximalNodes; }
  /// Is all that it says among them?
  bool includes(const Predicate &predicate) const;
  /// In their order.
  const std::vector<Predicate> &get() const { return facts; }
  /// False on contradiction. The store is to know declarations only.
  bool tell(FactStore &store) const;

  /// Few facts, and the nodes of their expressions together.
  static constexpr size_t maximalFacts = 32, maximalNodes = 1500;
  /// What a predicate says, part by part: differences to 0, joined by disjunctions.
  static std::vector<Predicate> getParts(const Predicate &predicate);
  /// What is solved at once comes before what it makes simpler: ranges and values of a symbol, then equations,
  /// inequalities, disequalities and disjunctions.
  static unsigned getRank(const Predicate &part);
  /// The order: by rank and size, then by structure and names.
  static bool comesBefore(const Predicate &a, const Predicate &b);

private:
  std::vector<Predicate> facts;
  size_t nodes = 0;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_SORTEDFACTS_H
