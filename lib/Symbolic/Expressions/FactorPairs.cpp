//===- Products that are ordered as their factors are ------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/FactorPairs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

Factors dyn::symbolic::listFactors(const Monomial *product, const Monomial *without) {
  Factors factors;
  for (const Power &power : product->getPowers()) {
    uint32_t common = without ? without->getExponent(power.atom) : 0;
    if (common < power.exponent)
      factors.append(power.exponent - common, power.atom);
  }
  return factors;
}

bool dyn::symbolic::canPairFactors(llvm::ArrayRef<const Atom *> smaller, Factors larger,
                                   llvm::function_ref<bool(const Atom *smaller, const Atom *larger)> isAtMost) {
  llvm::SmallDenseMap<std::pair<const Atom *, const Atom *>, bool, 8> answers;
  auto isKnownAtMost = [&](const Atom *small, const Atom *large) {
    auto [answer, isNew] = answers.try_emplace({small, large}, small == large);
    if (isNew && small != large)
      answer->second = isAtMost(small, large);
    return answer->second;
  };
  // Not by address: what is tried in vain takes effort.
  auto isBefore = [](const Atom *a, const Atom *b) { return compare(a, b) < 0; };
  llvm::sort(larger, isBefore);
  do {
    if (llvm::all_of(llvm::zip_equal(smaller, larger),
                     [&](auto pair) { return isKnownAtMost(std::get<0>(pair), std::get<1>(pair)); }))
      return true;
  } while (std::next_permutation(larger.begin(), larger.end(), isBefore));
  return false;
}
