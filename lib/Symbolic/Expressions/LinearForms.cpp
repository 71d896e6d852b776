//===- Expressions that are linear in a symbol ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/LinearForms.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace dyn::symbolic;

std::optional<LinearForm> dyn::symbolic::getLinearForm(Expr expr, Expr symbol) {
  Substitution zero, one;
  zero[symbol.getNode()] = symbol.getContext().getConstant(0);
  one[symbol.getNode()] = symbol.getContext().getConstant(1);
  Expr rest = substitute(expr, zero);
  Expr factor = substitute(expr, one) - rest;
  if (!rest || !factor || factor.isConstant(0) || factor * symbol + rest != expr)
    return std::nullopt;
  return LinearForm{factor, rest};
}

bool dyn::symbolic::allows(const SymbolFacts &facts, int64_t value) {
  return (!facts.range.lower || value >= *facts.range.lower) && (!facts.range.upper || value <= *facts.range.upper) &&
         (facts.modulus <= 1 || floorMod(value, facts.modulus) == facts.remainder) &&
         !llvm::is_contained(facts.notEqual, value);
}

int64_t dyn::symbolic::getAnyValue(const SymbolFacts &facts) {
  int64_t least = std::max<int64_t>(facts.range.lower.value_or(0), 0), step = std::max<int64_t>(facts.modulus, 1);
  int64_t value = least, rest = least % step;
  int64_t missing = facts.remainder >= rest ? facts.remainder - rest : step - (rest - facts.remainder);
  // Where a value leaves 64 bits, the facts allow none.
  bool fits = !llvm::AddOverflow(least, missing, value);
  while (fits && llvm::is_contained(facts.notEqual, value))
    fits = !llvm::AddOverflow(value, step, value);
  return fits ? value : least;
}

std::vector<Expr> dyn::symbolic::findUndetermined(llvm::ArrayRef<Expr> dims) {
  llvm::DenseSet<Expr> known;
  auto isKnown = [&](Expr expr) {
    return llvm::all_of(expr.getSymbols(), [&](Expr symbol) { return known.contains(symbol); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Expr dim : dims)
      for (Expr symbol : dim.getSymbols()) {
        if (known.contains(symbol))
          continue;
        std::optional<LinearForm> form = getLinearForm(dim, symbol);
        if (form && isKnown(form->factor) && isKnown(form->rest))
          changed = known.insert(symbol).second;
      }
  }
  std::vector<Expr> unknown;
  for (Expr dim : dims)
    for (Expr symbol : dim.getSymbols())
      if (!known.contains(symbol) && !llvm::is_contained(unknown, symbol))
        unknown.push_back(symbol);
  return unknown;
}
