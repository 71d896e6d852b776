//===- Chains of reasons ------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A chain is a smallest set of given facts that still leads to the answer, found
// by leaving facts out and asking again. That costs a few dozen runs over the facts
// concerned, and is paid only by those who ask why; in return no derived fact has to
// carry its history, and every chain is complete and has nothing superfluous.
//
//===----------------------------------------------------------------------===//

#include "Solver/SolverImpl.h"
#include "dyn/Symbolic/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

std::string Solver::Impl::Entry::str() const {
  if (!symbol)
    return predicate.str();
  SymbolDeclaration declaration;
  declaration.name = symbol.getSymbolName().str();
  declaration.facts = facts;
  declaration.facts.likely.clear();
  declaration.facts.hint.reset();
  return printSymbolDeclarations(declaration);
}

llvm::SmallVector<Expr, 4> Solver::Impl::Entry::getSymbols() const {
  return symbol ? llvm::SmallVector<Expr, 4>{symbol} : predicate.getSymbols();
}

std::vector<const Solver::Impl::Entry *> Solver::Impl::getRelevant(llvm::ArrayRef<Expr> symbols) {
  llvm::SmallPtrSet<const ExprNode *, 16> reached;
  for (Expr symbol : symbols)
    reached.insert(symbol.getNode());
  std::vector<bool> taken(log.size());
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < log.size(); ++i) {
      if (taken[i])
        continue;
      llvm::SmallVector<Expr, 4> mentioned = log[i].getSymbols();
      if (!llvm::any_of(mentioned, [&](Expr symbol) { return reached.contains(symbol.getNode()); }))
        continue;
      for (Expr symbol : mentioned)
        reached.insert(symbol.getNode());
      taken[i] = grown = true;
    }
  }
  std::vector<const Entry *> relevant;
  for (size_t i = 0; i < log.size(); ++i)
    if (taken[i])
      relevant.push_back(&log[i]);
  return relevant;
}

std::vector<const Solver::Impl::Entry *> Solver::Impl::findCore(llvm::ArrayRef<const Entry *> candidates,
                                                                llvm::function_ref<bool(FactStore &)> fails) {
  auto suffices = [&](llvm::ArrayRef<const Entry *> entries) {
    FactStore attempt(context.getImpl());
    for (const Entry *entry : entries)
      if (!apply(attempt, *entry))
        return true;
    ask();
    return fails(attempt);
  };
  std::vector<const Entry *> core(candidates.begin(), candidates.end());
  if (!suffices(core))
    return core;
  // Leave out runs of entries, from half of them down to single ones.
  for (size_t run = std::max<size_t>(core.size() / 2, 1);; run /= 2) {
    for (size_t begin = 0; begin < core.size();) {
      std::vector<const Entry *> fewer(core.begin(), core.begin() + begin);
      fewer.insert(fewer.end(), core.begin() + std::min(begin + run, core.size()), core.end());
      if (suffices(fewer))
        core = std::move(fewer);
      else
        begin += run;
    }
    if (run <= 1)
      return core;
  }
}

Conflict Solver::Impl::explainConflict(const Entry &refused) {
  Conflict result;
  std::vector<const Entry *> core =
      findCore(getRelevant(refused.getSymbols()), [&](FactStore &store) { return !apply(store, refused); });
  for (const Entry *entry : core)
    result.chain.push_back(getStep(*entry));
  result.chain.push_back(getStep(refused));
  result.message = "'" + refused.str() + "' cannot hold";
  // Where both sides of an equation are known, the values say most.
  if (!refused.symbol && refused.predicate.kind == Predicate::Kind::Equal) {
    FactStore known(context.getImpl());
    for (const Entry &entry : log)
      apply(known, entry);
    Expr lhs = known.getOuter(refused.predicate.lhs), rhs = known.getOuter(refused.predicate.rhs);
    if (!lhs || !rhs)
      return result;
    result.message = refused.predicate.lhs.str() + " and " + refused.predicate.rhs.str() + " cannot be equal";
    if (lhs != refused.predicate.lhs || rhs != refused.predicate.rhs)
      result.message += ": " + lhs.str() + " vs " + rhs.str();
  }
  return result;
}

std::vector<ExplainStep> Solver::explain(const Predicate &predicate) {
  Verdict verdict = implies(predicate);
  if (verdict == Verdict::Unknown)
    return {};
  std::vector<ExplainStep> chain;
  std::vector<const Impl::Entry *> core =
      impl->findCore(impl->getRelevant(predicate.getSymbols()),
                     [&](FactStore &store) { return decideWithSplits(store, predicate) == verdict; });
  for (const Impl::Entry *entry : core)
    chain.push_back(impl->getStep(*entry));
  return chain;
}
