//===- What follows from linear equations alone --------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Of many facts, most answers rest on the nearest, but equations carry any distance.
// Those that are linear are solved completely, so that what they imply depends neither
// on their order nor on which symbol is solved for. Nothing else may be told to the
// same store: what ranges lead to before the effort of a fact ends does depend on the
// order.
//
// A symbol that they make another symbol, a constant, or a sum of declared symbols is
// contracted to it.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_LINEAREQUATIONS_H
#define DYN_LIB_SYMBOLIC_LINEAREQUATIONS_H

#include "Solver/FactStore.h"
#include "llvm/ADT/SetVector.h"

namespace dyn::symbolic {

class LinearEquations {
public:
  explicit LinearEquations(SymbolicContext::Impl &context) : store(context) { store.keepMostUsed(); }

  void declare(const Atom *symbol, SymbolClass symbolClass);
  /// A part of a fact as `SortedFacts` has it. What is no linear equation is passed over.
  void add(const Predicate &part);

  /// By comparisons whose sides differ by a constant wherever the equations hold.
  Verdict decide(const Predicate &predicate);

  /// In terms of the symbols that are left.
  Expr contract(Expr expr);
  Predicate contract(const Predicate &predicate);
  /// Asks for a symbol to be among those that change when what it is contracted to does, unless that is another symbol.
  void watch(const Atom *symbol);
  /// For a symbol that nobody asks about: where it is a constant apart from a declared symbol, it is contracted to one
  /// as long as what is left of both is, so that it is no change where another symbol is left. False elsewhere.
  bool follow(const Atom *symbol);
  /// Symbols that have got values, and watched ones whose values have changed, since this was last asked.
  std::vector<const Atom *> takeChanged();

private:
  Verdict decideParts(const Predicate &predicate);
  /// In terms of symbols without values; null where there is none.
  Expr getValue(Expr symbol);
  /// Is that value what a symbol is contracted to?
  bool isContracted(Expr value) const;
  Expr getContracted(Expr symbol);
  /// With the symbols that are left in terms of those that stand for them.
  Expr rename(Expr value);
  /// Of a symbol that is removed.
  void changeFollowers(const Atom *removed, std::vector<const Atom *> &changed);
  /// A symbol that is left, and the watched ones with values in terms of it.
  void changeAll(const Atom *left, std::vector<const Atom *> &changed);
  bool isPreferred(const Atom *a, const Atom *b) const;

  FactStore store; ///< in which no symbol has a range
  bool isConsistent = true;
  PagedMap<const Atom *, unsigned> declared;                              ///< places in their order
  PagedMap<const Atom *, llvm::SmallSetVector<const Atom *, 1>> watchers; ///< by symbols in their values
  PagedMap<const Atom *, std::vector<const Atom *>> followers;            ///< by symbols that are left
  /// By a symbol that is left, the one that is preferred of those that are +-x + c. Which one is left goes by the order
  /// of equations where factors do: of s == 2*x + t and x == t, x or t may be.
  PagedMap<const Atom *, const Atom *> stands;
  std::vector<const Atom *> newlyDeclared;
  /// By any other value, the symbol that stands for all that have it.
  PagedMap<Expr, const Atom *> bearers;
  /// By a value but for its constant, the declared symbol that stands for all declared ones.
  PagedMap<Expr, const Atom *> declaredBearers;
  /// By the same, watched symbols that have it, or had it once.
  PagedMap<Expr, llvm::SmallSetVector<const Atom *, 1>> apartByConstant;
  size_t taken = 0; ///< of the symbols with values
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_LINEAREQUATIONS_H
