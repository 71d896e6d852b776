//===- Chains of reasons ------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/MissingValues.h"
#include "Solver/Reasons/ReasonChain.h"
#include "dyn/Symbolic/Parser.h"

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

Predicate Solver::Impl::Entry::getPredicate() const {
  if (!symbol)
    return predicate;
  std::vector<Predicate> parts;
  appendPredicates(symbol.getContext(), symbol, facts, parts);
  return Predicate::conjunction(std::move(parts));
}

std::vector<ExplainStep> Solver::Impl::getSteps(llvm::ArrayRef<DifferenceGraph::FactId> facts) const {
  std::vector<ExplainStep> steps;
  for (DifferenceGraph::FactId fact : facts)
    steps.push_back(getStep(log[fact]));
  return steps;
}

Conflict Solver::Impl::explain(const Refusal &refusal) {
  const Entry &refused = refusal.entry;
  Conflict result;
  auto isRefused = [&](FactStore &store) { return !apply(store, refused); };
  ReasonChain chain(*this, refusal.known, refused.getSymbols(), ReasonChain::Refusal, isRefused);
  auto isRefusedAnew = [&](Solver::Impl &other) { return !other.add(refused); };
  if (chain.isFound() && chain.suffices(isRefusedAnew, chain.getFacts()))
    result.chain = chain.getSteps();
  else if (!refusal.walk.empty())
    result.chain = getSteps(refusal.walk);
  else
    result.chain = ReasonChain(*this, refusal.known, refused.getSymbols(), isRefusedAnew).getSteps();
  result.chain.push_back(getStep(refused));
  result.message = "'" + refused.str() + "' cannot hold";
  const Predicate &predicate = refused.predicate;
  llvm::SmallVector<Expr, 4> divisors = getDivisors(predicate);
  if (predicate.kind != Predicate::Kind::Equal && divisors.empty())
    return result;
  FactStore known(context.getImpl());
  for (bool areDeclarations : {true, false})
    for (size_t i = 0; i < refusal.known; ++i)
      if (static_cast<bool>(log[i].symbol) == areDeclarations)
        apply(known, log[i]);
  for (Expr divisor : divisors)
    if (Expr inner = known.getInner(divisor); inner && inner.isConstant(0)) {
      result.message = "'" + refused.str() + "' divides by " + divisor.str() + ", which is 0";
      return result;
    }
  // Where both sides of an equation are known, the values say most.
  Expr lhs = predicate.lhs ? known.getOuter(predicate.lhs) : Expr();
  Expr rhs = predicate.rhs ? known.getOuter(predicate.rhs) : Expr();
  if (predicate.kind != Predicate::Kind::Equal || !lhs || !rhs)
    return result;
  result.message = predicate.lhs.str() + " and " + predicate.rhs.str() + " cannot be equal";
  if (lhs != predicate.lhs || rhs != predicate.rhs)
    result.message += ": " + lhs.str() + " vs " + rhs.str();
  return result;
}

std::vector<ExplainStep> Solver::explain(const Predicate &predicate) {
  Verdict verdict = implies(predicate);
  if (verdict == Verdict::Unknown)
    return {};
  auto isDecided = [&](FactStore &store) {
    return decideWithSplits(store, predicate) == verdict && isTrueWithoutValues(store, predicate, verdict);
  };
  auto isAnswered = [&](Solver::Impl &other) { return other.decide(predicate) == verdict; };
  auto findWalk = [&]() -> std::optional<std::vector<ExplainStep>> {
    llvm::SmallVector<DifferenceGraph::FactId> walk;
    if (impl->differences.decide(predicate, &walk) != verdict || walk.empty())
      return std::nullopt;
    ReasonChain along(*impl, predicate.getSymbols(), isAnswered, walk);
    return along.isFound() ? std::optional(along.getSteps()) : std::nullopt;
  };
  // Among many facts a walk has few steps, and leaving facts out of all of them would take long.
  if (!impl->named.areFew())
    if (auto steps = findWalk())
      return *steps;
  ReasonChain chain(*impl, impl->log.size(), predicate.getSymbols(), ReasonChain::Answer, isDecided);
  if (chain.isFound() && chain.suffices(isAnswered, chain.getFacts()))
    return chain.getSteps();
  if (auto steps = findWalk())
    return *steps;
  ReasonChain anew(*impl, predicate.getSymbols(), isAnswered);
  return anew.isFound() ? anew.getSteps() : chain.getSteps();
}
