//===- From parameters back to named symbols -----------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// parameter * c, for each c that occurs, in terms of named symbols: with s == m*parameter + r, that is
/// (c / g) * floordiv(s - r, m / g) with g = gcd(c, m).
Expr FactStore::replaceParameter(const Atom *parameter, Expr expr) {
  struct Base {
    const Atom *symbol;
    int64_t factor;
    Expr rest;
  };
  // Values that mention each other's parameters are no help.
  if (llvm::is_contained(beingReplaced, parameter))
    return {};
  beingReplaced.push_back(parameter);
  llvm::SmallVector<Base> bases;
  for (const Atom *symbol : removed) {
    Expr value = getValue(symbol);
    if (!value || look(symbol).isParameter || !(value.getNode()->symbolMask & parameter->symbolMask))
      continue;
    std::optional<LinearSplit> split = splitLinear(context, getTerms(value), parameter);
    if (!split || !isConstant(split->coefficient) || split->coefficient.empty() || mentions(split->rest, parameter))
      continue;
    if (Expr rest = replaceParameters(context.getExpr(split->rest)))
      bases.push_back({symbol, getConstantTerm(split->coefficient), rest});
  }
  beingReplaced.pop_back();
  llvm::sort(bases, [&](const Base &a, const Base &b) { return isPreferred(a.symbol, b.symbol); });
  ExprBuilder factFree(context);

  auto getMultiple = [&](int64_t coefficient) -> Expr {
    if (bases.empty())
      return factFree.scale(look(parameter).definition, coefficient);
    // Of the symbols of the best class, one that needs no division, else the best symbol.
    const Base *best = &bases.front();
    for (const Base &base : bases)
      if (look(base.symbol).symbolClass == look(bases.front().symbol).symbolClass && coefficient % base.factor == 0) {
        best = &base;
        break;
      }
    int64_t common = std::gcd(coefficient, best->factor), sign = best->factor < 0 ? -1 : 1;
    int64_t divisor = std::abs(best->factor) / common;
    Expr difference = factFree.scale(factFree.subtract(context.getExpr(best->symbol), best->rest), sign);
    if (divisor != 1 && difference) {
      // The divisor divides the difference, so what is left of the constant may be rounded away.
      int64_t excess = floorMod(-floorMod(getConstantTerm(getTerms(difference)), divisor), divisor);
      difference =
          factFree.floorDiv(factFree.add(difference, context.getConstant(excess)), context.getConstant(divisor));
    }
    return factFree.scale(difference, coefficient / common);
  };

  Expr result = context.getConstant(0);
  const Monomial *alone = context.getMonomial(parameter);
  for (const Term &term : getTerms(expr)) {
    Term rest = term;
    Expr product = context.getConstant(1);
    while (const Monomial *others = divide(context, rest.monomial, alone)) {
      // The whole coefficient goes with the first power, which is enough to be exact for most.
      product = factFree.multiply(product, getMultiple(rest.coefficient));
      rest = {others, 1};
    }
    result = factFree.add(result, factFree.multiply(product, context.getExpr(rest)));
  }
  return result;
}

/// Null if an expression is too large, or a parameter has no expression.
Expr FactStore::replaceParameters(Expr expr) {
  // Inside of atoms first.
  auto replace = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol())
      return {};
    llvm::SmallVector<Expr, 4> operands =
        llvm::map_to_vector(atom->operands, [&](Expr operand) { return replaceParameters(operand); });
    return ExprBuilder(context).build(atom->kind, operands);
  };
  llvm::SmallVector<const Atom *, 4> parameters;
  auto isParameter = [&](const Atom *atom) { return atom->isSymbol() && look(atom).isParameter; };
  ExprBuilder::Memo memo;
  Expr result = ExprBuilder(context).rebuild(expr, replace, memo);
  if (!result)
    return {};
  for (const Atom *atom : getAtoms(getTerms(result)))
    if (isParameter(atom))
      parameters.push_back(atom);
  for (const Atom *parameter : parameters) {
    result = replaceParameter(parameter, result);
    if (!result)
      return {};
  }
  return result;
}

Expr FactStore::getOuter(Expr expr) {
  Expr inner = getInner(expr);
  return inner ? replaceParameters(inner) : Expr();
}
