//===- Construction of sums, products and rebuilt expressions --------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Builder.h"
#include "Expressions/Limits.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;
using Operation = SymbolicContext::Impl::Operation;

bool ExprBuilder::usesFacts() const { return &prover != &context.getFreeProver(); }

/// A term that holds exactdiv(P, Q) and a multiple of Q, which is a single term, is a multiple of P.
static std::optional<std::pair<Term, Expr>> cancelExactDiv(SymbolicContext::Impl &context, Term term) {
  for (const Power &power : term.monomial->getPowers()) {
    if (power.atom->kind != AtomKind::ExactDiv)
      continue;
    Terms divisor = getTerms(power.atom->operands[1]);
    if (divisor.size() != 1 || term.coefficient % divisor[0].coefficient != 0)
      continue;
    const Monomial *others = divide(context, term.monomial, context.getMonomial(power.atom));
    if (const Monomial *quotient = divide(context, others, divisor[0].monomial))
      return std::pair(Term{quotient, term.coefficient / divisor[0].coefficient}, power.atom->operands[0]);
  }
  return std::nullopt;
}

static Expr refuseHuge(Expr expr) {
  return expr.getNode()->depth > limits::levels || expr.getNode()->nodeCount > limits::nodes ? Expr() : expr;
}

Expr ExprBuilder::intern(const MaybePoly &poly) {
  if (!poly || poly->size() > limits::termsOfSum)
    return {};
  context.spend(1 + poly->size());
  for (const Term &term : *poly) {
    if (!term.monomial->hasExactDiv)
      continue;
    auto cancelled = cancelExactDiv(context, term);
    if (!cancelled)
      continue;
    Poly others(*poly);
    others.erase(others.begin() + (&term - poly->begin()));
    return add(intern(others), multiply(context.getExpr(cancelled->first), cancelled->second));
  }
  return refuseHuge(context.getExpr(*poly));
}

Expr ExprBuilder::makeAtom(AtomKind kind, llvm::ArrayRef<Expr> operands) {
  return refuseHuge(context.getExpr(context.getAtom(kind, operands)));
}

Expr ExprBuilder::add(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return {};
  if (getTerms(lhs).empty())
    return rhs;
  if (getTerms(rhs).empty())
    return lhs;
  return context.remember(Operation::Add, lhs, rhs,
                          [&] { return intern(symbolic::add(getTerms(lhs), getTerms(rhs))); });
}

Expr ExprBuilder::subtract(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return {};
  return intern(symbolic::subtract(getTerms(lhs), getTerms(rhs)));
}

Expr ExprBuilder::scale(Expr expr, int64_t factor) {
  if (!expr || factor == 1)
    return expr;
  return intern(symbolic::scale(getTerms(expr), factor));
}

Expr ExprBuilder::multiply(Expr lhs, Expr rhs) {
  if (!lhs || !rhs)
    return {};
  return context.remember(Operation::Mul, lhs, rhs,
                          [&] { return intern(symbolic::multiply(context, getTerms(lhs), getTerms(rhs))); });
}

Expr ExprBuilder::build(AtomKind kind, llvm::ArrayRef<Expr> operands) {
  switch (kind) {
  case AtomKind::FloorDiv:
    return floorDiv(operands[0], operands[1]);
  case AtomKind::ExactDiv:
    return exactDiv(operands[0], operands[1]);
  case AtomKind::Max:
    return max(operands);
  case AtomKind::Bcast:
    return bcast(operands);
  case AtomKind::Symbol:
    break;
  }
  return {};
}

Expr ExprBuilder::rebuild(const Atom *atom, Replace replace, Memo &memo) {
  if (Expr replacement = replace(atom))
    return replacement;
  if (atom->isSymbol())
    return context.getExpr(atom);
  auto found = memo.find(atom);
  if (found != memo.end())
    return found->second;
  llvm::SmallVector<Expr, 4> operands;
  bool allKnown = true;
  for (Expr operand : atom->operands) {
    operands.push_back(rebuild(operand, replace, memo));
    allKnown &= bool(operands.back());
  }
  Expr result;
  if (allKnown)
    result = !usesFacts() && operands == atom->operands ? context.getExpr(atom) : build(atom->kind, operands);
  memo[atom] = result;
  return result;
}

/// The product of the factors that stay and of those that replace others; an error value where it has none. Nothing
/// where all stay.
std::optional<Expr> ExprBuilder::rebuild(const Term &term, Replace replace, Memo &memo) {
  llvm::SmallVector<Power, 4> same;
  llvm::SmallVector<std::pair<Expr, uint32_t>, 4> changed;
  for (const Power &power : term.monomial->getPowers()) {
    Expr factor = rebuild(power.atom, replace, memo);
    if (!factor)
      return Expr();
    if (factor == context.getExpr(power.atom))
      same.push_back(power);
    else
      changed.emplace_back(factor, power.exponent);
  }
  if (changed.empty())
    return std::nullopt;
  Expr product = context.getExpr(Term{context.getMonomial(same), term.coefficient});
  for (auto [factor, exponent] : changed)
    for (uint32_t i = 0; i < exponent && product; ++i)
      product = multiply(product, factor);
  return product;
}

Expr ExprBuilder::rebuild(Expr expr, Replace replace, Memo &memo) {
  if (!expr)
    return {};
  Terms terms = getTerms(expr);
  Poly unchanged;
  Expr result;
  for (const Term &term : terms) {
    std::optional<Expr> product = rebuild(term, replace, memo);
    if (!product) {
      unchanged.push_back(term);
      continue;
    }
    result = *product && result ? add(result, *product) : *product;
    if (!result)
      return {};
  }
  if (unchanged.size() == terms.size())
    return expr;
  return unchanged.empty() ? result : add(context.getExpr(unchanged), result);
}
