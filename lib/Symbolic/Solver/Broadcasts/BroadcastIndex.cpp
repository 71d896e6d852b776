//===- Broadcasts among many facts ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Broadcasts/BroadcastIndex.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

/// Facts that a question is asked of, and how long sums and alternatives may be that say something of two terms.
static constexpr size_t maximalFacts = 256, maximalTerms = 4, maximalAlternatives = 4;

void BroadcastIndex::add(SymbolicContext::Impl &context, const Predicate &predicate) {
  Fact fact;
  for (BroadcastFacts::Statement &statement : BroadcastFacts::getStatements(context, predicate)) {
    auto isShort = [](const BroadcastFacts::Comparison &comparison) {
      return getTerms(comparison.first).size() + getTerms(comparison.second).size() <= maximalTerms;
    };
    if (statement.size() > maximalAlternatives ||
        !llvm::all_of(statement, [&](const auto &conjunction) { return llvm::all_of(conjunction, isShort); }))
      continue;
    hasBroadcasts |= statement.size() > 1;
    for (const BroadcastFacts::Conjunction &conjunction : statement)
      for (const BroadcastFacts::Comparison &comparison : conjunction)
        for (Expr side : {comparison.first, comparison.second}) {
          hasBroadcasts |= hasAtom(side, AtomKind::Bcast);
          for (Expr symbol : side.getSymbols())
            if (const Atom *atom = getSymbolAtom(symbol); !llvm::is_contained(fact.symbols, atom))
              fact.symbols.push_back(atom);
        }
    fact.statements.push_back(std::move(statement));
  }
  if (fact.statements.empty())
    return;
  for (const Atom *symbol : fact.symbols)
    users[symbol].push_back(facts.size());
  facts.push_back(std::make_shared<const Fact>(std::move(fact)));
}

std::vector<unsigned> BroadcastIndex::findNear(llvm::ArrayRef<Expr> asked) const {
  std::vector<unsigned> near;
  std::vector<bool> isNear(facts.size(), false);
  llvm::SmallPtrSet<const Atom *, 16> reached;
  llvm::SmallVector<const Atom *> frontier;
  auto reach = [&](const Atom *symbol) {
    if (reached.insert(symbol).second)
      frontier.push_back(symbol);
  };
  for (Expr symbol : asked)
    reach(getSymbolAtom(symbol));
  while (!frontier.empty()) {
    size_t before = near.size();
    for (const Atom *symbol : std::exchange(frontier, {}))
      if (const auto *known = users.find(symbol))
        for (unsigned place : *known)
          if (near.size() <= maximalFacts && !isNear[place]) {
            isNear[place] = true;
            near.push_back(place);
          }
    if (near.size() > maximalFacts) {
      near.resize(before);
      break;
    }
    for (unsigned place : llvm::ArrayRef(near).drop_front(before))
      llvm::for_each(facts[place]->symbols, reach);
  }
  llvm::sort(near);
  return near;
}

Verdict BroadcastIndex::decide(SymbolicContext::Impl &context, const Predicate &question,
                               BroadcastFacts::GetOwn getOwn) {
  if (!hasBroadcasts)
    return Verdict::Unknown;
  std::vector<unsigned> near = findNear(question.getSymbols());
  context.spend(near.size());
  if (!last.second || last.first != near) {
    // New facts are added to those of the last question, where it was asked of no others.
    bool isMore = last.second && llvm::includes(near, last.first);
    auto known = isMore ? std::make_shared<BroadcastFacts>(*last.second) : std::make_shared<BroadcastFacts>(context);
    for (unsigned place : near)
      if (!isMore || !llvm::binary_search(last.first, place))
        for (const BroadcastFacts::Statement &statement : facts[place]->statements)
          known->add(statement, getOwn);
    known->finish();
    last = {std::move(near), std::move(known)};
  }
  return last.second->decide(question, getOwn);
}
