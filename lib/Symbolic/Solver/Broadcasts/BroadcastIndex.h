//===- Broadcasts among many facts --------------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_BROADCASTINDEX_H
#define DYN_LIB_SYMBOLIC_BROADCASTINDEX_H

#include "Solver/Broadcasts/BroadcastFacts.h"
#include "Solver/PagedTable.h"

namespace dyn::symbolic {

class BroadcastIndex {
public:
  void add(SymbolicContext::Impl &context, const Predicate &fact);
  /// Of the facts that hang together with a question, as far as they are not too many: then those at some distance are
  /// left out, all or none, so that it does not matter in which order they came.
  Verdict decide(SymbolicContext::Impl &context, const Predicate &question, BroadcastFacts::GetOwn getOwn);
  /// To be called when a declaration says more of a symbol.
  void forget() { last = {}; }

private:
  struct Fact {
    std::vector<BroadcastFacts::Statement> statements;
    llvm::SmallVector<const Atom *, 4> symbols;
  };
  std::vector<unsigned> findNear(llvm::ArrayRef<Expr> asked) const;

  PagedList<std::shared_ptr<const Fact>> facts;
  PagedMap<const Atom *, llvm::SmallVector<unsigned, 2>> users;
  bool hasBroadcasts = false;
  /// Facts that the last question was asked of, and what they say.
  std::pair<std::vector<unsigned>, std::shared_ptr<const BroadcastFacts>> last;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_BROADCASTINDEX_H
