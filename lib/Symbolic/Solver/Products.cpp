//===- What equations of products say of others --------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "Solver/Integers/ProductEquations.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Calls `use` with the equations of products that are known, if one of them shares a symbol with what is asked about.
/// One alone says no more than it rewrites.
void FactStore::withProductEquations(uint64_t symbolMask, llvm::function_ref<void(ProductEquations &)> use) {
  constexpr size_t maximalEquations = 64;
  constexpr unsigned costOfEquation = 20;
  if (open[Equation].size() < 2 || open[Equation].size() > maximalEquations)
    return;
  llvm::SmallVector<Expr, 8> useful;
  llvm::copy_if(open[Equation], std::back_inserter(useful), ProductEquations::isUseful);
  auto isNear = [&](Expr equation) { return (equation.getNode()->symbolMask & symbolMask) != 0; };
  if (useful.size() < 2 || context.fuel < costOfEquation * useful.size() || llvm::none_of(useful, isNear))
    return;
  context.spend(costOfEquation * useful.size());
  auto isPositive = [&](Expr expr) { return prover.isAtLeast(expr, 1); };
  ProductEquations products(context, isPositive);
  for (Expr equation : useful)
    products.add(equation);
  if (!products.isEmpty())
    use(products);
}

/// A multiple of it, with the same sign, in which there are fewer products; else what it was.
Expr FactStore::reduceByProducts(Expr expr) {
  Expr result = expr;
  if (!open[Equation].empty() && ProductEquations::isUseful(expr))
    withProductEquations(expr.getNode()->symbolMask,
                         [&](ProductEquations &products) { result = products.reduce(expr); });
  return result;
}

/// Factors that are equal, or multiples of each other. False on contradiction.
bool FactStore::learnFromProducts(Expr equation) {
  bool isContradictory = false;
  if (ProductEquations::isUseful(equation))
    withProductEquations(equation.getNode()->symbolMask, [&](ProductEquations &products) {
      for (Expr found : products.findEqualFactors())
        push(Task::Zero, found);
      // Others that came before, of which this one says more.
      auto isNever = [&](FactKind kind, Expr known) {
        Expr reduced = ProductEquations::isUseful(known) ? products.reduce(known) : known;
        return reduced != known && (prover.isAtMost(reduced, -1) || (kind == Equation && prover.isAtLeast(reduced, 1)));
      };
      isContradictory = products.isContradictory() ||
                        llvm::any_of(open[Equation], [&](Expr known) { return isNever(Equation, known); }) ||
                        llvm::any_of(open[Inequality], [&](Expr known) { return isNever(Inequality, known); });
    });
  return !isContradictory;
}

/// Given `s*w == t*k`, what `s*w <= 9*t - 1` says of k: with the other side of the equation in it, t is a common
/// factor.
///
/// rule divide-by-factor: t >= 1 and P == t*k and t*R - P >= 0 |- R - k >= 0
/// rule divide-by-factor-strictly: t >= 1 and P == t*k and t*R - P - 1 >= 0 |- R - k - 1 >= 0
bool FactStore::learnOfFactors(Expr inequality, Expr equation) {
  Terms terms = getTerms(inequality), equal = getTerms(equation);
  if (!(inequality.getNode()->symbolMask & equation.getNode()->symbolMask) || getConstantTerm(terms) > 0)
    return true;
  Term leading = getRewrittenTerm(equation);
  context.spend(1);
  if (leading.monomial->degree < 2 || !isUnit(leading.coefficient))
    return true;
  for (const Term &term : dropConstant(equal)) {
    int64_t coefficient = term == leading ? 0 : getCoefficient(terms, term.monomial);
    if (coefficient == 0 || coefficient % term.coefficient != 0)
      continue;
    context.spend(terms.size() + equal.size());
    MaybePoly other = combine(terms, 1, equal, -(coefficient / term.coefficient));
    if (!other)
      return true;
    int64_t constant = getConstantTerm(*other);
    Terms variable = dropConstant(*other);
    const Monomial *factor = getCommonMonomial(context, variable);
    if (variable.empty() || constant > 0 || factor->isOne() || !prover.isAtLeast(Term{factor, 1}, 1))
      return true;
    MaybePoly quotient = addConstant(context, divideMonomial(context, variable, factor), constant < 0 ? -1 : 0);
    return !quotient || assertNonNegative(context.getExpr(*quotient));
  }
  return true;
}

bool FactStore::learnOfAllFactors(FactKind kind, Expr fact) {
  constexpr size_t maximalFacts = 32;
  // Facts change as they are learnt of.
  std::vector<Expr> others = open[kind == Equation ? Inequality : Equation];
  return others.size() > maximalFacts || llvm::all_of(others, [&](Expr other) {
           return kind == Equation ? learnOfFactors(other, fact) : learnOfFactors(fact, other);
         });
}

/// Products and factors, also those inside of atoms.
static void collectProducts(Expr expr, llvm::SmallVectorImpl<const Monomial *> &products) {
  constexpr size_t maximalProducts = 24;
  for (const Term &term : dropConstant(getTerms(expr))) {
    if (products.size() < maximalProducts && !llvm::is_contained(products, term.monomial))
      products.push_back(term.monomial);
    for (const Power &power : term.monomial->getPowers())
      for (Expr operand : power.atom->operands)
        collectProducts(operand, products);
  }
}

std::optional<FactStore> FactStore::relateProducts(llvm::ArrayRef<Expr> around) {
  std::vector<Expr> found;
  uint64_t symbolMask = 0;
  for (Expr expr : around)
    symbolMask |= expr.getNode()->symbolMask;
  withProductEquations(symbolMask, [&](ProductEquations &products) {
    llvm::SmallVector<const Monomial *, 16> monomials;
    for (Expr expr : around)
      collectProducts(expr, monomials);
    for (Expr inequality : open[Inequality])
      collectProducts(inequality, monomials);
    if (llvm::any_of(monomials, [](const Monomial *monomial) { return monomial->degree > 1; }))
      found = products.findEqualProducts(monomials);
  });
  llvm::erase_if(found, [&](Expr equation) {
    Expr inner = getInner(equation);
    return !inner || inner.getConstant() || contains(Equation, inner);
  });
  if (found.empty())
    return std::nullopt;
  // Not as a hypothesis, which loses what there is no effort for.
  context.spend(getCostOfCopy());
  FactStore related = *this;
  for (Expr equation : found)
    related.push(Task::Zero, equation);
  return related.settle() ? std::optional(std::move(related)) : std::nullopt;
}
