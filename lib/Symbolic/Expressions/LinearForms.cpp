//===- Expressions that are linear in a symbol ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/LinearForms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

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
