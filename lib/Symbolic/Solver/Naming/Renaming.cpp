//===- Expressions under other names -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Naming/Renaming.h"
#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// The atom with these operands, which differ from its own in their names and in the order of their terms, if rules
/// that go by that order, as signs and leading terms do, leave it as it is; else null. No other rule applies to it that
/// did not apply before.
Expr Renaming::buildAlike(const Atom *atom, llvm::MutableArrayRef<Expr> operands) {
  constexpr size_t maximalOperands = 4;
  if (operands.size() > maximalOperands)
    return {};
  switch (atom->kind) {
  case AtomKind::Symbol:
    return {};
  case AtomKind::Max:
  case AtomKind::Bcast:
    llvm::sort(operands, ExprLess());
    break;
  case AtomKind::FloorDiv:
  case AtomKind::ExactDiv: {
    Terms dividend = dropConstant(getTerms(operands[0])), divisor = getTerms(operands[1]);
    std::optional<int64_t> constant = operands[1].getConstant();
    // A half of the divisor and its opposite are the same remainder.
    auto isHalf = [&](const Term &term) { return constant && *constant % 2 == 0 && term.coefficient == *constant / 2; };
    auto first = llvm::find_if_not(dividend, isHalf);
    auto isNegativeHalf = [&](const Term &term) { return constant && isHalf({term.monomial, -term.coefficient}); };
    if (divisor.size() != 1 || first == dividend.end() || llvm::any_of(dividend, isNegativeHalf))
      return {};
    if (first->coefficient > 0)
      break;
    // What another order of terms turns round: where q >= 1, floordiv(P, q) is -floordiv(q - 1 - P, q).
    if (constant.value_or(0) < 1 || atom->kind != AtomKind::FloorDiv || llvm::any_of(dividend, isHalf))
      return {};
    ExprBuilder builder(*into);
    operands[0] = builder.subtract(into->getConstant(*constant - 1), operands[0]);
    return operands[0] ? builder.scale(into->getExpr(into->getAtom(atom->kind, operands)), -1) : Expr();
  }
  }
  return into->getExpr(into->getAtom(atom->kind, operands));
}

Expr Renaming::rename(const Atom *atom) {
  if (atom->isSymbol())
    return find(atom);
  if (Expr known = atoms.lookup(atom))
    return known;
  llvm::SmallVector<Expr, 4> operands;
  bool areAlike = areCanonical;
  for (Expr operand : atom->operands) {
    operands.push_back((*this)(operand));
    if (!operands.back())
      return {};
    areAlike &= operand.getConstant() || alike.contains(operand);
  }
  if (Expr built = areAlike ? buildAlike(atom, operands) : Expr())
    return atoms[atom] = built;
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
  bool isAlike = true;
  for (const Term &term : getTerms(expr)) {
    const Monomial *monomial = into->getOne();
    Expr others;
    bool isNegative = false;
    for (const Power &power : term.monomial->getPowers()) {
      Expr atom = rename(power.atom);
      if (!atom)
        return {};
      bool isAtom = getTerms(atom).size() == 1 && isUnit(getTerms(atom)[0].coefficient);
      if (const Atom *there = isAtom ? getTerms(atom)[0].monomial->getAtom() : nullptr) {
        isAlike &= getTerms(atom)[0].coefficient == 1;
        isNegative ^= getTerms(atom)[0].coefficient < 0 && power.exponent % 2 == 1;
        monomial = into->multiply(monomial, into->getMonomial(Power{there, power.exponent}));
        if (!monomial)
          return {};
        continue;
      }
      isAlike = false;
      for (uint32_t i = 0; i < power.exponent; ++i)
        others = others ? builder.multiply(others, atom) : atom;
      if (!others)
        return {};
    }
    std::optional<int64_t> coefficient = isNegative ? checkedSub(0, term.coefficient) : term.coefficient;
    if (!coefficient)
      return {};
    if (others)
      sum = builder.add(sum, builder.multiply(others, into->getExpr(Term{monomial, *coefficient})));
    else
      terms.push_back({monomial, *coefficient});
  }
  MaybePoly sorted = normalize(std::move(terms));
  Expr result = sorted ? builder.add(sum, into->getExpr(*sorted)) : Expr();
  if (result)
    exprs[expr] = result;
  if (result && isAlike)
    alike.insert(expr);
  return result;
}

Predicate Renaming::operator()(const Predicate &predicate) {
  return mapSides(predicate, [&](Expr side) { return (*this)(side); });
}
