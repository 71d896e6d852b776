//===- Values at a few points ------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Bounds/Samples.h"
#include "llvm/Support/xxhash.h"

using namespace dyn::symbolic;

/// Large ones of either sign, their opposites, small ones, and larger ones.
static Samples::Values getValues(llvm::StringRef name) {
  uint64_t hash = llvm::xxh3_64bits(name);
  auto pick = [&](unsigned shift, int64_t size) {
    int64_t magnitude = static_cast<int64_t>(hash >> shift) & (size - 1);
    return hash >> shift & size ? magnitude + 1 : -magnitude;
  };
  int64_t large = pick(0, 1 << 10);
  return {large, -large, pick(16, 8), pick(32, 1 << 16)};
}

Samples::Values Samples::get(const Atom *atom) {
  auto found = known.find(atom);
  if (found != known.end())
    return found->second;
  Values result;
  if (atom->isSymbol()) {
    result = getValues(atom->name);
  } else {
    llvm::SmallVector<Values, 4> operands;
    for (Expr operand : atom->operands)
      operands.push_back(get(getTerms(operand)));
    for (unsigned point = 0; point < count; ++point) {
      llvm::SmallVector<int64_t, 4> values;
      for (const Values &operand : operands)
        if (operand[point])
          values.push_back(*operand[point]);
      if (values.size() == operands.size())
        result[point] = evaluate(atom->kind, values);
    }
  }
  known[atom] = result;
  return result;
}

Samples::Values Samples::get(Terms terms) {
  Values sums;
  sums.fill(0);
  for (const Term &term : terms) {
    Values products;
    products.fill(term.coefficient);
    for (const Power &power : term.monomial->getPowers()) {
      Values factors = get(power.atom);
      for (auto [product, factor] : llvm::zip_equal(products, factors))
        for (uint32_t i = 0; i < power.exponent && product; ++i)
          product = factor ? checkedMul(*product, *factor) : std::nullopt;
    }
    for (auto [sum, product] : llvm::zip_equal(sums, products))
      sum = sum && product ? checkedAdd(*sum, *product) : std::nullopt;
  }
  return sums;
}
