//===- What is linear in a store -----------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_LINEARFACTS_H
#define DYN_LIB_SYMBOLIC_LINEARFACTS_H

#include "Integers/LinearSystem.h"
#include "Solver/FactStore.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dyn::symbolic {

struct Choice;

/// All of it holds.
struct Conjunction {
  struct Literal {
    Expr expr; ///< is 0 or at least 0
    bool isEquation;
    LinearRow row; ///< the same, once all unknowns are known
  };
  std::vector<Literal> literals;
  std::vector<Choice> choices;
};

/// One of the alternatives holds.
struct Choice {
  std::vector<Conjunction> alternatives;
};

/// Collects what is linear in a store.
class LinearFacts {
public:
  explicit LinearFacts(FactStore &store) : store(store), context(store.getContext()), builder(context) {}

  /// False where there is no room, or a side has no inner form.
  bool require(const Predicate &predicate);
  void collect(llvm::ArrayRef<Expr> around);
  /// Nothing was left out, and every unknown is fully described.
  bool isComplete = true;
  /// Gives the facts their rows, once all are there.
  void makeRows() { makeRows(facts); }
  const Conjunction &getFacts() const { return facts; }
  unsigned countUnknowns() const { return unknowns.size(); }

private:
  static constexpr size_t maximalUnknowns = 32, maximalLiterals = 96, maximalExcluded = 4;

  // Unknowns.
  bool reach(Expr expr);
  bool addUnknown(const Monomial *monomial);
  void addRange(const Monomial *monomial);
  void addMeaning(const Monomial *monomial);

  // Facts. False where there is no room.
  bool isReached(Expr expr) const;
  bool isReached(const Predicate &predicate) const;
  bool require(Expr expr, bool isEquation);
  bool exclude(Expr expr);
  bool translate(const Predicate &predicate, bool truth, Conjunction &into, bool isAlternative = false);
  /// Has it a value wherever the facts hold?
  bool isDefined(Expr expr);
  /// Takes back what did not fit.
  bool undoUnless(bool fits, size_t unknownCount, size_t literalCount, size_t choiceCount);

  void collectFacts(llvm::ArrayRef<Expr> around);
  /// Raises what is at least 0 above what is not 0.
  void tightenByExcluded();
  void makeRows(Conjunction &conjunction);

  Expr add(Expr lhs, int64_t constant) { return builder.add(lhs, context.getConstant(constant)); }

  FactStore &store;
  SymbolicContext::Impl &context;
  ExprBuilder builder;
  llvm::SmallVector<const Monomial *> unknowns;
  llvm::SmallDenseMap<const Monomial *, unsigned> columns;
  llvm::SmallPtrSet<const Atom *, 16> symbols;
  uint64_t symbolMask = 0;
  Conjunction facts;
  llvm::SmallPtrSet<const ExprNode *, 8> excluded; ///< what is not 0
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_LINEARFACTS_H
