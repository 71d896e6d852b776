//===- Broadcasts among many facts ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Broadcasts/BroadcastIndex.h"
#include "Solver/SortedFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

/// Facts that a question is asked of, and how long sums and alternatives may be that say something of two terms.
static constexpr size_t maximalFacts = 512, maximalTerms = 4, maximalAlternatives = 4;

static const Atom *getSymbolAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }

static bool isComparisonOfFew(const Predicate &part) {
  auto isShort = [](Expr side) { return side && getTerms(side).size() <= maximalTerms; };
  return part.operands.empty() && isShort(part.lhs) && isShort(part.rhs);
}

void BroadcastIndex::add(const Predicate &predicate) {
  Fact fact;
  for (const Predicate &part : SortedFacts::getParts(predicate)) {
    bool isClause = !part.operands.empty() && part.operands.size() <= maximalAlternatives &&
                    llvm::all_of(part.operands, isComparisonOfFew);
    if (!isClause && !isComparisonOfFew(part))
      continue;
    hasBroadcasts |= isClause || hasAtom(part.lhs, AtomKind::Bcast);
    fact.parts.push_back(part);
    for (Expr symbol : part.getSymbols())
      if (const Atom *atom = getSymbolAtom(symbol); !llvm::is_contained(fact.symbols, atom))
        fact.symbols.push_back(atom);
  }
  if (fact.parts.empty())
    return;
  for (const Atom *symbol : fact.symbols)
    users[symbol].push_back(facts.size());
  facts.push_back(std::make_shared<const Fact>(std::move(fact)));
  forget();
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
    auto known = std::make_shared<BroadcastFacts>(context);
    for (unsigned place : near)
      for (const Predicate &part : facts[place]->parts)
        known->add(part, getOwn);
    known->finish();
    last = {std::move(near), std::move(known)};
  }
  return last.second->decide(question, getOwn);
}
