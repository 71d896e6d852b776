//===- Which facts are near a question -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Solver/Naming/FactIndex.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

FactIndex::Near FactIndex::findNear(llvm::ArrayRef<Expr> asked) const {
  // Some of many facts rarely say more than the nearest of them.
  constexpr size_t factsOfMany = 12, nodesOfMany = 150;
  if (Near near = findNear(asked, SortedFacts::maximalFacts, SortedFacts::maximalNodes); near.isComplete)
    return near;
  return findNear(asked, factsOfMany, nodesOfMany);
}

FactIndex::Near FactIndex::findNear(llvm::ArrayRef<Expr> asked, size_t maximalFacts, size_t maximalNodes) const {
  Near near;
  size_t nodes = 0;
  llvm::SmallPtrSet<const Atom *, 16> reached;
  llvm::SmallVector<const Atom *> frontier;
  auto reach = [&](const Atom *symbol) {
    if (reached.insert(symbol).second)
      frontier.push_back(symbol);
  };
  for (Expr symbol : asked)
    reach(getSymbolAtom(symbol));
  while (!frontier.empty()) {
    llvm::SmallVector<unsigned> candidates;
    for (const Atom *symbol : frontier) {
      const Symbol *known = look(symbol);
      if (!known)
        continue;
      size_t count = 0;
      for (const auto &[key, group] : known->facts) {
        count += group.size();
        if (count > maximalFacts) {
          near.isComplete = false;
          break;
        }
        llvm::append_range(candidates, group);
      }
    }
    llvm::sort(candidates);
    candidates.erase(llvm::unique(candidates), candidates.end());
    llvm::erase_if(candidates, [&](unsigned place) { return llvm::is_contained(near.facts, place); });
    for (unsigned place : candidates)
      nodes += facts[place].nodes;
    if (near.facts.size() + candidates.size() > maximalFacts || nodes > maximalNodes) {
      near.isComplete = false;
      // Those that lead to the fewest other symbols first; as many as differ from the ones that are left out.
      using Ranked = std::tuple<size_t, Key, unsigned>;
      std::vector<Ranked> ranked;
      for (unsigned place : candidates) {
        size_t further =
            llvm::count_if(facts[place].symbols, [&](const Atom *symbol) { return !reached.contains(symbol); });
        ranked.emplace_back(further, facts[place].key, place);
      }
      llvm::sort(ranked);
      llvm::transform(ranked, candidates.begin(), [](const Ranked &fact) { return std::get<2>(fact); });
      size_t kept = std::min(candidates.size(), maximalFacts - near.facts.size());
      for (unsigned place : llvm::ArrayRef(candidates).drop_front(kept))
        nodes -= facts[place].nodes;
      for (; kept > 0 && nodes > maximalNodes; --kept)
        nodes -= facts[candidates[kept - 1]].nodes;
      auto isLike = [](const Ranked &a, const Ranked &b) {
        return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
      };
      while (kept > 0 && kept < ranked.size() && isLike(ranked[kept - 1], ranked[kept]))
        --kept;
      candidates.truncate(kept);
      llvm::append_range(near.facts, candidates);
      break;
    }
    llvm::append_range(near.facts, candidates);
    frontier.clear();
    for (unsigned place : candidates)
      llvm::for_each(facts[place].symbols, reach);
  }
  llvm::sort(near.facts);
  return near;
}

std::vector<const Atom *> FactIndex::getDeclared(llvm::ArrayRef<Expr> asked, llvm::ArrayRef<unsigned> places) const {
  std::vector<std::pair<unsigned, const Atom *>> found;
  auto add = [&](const Atom *symbol) {
    if (const Symbol *known = look(symbol); known && known->place)
      found.emplace_back(*known->place, symbol);
  };
  for (Expr symbol : asked)
    add(getSymbolAtom(symbol));
  for (unsigned place : places)
    llvm::for_each(facts[place].symbols, add);
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  auto inOrder = llvm::make_second_range(found);
  return std::vector<const Atom *>(inOrder.begin(), inOrder.end());
}

void FactIndex::tell(NamedFacts &names, llvm::ArrayRef<const Atom *> declared, llvm::ArrayRef<unsigned> places) const {
  for (const Atom *symbol : declared)
    for (const auto &[facts, symbolClass] : look(symbol)->declarations)
      names.declare(symbol, facts, symbolClass);
  for (unsigned place : places)
    names.add(facts[place].predicate);
}
