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
#include "Solver/Cases/Splits.h"
#include "Solver/SolverImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

using ToldValue = std::pair<Expr, Expr>;

/// A symbol that an equation to 0 tells by others and by divisions or maxima of them, and its value. Of several, the
/// one whose value grows with these.
static std::optional<ToldValue> getToldValue(SymbolicContext::Impl &context, const Predicate &fact) {
  bool isEquation = fact.kind == Predicate::Kind::Equal && fact.rhs && fact.rhs.isConstant(0);
  if (!isEquation || fact.lhs.getNode()->depth == 0)
    return std::nullopt;
  llvm::SmallVector<ToldValue, 2> told;
  for (const Term &term : getTerms(fact.lhs)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || !atom->isSymbol())
      continue;
    if (MaybePoly value = solveFor(context, getTerms(fact.lhs), atom))
      told.emplace_back(context.getExpr(atom), context.getExpr(*value));
  }
  auto isGrowing = [](const Term &term) {
    const Atom *part = term.monomial->getAtom();
    return term.coefficient > 0 || term.monomial->isOne() || (part && part->isSymbol());
  };
  if (told.size() > 1)
    llvm::erase_if(told, [&](const ToldValue &each) { return !llvm::all_of(getTerms(each.second), isGrowing); });
  return told.size() == 1 ? std::optional(told.front()) : std::nullopt;
}

std::optional<Predicate> NamedFacts::putToldValues(const Predicate &named) {
  llvm::SmallVector<Expr, 4> symbols = named.getSymbols();
  llvm::SmallVector<ToldValue, 4> told;
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
  // Where a side has no value, a fact says nothing.
  auto hasValueEverywhere = [&](const auto &entry) { return isTotal(entry.second) || hasValue(*sorted, entry.second); };
  if (values.empty() || !llvm::all_of(values, hasValueEverywhere))
    return std::nullopt;
  Predicate result = substitute(named, values);
  return isComplete(result) ? std::optional(std::move(result)) : std::nullopt;
}

Verdict NamedFacts::decideByToldValues(const Predicate &named, unsigned fuelOfAttempt) {
  std::optional<Predicate> valued = sorted && isTotal(named) ? putToldValues(named) : std::nullopt;
  if (!valued)
    return Verdict::Unknown;
  // What divides by sizes is asked about where facts say that they are not 0. These facts put the value in terms of
  // what it was told of, and walks along them do not.
  FactStore &store = isTotal(*valued) ? declared : *sorted;
  if (Verdict verdict = getDifferences().decide(*valued); verdict != Verdict::Unknown)
    return verdict;
  store.forgetAnswers();
  own->getImpl().refuel(fuelOfAttempt);
  return decideWithSplits(store, *valued, /*witnesses=*/nullptr, fuelOfAttempt);
}
