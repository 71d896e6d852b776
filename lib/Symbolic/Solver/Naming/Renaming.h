//===- Expressions under other names ------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_RENAMING_H
#define DYN_LIB_SYMBOLIC_RENAMING_H

#include "Expressions/Builder.h"
#include "Solver/PagedTable.h"
#include "dyn/Symbolic/Predicate.h"
#include "llvm/ADT/DenseSet.h"

namespace dyn::symbolic {

/// Builds expressions of one context in another one, where their symbols have other names or stand for expressions.
class Renaming {
public:
  /// `areCanonical` says that what is given was built without facts, and stands for names only.
  explicit Renaming(SymbolicContext::Impl &into, bool areCanonical = false) : into(&into), areCanonical(areCanonical) {}

  /// What stands for a symbol, which has no name here yet. Expressions that mention it are to be built afterwards.
  void add(const Atom *symbol, Expr there) { symbols[symbol] = there; }
  /// To be called before a symbol gets another name.
  void forget() {
    atoms.clear();
    exprs.clear();
    alike.clear();
  }
  /// Null for a symbol without a name here.
  Expr find(const Atom *symbol) const { return symbols.lookup(symbol); }

  /// Null where a symbol has no name here, and where the other form does not fit into 64 bits.
  Expr operator()(Expr expr);
  Predicate operator()(const Predicate &predicate);

private:
  Expr rename(const Atom *atom);
  Expr buildAlike(const Atom *atom, llvm::MutableArrayRef<Expr> operands);

  SymbolicContext::Impl *into;
  bool areCanonical;
  PagedMap<const Atom *, Expr> symbols;
  // What was built.
  LeftBehind<llvm::DenseMap<const Atom *, Expr>> atoms;
  LeftBehind<llvm::DenseMap<Expr, Expr>> exprs;
  LeftBehind<llvm::DenseSet<Expr>> alike; ///< those of which each term became a term
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_RENAMING_H
