//===- Orders that follow along chains of facts ----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A search for a bound combines a few facts. Where many order two symbols each, as
// positions along a sequence do, a walk from one symbol to the other combines as many
// as there are.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include <deque>

using namespace dyn::symbolic;

namespace {
/// upper - lower + constant
struct Difference {
  const Atom *upper, *lower;
  int64_t constant;
};
} // namespace

static std::optional<Difference> getDifference(Expr expr) {
  Terms terms = getTerms(expr), variable = dropConstant(terms);
  if (variable.size() != 2)
    return std::nullopt;
  const Atom *first = variable[0].monomial->getAtom(), *second = variable[1].monomial->getAtom();
  if (!first || !second || !first->isSymbol() || !second->isSymbol() || !isUnit(variable[0].coefficient) ||
      variable[0].coefficient != -variable[1].coefficient)
    return std::nullopt;
  if (variable[0].coefficient < 0)
    std::swap(first, second);
  return Difference{first, second, getConstantTerm(terms)};
}

/// rule chain: x - z >= a and z - y >= b |- x - y >= a + b
bool FactStore::followsFromChain(Expr expr) const {
  // Facts that are looked at, each perhaps from both sides.
  constexpr unsigned maximalLooks = 1200;
  std::optional<Difference> wanted = getDifference(expr);
  if (!wanted)
    return false;
  // The largest known d with upper - symbol >= d.
  llvm::DenseMap<const Atom *, int64_t> distances;
  std::deque<const Atom *> open = {wanted->upper};
  distances[wanted->upper] = 0;
  llvm::SmallVector<Expr> found;
  for (unsigned looks = 0; !open.empty();) {
    const Atom *symbol = open.front();
    open.pop_front();
    int64_t distance = distances.lookup(symbol);
    for (Expr fact : getUsers(Inequality, symbol, found)) {
      if (++looks > maximalLooks)
        return false;
      std::optional<Difference> step = getDifference(fact);
      std::optional<int64_t> reached =
          step && step->upper == symbol ? checkedSub(distance, step->constant) : std::nullopt;
      if (!reached)
        continue;
      auto [known, isNew] = distances.try_emplace(step->lower, *reached);
      if (!isNew && known->second >= *reached)
        continue;
      known->second = *reached;
      if (step->lower == wanted->lower && checkedAdd(*reached, wanted->constant).value_or(-1) >= 0)
        return true;
      open.push_back(step->lower);
    }
  }
  return false;
}
