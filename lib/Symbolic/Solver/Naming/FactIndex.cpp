//===- Which facts are the nearest to a question --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/FactIndex.h"
#include "Solver/Naming/SymbolOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

static const Atom *getSymbolAtom(Expr symbol) { return getTerms(symbol)[0].monomial->getAtom(); }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

FactIndex::Key FactIndex::getKey(const Fact &fact) const {
  SymbolColours colours(fact.predicate, [&](const Atom *symbol) -> std::optional<uint64_t> {
    auto found = symbols.find(symbol);
    return found == symbols.end() || !found->second.place ? std::nullopt
                                                          : std::optional<uint64_t>(*found->second.place);
  });
  return {SortedFacts::getRank(fact.predicate), static_cast<unsigned>(fact.symbols.size()), colours.getFingerprint()};
}

void FactIndex::link(unsigned place) {
  facts[place].key = getKey(facts[place]);
  for (const Atom *symbol : facts[place].symbols)
    symbols[symbol].facts[facts[place].key].push_back(place);
}

void FactIndex::unlink(unsigned place) {
  for (const Atom *symbol : facts[place].symbols) {
    auto group = symbols[symbol].facts.find(facts[place].key);
    llvm::erase(group->second, place);
    if (group->second.empty())
      symbols[symbol].facts.erase(group);
  }
}

void FactIndex::declare(const Atom *symbol, const SymbolFacts &facts, SymbolClass symbolClass) {
  Symbol &info = symbols[symbol];
  info.declarations.emplace_back(facts, symbolClass);
  if (info.place)
    return;
  // What tells symbols apart is part of the keys.
  llvm::SmallVector<unsigned> mentioning;
  for (const auto &[key, group] : info.facts)
    llvm::append_range(mentioning, group);
  for (unsigned place : mentioning)
    unlink(place);
  info.place = declaredCount++;
  for (unsigned place : mentioning)
    link(place);
}

void FactIndex::add(const Predicate &predicate) {
  for (Predicate &part : SortedFacts::getParts(predicate)) {
    Fact fact{std::move(part), {}, {}};
    for (Expr symbol : fact.predicate.getSymbols())
      fact.symbols.push_back(getSymbolAtom(symbol));
    if (fact.symbols.empty())
      continue;
    // One that is known already is none.
    const Symbol &first = symbols[fact.symbols.front()];
    auto group = first.facts.find(getKey(fact));
    if (group != first.facts.end() &&
        llvm::any_of(group->second, [&](unsigned known) { return facts[known].predicate == fact.predicate; }))
      continue;
    facts.push_back(std::move(fact));
    link(facts.size() - 1);
    join(facts.back().symbols);
  }
}

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

/// The smaller tree goes below the larger one, so that the way to a root is short.
unsigned FactIndex::getRoot(unsigned component) const {
  while (components[component].parent != component)
    component = components[component].parent;
  return component;
}

/// What a new fact mentions hangs together.
void FactIndex::join(llvm::ArrayRef<const Atom *> mentioned) {
  std::optional<unsigned> root;
  for (const Atom *symbol : mentioned) {
    Symbol &info = symbols[symbol];
    if (!info.component) {
      info.component = components.size();
      components.push_back({*info.component, 1, 0});
    }
    unsigned other = getRoot(*info.component);
    if (!root || *root == other) {
      root = other;
      continue;
    }
    if (components[*root].size < components[other].size)
      std::swap(*root, other);
    components[other].parent = *root;
    components[*root].size += components[other].size;
    components[*root].facts += components[other].facts;
  }
  ++components[*root].facts;
}

bool FactIndex::areManyAround(llvm::ArrayRef<Expr> asked) const {
  return llvm::any_of(asked, [&](Expr symbol) {
    auto found = symbols.find(getSymbolAtom(symbol));
    return found != symbols.end() && found->second.component &&
           components[getRoot(*found->second.component)].facts > SortedFacts::maximalFacts;
  });
}

//===----------------------------------------------------------------------===//
// Nearness
//===----------------------------------------------------------------------===//

FactIndex::Near FactIndex::findNear(llvm::ArrayRef<Expr> asked) const {
  // Some of many facts rarely say more than the nearest of them.
  constexpr size_t factsOfMany = 12;
  if (!areManyAround(asked))
    if (Near near = findNear(asked, SortedFacts::maximalFacts); near.isComplete)
      return near;
  return findNear(asked, factsOfMany);
}

FactIndex::Near FactIndex::findNear(llvm::ArrayRef<Expr> asked, size_t maximalFacts) const {
  Near near;
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
      auto found = symbols.find(symbol);
      if (found == symbols.end())
        continue;
      size_t count = 0;
      for (const auto &[key, group] : found->second.facts) {
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
    if (near.facts.size() + candidates.size() > maximalFacts) {
      near.isComplete = false;
      // Those that lead to the fewest other symbols first; as many as differ from the ones that are left out.
      auto getRank = [&](unsigned place) {
        auto further =
            llvm::count_if(facts[place].symbols, [&](const Atom *symbol) { return !reached.contains(symbol); });
        return std::pair(further, facts[place].key);
      };
      llvm::sort(candidates, [&](unsigned a, unsigned b) { return getRank(a) < getRank(b); });
      size_t kept = maximalFacts - near.facts.size();
      while (kept > 0 && getRank(candidates[kept - 1]) == getRank(candidates[kept]))
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
    if (auto known = symbols.find(symbol); known != symbols.end() && known->second.place)
      found.emplace_back(*known->second.place, symbol);
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
    for (const auto &[facts, symbolClass] : symbols.find(symbol)->second.declarations)
      names.declare(symbol, facts, symbolClass);
  for (unsigned place : places)
    names.add(facts[place].predicate);
}
