//===- Expressions under other names -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/Renaming.h"
#include "Expressions/Polynomial.h"

using namespace dyn::symbolic;

Expr Renaming::rename(const Atom *atom) {
  if (atom->isSymbol())
    return find(atom);
  if (Expr known = atoms.lookup(atom))
    return known;
  llvm::SmallVector<Expr, 4> operands;
  for (Expr operand : atom->operands) {
    operands.push_back((*this)(operand));
    if (!operands.back())
      return {};
  }
  return atoms[atom] = ExprBuilder(*into).build(atom->kind, operands);
}

Expr Renaming::operator()(Expr expr) {
  if (!expr)
    return {};
  if (std::optional<int64_t> constant = expr.getConstant())
    return into->getConstant(*constant);
  if (Expr known = exprs.lookup(expr))
    return known;
  ExprBuilder builder(*into);
  // Most atoms stay atoms, so that a term stays a term.
  Poly terms;
  Expr sum = into->getConstant(0);
  for (const Term &term : getTerms(expr)) {
    const Monomial *monomial = into->getOne();
    Expr others;
    for (const Power &power : term.monomial->getPowers()) {
      Expr atom = rename(power.atom);
      if (!atom)
        return {};
      bool isAtom = getTerms(atom).size() == 1 && getTerms(atom)[0].coefficient == 1;
      if (const Atom *there = isAtom ? getTerms(atom)[0].monomial->getAtom() : nullptr) {
        monomial = into->multiply(monomial, into->getMonomial(Power{there, power.exponent}));
        if (!monomial)
          return {};
        continue;
      }
      for (uint32_t i = 0; i < power.exponent; ++i)
        others = others ? builder.multiply(others, atom) : atom;
      if (!others)
        return {};
    }
    if (others)
      sum = builder.add(sum, builder.multiply(others, into->getExpr(Term{monomial, term.coefficient})));
    else
      terms.push_back({monomial, term.coefficient});
  }
  MaybePoly sorted = normalize(std::move(terms));
  Expr result = sorted ? builder.add(sum, into->getExpr(*sorted)) : Expr();
  if (result)
    exprs[expr] = result;
  return result;
}

Predicate Renaming::operator()(const Predicate &predicate) {
  Predicate result = predicate;
  result.lhs = (*this)(predicate.lhs);
  result.rhs = (*this)(predicate.rhs);
  for (Predicate &operand : result.operands)
    operand = (*this)(operand);
  return result;
}
