//===- Guards that others imply -----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/SolverImpl.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace dyn::symbolic;

namespace {
/// A guard under the names of what is asked, and what says that it has a value.
struct Guard {
  Predicate predicate;
  std::vector<Predicate> needs;
};

/// A store with the points that show what it does not imply.
class Assumptions {
public:
  Assumptions(const FactStore &store, const Witnesses &witnesses, Solver::Minimization effort)
      : store(store), witnesses(witnesses), effort(effort) {}

  bool add(const Guard &guard) {
    if (effort == Solver::Minimization::Thorough && guard.predicate.kind == Predicate::Kind::Or)
      alternatives.push_back(&guard.predicate);
    return assume(guard.predicate);
  }
  /// That it has a value, too.
  bool imply(const Guard &guard) {
    return isImplied(guard.predicate) &&
           llvm::all_of(guard.needs, [&](const Predicate &need) { return isImplied(need); });
  }

private:
  bool assume(const Predicate &predicate) {
    store.getContext().refuel();
    witnesses.add(predicate);
    return store.assertTrue(predicate);
  }
  bool isImplied(const Predicate &predicate);

  FactStore store;
  Witnesses witnesses;
  Solver::Minimization effort;
  llvm::SmallVector<const Predicate *> alternatives; ///< guards that are disjunctions, if these are tried
};
} // namespace

/// A proof tries the disjunctions after the question's own cases, and has often spent its effort by then. With each
/// part of one as a fact, the question is about less: where `p + s == t`, the maximum of t - p and 0 is s.
bool Assumptions::isImplied(const Predicate &predicate) {
  constexpr size_t maximalParts = 3, maximalAlternatives = 2;
  if (impliesWithSplits(store, predicate, witnesses))
    return true;
  bool isOfSums = predicate.lhs && predicate.lhs.getNode()->depth == 0 && predicate.rhs.getNode()->depth == 0;
  if (alternatives.empty() || isOfSums || witnesses.look(predicate).isFalse ||
      witnesses.lookAtEarlier(predicate).isFalse)
    return false;
  uint64_t mask = getSymbolMask(predicate);
  size_t tried = 0;
  for (const Predicate *alternative : alternatives) {
    if (tried == maximalAlternatives)
      return false;
    if (alternative->operands.size() > maximalParts || !(getSymbolMask(*alternative) & mask))
      continue;
    ++tried;
    bool isImpliedByAll = llvm::all_of(alternative->operands, [&](const Predicate &part) {
      Assumptions with(store, witnesses, Solver::Minimization::Fast);
      return !with.assume(part) || impliesWithSplits(with.store, predicate, with.witnesses);
    });
    if (isImpliedByAll)
      return true;
  }
  return false;
}

/// Drops from `numbers`, the last one first, each guard but `needed` that all others which are left imply. `others` has
/// what is left beside the numbers. Halves share what they assume, so that each guard is told a logarithm of times.
static void dropImplied(llvm::ArrayRef<Guard> guards, llvm::SmallVectorImpl<unsigned> &numbers, Assumptions &others,
                        unsigned needed) {
  if (numbers.size() == 1) {
    if (numbers.front() != needed && others.imply(guards[numbers.front()]))
      numbers.clear();
    return;
  }
  llvm::SmallVector<unsigned> first(llvm::ArrayRef(numbers).take_front(numbers.size() / 2)),
      second(llvm::ArrayRef(numbers).drop_front(first.size()));
  auto drop = [&](llvm::SmallVectorImpl<unsigned> &half, llvm::ArrayRef<unsigned> assumed) {
    Assumptions with = others;
    for (unsigned number : assumed)
      with.add(guards[number]);
    dropImplied(guards, half, with, needed);
  };
  drop(second, first);
  drop(first, second);
  numbers = std::move(first);
  numbers.append(second);
}

/// Does each of the guards fail somewhere where facts and the others hold? Quadratic, so for few only.
static bool isEachNeeded(llvm::ArrayRef<Predicate> guards, const TrialPoints &facts) {
  constexpr size_t maximalGuards = 8;
  return guards.size() <= maximalGuards && llvm::all_of(guards, [&](const Predicate &guard) {
           TrialPoints others = facts;
           for (const Predicate &other : guards)
             if (&other != &guard)
               others.add(other);
           return others.refute(guard);
         });
}

/// Of guards in this order, those that the others do not imply.
static llvm::SmallVector<unsigned> keepNeeded(llvm::ArrayRef<Guard> guards, llvm::ArrayRef<unsigned> order,
                                              llvm::function_ref<bool(const Guard &)> isTold,
                                              const Assumptions &nothing) {
  constexpr size_t maximalGuards = 64;
  // Forwards: what the earlier ones imply goes.
  llvm::SmallVector<unsigned> kept;
  Assumptions known = nothing;
  for (unsigned i : order) {
    bool isRepeated =
        llvm::any_of(kept, [&](unsigned earlier) { return guards[earlier].predicate == guards[i].predicate; });
    if (isRepeated || isTold(guards[i]) || known.imply(guards[i]))
      continue;
    kept.push_back(i);
    // Nothing rests on the only one.
    if (kept.size() == 1 && i == order.back())
      return kept;
    // Guards that contradict each other say nothing about the others.
    if (!known.add(guards[i]))
      return kept;
  }
  // Of many, what the later ones that stay imply goes too.
  if (kept.size() > maximalGuards) {
    llvm::SmallVector<unsigned> later;
    Assumptions assumed = nothing;
    for (unsigned i : llvm::reverse(kept)) {
      if (assumed.imply(guards[i]))
        continue;
      later.push_back(i);
      if (!assumed.add(guards[i]))
        return kept;
    }
    std::reverse(later.begin(), later.end());
    return later;
  }
  // Of few, what all others imply. Nothing stands behind the last, and it was asked of all before it.
  if (kept.size() < 2)
    return kept;
  Assumptions others = nothing;
  dropImplied(guards, kept, others, kept.back());
  return kept;
}

llvm::SmallVector<unsigned> Solver::minimizeGuards(llvm::ArrayRef<Predicate> given, Minimization effort) {
  if (given.empty())
    return {};
  if (impl->named.areFew() && isEachNeeded(given, impl->trialPoints))
    return llvm::to_vector(llvm::seq<unsigned>(0, static_cast<unsigned>(given.size())));
  NamedFacts::Work work(impl->named);
  // In the terms in which questions are asked. What has to have a value is what was given.
  std::vector<Guard> guards;
  std::vector<Predicate> all;
  auto contract = [&](const Predicate &predicate) {
    Predicate contracted = impl->contract(predicate);
    all.push_back(contracted);
    return contracted;
  };
  for (const Predicate &guard : given) {
    guards.push_back({contract(guard), {}});
    for (const Predicate &need : getDefinedness(guard))
      guards.back().needs.push_back(contract(need));
  }
  Impl::Known asked = impl->ask(Predicate::conjunction(all).getSymbols());
  if (asked.names) {
    Renaming names = asked.names->getNames(all);
    for (Guard &guard : guards) {
      guard.predicate = names(guard.predicate);
      for (Predicate &need : guard.needs)
        need = names(need);
    }
  }
  auto isTold = [&](const Guard &guard) {
    return asked.names && guard.needs.empty() && asked.names->findTold(guard.predicate) == Verdict::Yes;
  };
  // Long ones last: among them, proofs find no way to what they say.
  constexpr unsigned mostNodes = 32;
  llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, static_cast<unsigned>(guards.size())));
  std::stable_partition(order.begin(), order.end(), [&](unsigned i) { return countNodes(given[i]) <= mostNodes; });
  llvm::SmallVector<unsigned> kept =
      keepNeeded(guards, order, isTold, Assumptions(asked.store, asked.witnesses, effort));
  llvm::sort(kept);
  return kept;
}
