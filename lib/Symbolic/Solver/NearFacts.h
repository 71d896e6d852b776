//===- What a question is asked of --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_NEARFACTS_H
#define DYN_LIB_SYMBOLIC_NEARFACTS_H

#include "Solver/FactStore.h"

namespace dyn::symbolic {

/// The inner forms of the differences that a predicate compares to 0.
inline void collectDifferences(FactStore &store, const Predicate &predicate, llvm::SmallVectorImpl<Expr> &differences) {
  for (const Predicate &operand : predicate.operands)
    collectDifferences(store, operand, differences);
  if (predicate.lhs && predicate.rhs)
    if (Expr difference = store.getInner(predicate.lhs - predicate.rhs))
      differences.push_back(difference);
}

/// The store, or the part of a large one that has to do with a question.
class NearFacts {
public:
  NearFacts(FactStore &store, Expr inner) : store(store) {
    if (store.isLarge())
      slice.emplace(store.makeSlice(inner));
  }
  NearFacts(FactStore &store, const Predicate &question) : store(store) {
    if (!store.isLarge())
      return;
    llvm::SmallVector<Expr> differences;
    collectDifferences(store, question, differences);
    slice.emplace(store.makeSlice(differences));
  }
  FactStore &get() { return slice ? *slice : store; }

private:
  FactStore &store;
  std::optional<FactStore> slice;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_NEARFACTS_H
