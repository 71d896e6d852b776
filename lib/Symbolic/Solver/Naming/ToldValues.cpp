//===- What sizes are by what was told -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A store that was told `s2 == (s1 + 1) floordiv 2` and `s1 == (s0 + 1) floordiv 2` keeps
// what these say of s0. A question about s1 and s2 may need the first of them only, in
// the form in which it was told.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Comparison.h"
#include "Expressions/Polynomial.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// The symbol that an equation to 0 tells by others and by divisions or maxima of them, and its value, which grows with
/// these.
static std::optional<std::pair<Expr, Expr>> getToldValue(SymbolicContext::Impl &context, const Predicate &fact) {
  bool isEquation = fact.kind == Predicate::Kind::Equal && fact.rhs && fact.rhs.isConstant(0);
  if (!isEquation || fact.lhs.getNode()->depth == 0 || !isTotal(fact))
    return std::nullopt;
  std::optional<std::pair<Expr, Expr>> told;
  for (const Term &term : getTerms(fact.lhs)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || !atom->isSymbol() || !isUnit(term.coefficient))
      continue;
    std::optional<LinearSplit> split = splitLinear(context, getTerms(fact.lhs), atom);
    if (!split || !isConstant(split->coefficient) || mentions(split->rest, atom))
      continue;
    MaybePoly value = scale(split->rest, -term.coefficient);
    auto isGrowing = [](const Term &other) {
      const Atom *part = other.monomial->getAtom();
      return other.coefficient > 0 || other.monomial->isOne() || (part && part->isSymbol());
    };
    if (!value || !llvm::all_of(*value, isGrowing))
      continue;
    if (told)
      return std::nullopt;
    told.emplace(context.getExpr(atom), context.getExpr(*value));
  }
  return told;
}

std::optional<Predicate> NamedFacts::putToldValues(const Predicate &named) const {
  llvm::SmallVector<Expr, 4> symbols = named.getSymbols();
  llvm::SmallVector<std::pair<Expr, Expr>, 4> told;
  for (const Predicate &fact : namedFacts.get())
    if (auto value = getToldValue(own->getImpl(), fact); value && llvm::is_contained(symbols, value->first))
      told.push_back(*value);
  // First those that no other one is told by.
  Substitution values;
  for (const auto &[symbol, value] : told)
    if (llvm::none_of(told, [&, symbol = symbol](const auto &other) {
          return llvm::is_contained(other.second.getSymbols(), symbol);
        }))
      values.try_emplace(symbol.getNode(), value);
  if (values.empty())
    return std::nullopt;
  Predicate result = substitute(named, values);
  return isComplete(result) ? std::optional(std::move(result)) : std::nullopt;
}

Verdict NamedFacts::decideByToldValues(const Predicate &named, unsigned fuelOfAttempt) {
  std::optional<Predicate> valued = isTotal(named) ? putToldValues(named) : std::nullopt;
  if (!valued)
    return Verdict::Unknown;
  declared.forgetAnswers();
  own->getImpl().refuel(fuelOfAttempt);
  return decideWithSplits(declared, *valued, /*witnesses=*/nullptr, fuelOfAttempt);
}
