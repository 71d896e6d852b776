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

/// Puts named symbols in the place of parameters, in one form.
class FactStore::NamedForm {
public:
  /// Values mention each other's parameters in more ways than can be gone.
  static constexpr unsigned maximalReplacements = 256;

  explicit NamedForm(FactStore &store) : store(store), context(store.context) {}

  Expr replaceParameters(Expr expr);

private:
  Expr getDefinition(const Atom *parameter);
  Expr replaceParameter(const Atom *parameter, Expr expr);

  FactStore &store;
  SymbolicContext::Impl &context;
  llvm::SmallVector<const Atom *, 4> beingReplaced;
  llvm::DenseMap<const Atom *, Expr> namedDefinitions;
  unsigned replacements = maximalReplacements; ///< that are left
};

/// What a parameter stands for by itself. Nobody may ever ask, and of a row of facts each one would lead through all
/// before it, so that it is put into named symbols no sooner than here. Null where that is too large.
/// What it mentions is older, so that the way ends; values that lead back to it are passed over.
Expr FactStore::NamedForm::getDefinition(const Atom *parameter) {
  auto [known, isNew] = namedDefinitions.try_emplace(parameter);
  if (!isNew)
    return known->second;
  Expr definition = store.look(parameter).definition;
  beingReplaced.push_back(parameter);
  Expr named = definition ? replaceParameters(definition) : Expr();
  beingReplaced.pop_back();
  return namedDefinitions[parameter] = named;
}

/// parameter * c, for each c that occurs, in terms of named symbols: with s == m*parameter + r, that is
/// (c / g) * floordiv(s - r, m / g) with g = gcd(c, m). Of s == t*parameter + r, t*parameter is s - r.
Expr FactStore::NamedForm::replaceParameter(const Atom *parameter, Expr expr) {
  struct Base {
    const Atom *symbol;
    int64_t factor;
    Expr rest;
  };
  // Values that mention each other's parameters are no help.
  if (llvm::is_contained(beingReplaced, parameter) || replacements == 0)
    return {};
  --replacements;
  constexpr size_t symbolsPerUnit = 4;
  context.spend(store.removed.size() / symbolsPerUnit);
  beingReplaced.push_back(parameter);
  struct Product {
    const Monomial *monomial;
    Base base;
  };
  llvm::SmallVector<Base> bases;
  llvm::SmallVector<Product> products;
  for (const Atom *symbol : store.removed) {
    Expr value = store.getValue(symbol);
    if (!value || store.look(symbol).isParameter || !(value.getNode()->symbolMask & parameter->symbolMask))
      continue;
    std::optional<LinearSplit> split = splitLinear(context, getTerms(value), parameter);
    if (!split || split->coefficient.size() != 1 || mentions(split->rest, parameter))
      continue;
    Term factor = split->coefficient.front();
    Expr rest = replaceParameters(context.getExpr(split->rest));
    if (rest && factor.monomial->isOne())
      bases.push_back({symbol, factor.coefficient, rest});
    else if (MaybePoly product =
                 rest ? multiply(context, Term{factor.monomial, 1}, Term{context.getMonomial(parameter), 1})
                      : std::nullopt)
      products.push_back({product->front().monomial, {symbol, factor.coefficient, rest}});
  }
  beingReplaced.pop_back();
  auto isBetter = [&](const Base &a, const Base &b) { return store.isPreferred(a.symbol, b.symbol); };
  llvm::sort(bases, isBetter);
  llvm::sort(products, [&](const Product &a, const Product &b) { return isBetter(a.base, b.base); });
  ExprBuilder factFree(context);
  for (const Product &product : products) {
    Expr rest = context.getConstant(0);
    for (const Term &term : getTerms(expr)) {
      const Monomial *others = divide(context, term.monomial, product.monomial);
      bool isReplaced = others && term.coefficient != INT64_MIN && term.coefficient % product.base.factor == 0;
      Expr value = factFree.subtract(context.getExpr(product.base.symbol), product.base.rest);
      rest = factFree.add(
          rest, isReplaced
                    ? factFree.multiply(value, context.getExpr(Term{others, term.coefficient / product.base.factor}))
                    : context.getExpr(term));
    }
    if (!rest)
      return {};
    expr = rest;
  }

  auto getMultiple = [&](int64_t coefficient) -> Expr {
    if (bases.empty())
      return factFree.scale(getDefinition(parameter), coefficient);
    // Of the symbols of the best class, one that needs no division, else the best symbol.
    const Base *best = &bases.front();
    for (const Base &base : bases)
      if (store.look(base.symbol).symbolClass == store.look(bases.front().symbol).symbolClass &&
          coefficient % base.factor == 0) {
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
Expr FactStore::NamedForm::replaceParameters(Expr expr) {
  // Inside of atoms first. An atom without an expression would stay as it is, with a parameter that nobody knows.
  bool areReplaced = true;
  auto replace = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol() || !areReplaced)
      return {};
    llvm::SmallVector<Expr, 4> operands =
        llvm::map_to_vector(atom->operands, [&](Expr operand) { return replaceParameters(operand); });
    bool areComplete = llvm::all_of(operands, [](Expr operand) { return static_cast<bool>(operand); });
    Expr built = areComplete ? ExprBuilder(context).build(atom->kind, operands) : Expr();
    areReplaced &= static_cast<bool>(built);
    return built;
  };
  llvm::SmallVector<const Atom *, 4> parameters;
  auto isParameter = [&](const Atom *atom) { return atom->isSymbol() && store.look(atom).isParameter; };
  ExprBuilder::Memo memo;
  Expr result = ExprBuilder(context).rebuild(expr, replace, memo);
  if (!result || !areReplaced)
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
  return inner ? NamedForm(*this).replaceParameters(inner) : Expr();
}
