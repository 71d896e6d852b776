//===- Equations over monomials, as they were told ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/EquationRows.h"
#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// rule eliminate-pivot: M + R == 0 |- c*M + S == S - c*R
Expr EquationRows::reduce(Expr expr) {
  for (const Row &row : rows) {
    if (!expr)
      return {};
    builder.getContext().spend(1);
    const Term *found = llvm::find_if(getTerms(expr), [&](const Term &term) { return term.monomial == row.pivot; });
    if (found != getTerms(expr).end())
      expr = builder.subtract(expr, builder.scale(row.equation, found->coefficient));
  }
  return expr;
}

/// Quotients by constants of what comes to multiples of these.
/// rule quotient-of-row: m >= 1 and P == m*Q + c |- floordiv(P, m) == Q + floordiv(c, m)
Expr EquationRows::reduceQuotients(Expr expr) {
  Expr result = expr;
  for (const Term &term : getTerms(expr)) {
    const Atom *atom = term.monomial->getAtom();
    if (!result || !atom || atom->kind != AtomKind::FloorDiv)
      continue;
    std::optional<int64_t> divisor = atom->operands[1].getConstant();
    Expr dividend = divisor && *divisor > 0 ? reduce(atom->operands[0]) : Expr();
    auto isMultiple = [&](const Term &part) { return part.coefficient % *divisor == 0; };
    if (!dividend || !llvm::all_of(dropConstant(getTerms(dividend)), isMultiple))
      continue;
    Expr quotient = builder.floorDiv(dividend, atom->operands[1]);
    Expr difference = quotient ? builder.subtract(quotient, builder.getContext().getExpr(atom)) : Expr();
    result = difference ? builder.add(result, builder.scale(difference, term.coefficient)) : result;
  }
  return result;
}

/// rule equal-operands: x == y |- floordiv(x, z) == floordiv(y, z) and max(x, z) == max(y, z)
/// rule equal-operands-of-bcast: x == y |- bcast(x, z) == bcast(y, z)
Expr EquationRows::replaceInOperands(Expr expr) {
  ExprBuilder::Memo memo;
  auto getValue = [&](const Atom *atom) -> Expr {
    auto row = llvm::find_if(rows, [&](const Row &row) { return row.pivot->getAtom() == atom; });
    if (!atom->isSymbol() || row == rows.end())
      return {};
    return builder.subtract(builder.getContext().getExpr(atom), row->equation);
  };
  builder.getContext().spend(rows.size());
  return builder.rebuild(expr, getValue, memo);
}

static bool isNever(const FactStore &store, Expr symbol, int64_t value) {
  return symbol.isSymbol() && !store.getOwnRange(getSymbolAtom(symbol)).contains(value);
}

/// rule divide-row: x != 0 and x*R == 0 |- R == 0
Expr EquationRows::divideByNonZero(Expr equation, const FactStore &store) {
  SymbolicContext::Impl &context = builder.getContext();
  llvm::SmallVector<Power, 4> powers;
  for (const Power &power : getCommonMonomial(context, getTerms(equation))->getPowers())
    if (isNever(store, context.getExpr(power.atom), 0))
      powers.push_back(power);
  return powers.empty() ? equation
                        : context.getExpr(divideMonomial(context, getTerms(equation), context.getMonomial(powers)));
}

/// rule last-alternative: (P == 0 or x == c) and x != c |- P == 0
void EquationRows::add(const Predicate &fact, const FactStore &store) {
  if (fact.kind == Predicate::Kind::Or) {
    auto isExcluded = [&](const Predicate &alternative) {
      Expr difference =
          alternative.kind == Predicate::Kind::Equal ? builder.subtract(alternative.lhs, alternative.rhs) : Expr();
      Terms variable = difference ? dropConstant(getTerms(difference)) : Terms();
      if (variable.size() != 1 || !isUnit(variable.front().coefficient))
        return false;
      std::optional<int64_t> value = checkedMul(getConstantTerm(getTerms(difference)), -variable.front().coefficient);
      return value && isNever(store, builder.getContext().getExpr(Term{variable.front().monomial, 1}), *value);
    };
    const Predicate *left = nullptr;
    for (const Predicate &alternative : fact.operands)
      if (!isExcluded(alternative)) {
        if (left)
          return;
        left = &alternative;
      }
    if (left)
      add(*left, store);
    return;
  }
  if (fact.kind != Predicate::Kind::Equal || !fact.lhs || !fact.rhs)
    return;
  Expr difference = builder.subtract(fact.lhs, fact.rhs);
  if (Expr equation = difference ? reduce(divideByNonZero(difference, store)) : Expr()) {
    Terms terms = dropConstant(getTerms(equation));
    auto hasUnit = [](const Term &term) { return isUnit(term.coefficient); };
    // Symbols that are solved for are written out in operands.
    auto isSolved = [&](const Term &term) {
      const Atom *atom = term.monomial->getAtom();
      return hasUnit(term) && atom && atom->isSymbol() &&
             llvm::none_of(terms, [&](const Term &other) { return &other != &term && mentions(other, atom); });
    };
    const Term *pivot = llvm::find_if(terms, isSolved);
    if (pivot == terms.end())
      pivot = llvm::find_if(terms, hasUnit);
    if (pivot != terms.end())
      rows.push_back({pivot->monomial, pivot->coefficient == 1 ? equation : builder.scale(equation, -1)});
  }
}

Verdict EquationRows::decide(const Predicate &comparison) {
  if (rows.empty() || !comparison.lhs || !comparison.rhs)
    return Verdict::Unknown;
  // Each step writes out what stands for symbols inside of atoms, which then may be less than it was. What is large or
  // grows is none of the chains that this is for.
  constexpr unsigned maximalSteps = 64, maximalNodes = 32;
  Expr difference = builder.subtract(comparison.rhs, comparison.lhs);
  Expr reduced = difference ? reduceQuotients(difference) : Expr();
  reduced = reduced ? reduce(reduced) : Expr();
  for (unsigned step = 0; step < maximalSteps && reduced && reduced.getNode()->depth > 0; ++step) {
    Expr before = reduced;
    if (before.getNode()->nodeCount > maximalNodes)
      break;
    reduced = replaceInOperands(before);
    reduced = reduced ? reduce(reduced) : Expr();
    if (reduced == before)
      break;
  }
  std::optional<int64_t> constant = reduced ? reduced.getConstant() : std::nullopt;
  if (!constant)
    return Verdict::Unknown;
  return holdsBetween(comparison.kind, 0, *constant) ? Verdict::Yes : Verdict::No;
}
