//===- Distinctions of cases -----------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/Splits.h"
#include "Solver/NearFacts.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Ways to split among which one is chosen, and values of a symbol that are cases of their own.
static constexpr unsigned maximalChoices = 3;
static constexpr int64_t maximalValues = 8;

//===----------------------------------------------------------------------===//
// In an expression
//===----------------------------------------------------------------------===//

static unsigned getDegree(Expr expr) {
  unsigned degree = 0;
  for (const Term &term : getTerms(expr))
    degree = std::max<unsigned>(degree, term.monomial->degree);
  return degree;
}

/// Two operands of a max inside the expression, whose order is not known. Of several those of the lowest degree: the
/// order of s and t gives that of s*u and t*u, and not the other way round.
static std::optional<std::pair<Expr, Expr>> findUndecidedMax(Expr expr) {
  if (expr.getNode()->depth == 0)
    return std::nullopt;
  std::optional<std::pair<Expr, Expr>> best;
  auto add = [&](std::pair<Expr, Expr> found) {
    auto getOrder = [](std::pair<Expr, Expr> pair) { return std::max(getDegree(pair.first), getDegree(pair.second)); };
    if (!best || getOrder(found) < getOrder(*best))
      best = found;
  };
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    for (Expr operand : atom->operands)
      if (auto found = findUndecidedMax(operand))
        add(*found);
    if (atom->kind == AtomKind::Max)
      add(std::pair(atom->operands[0], atom->operands[1]));
  }
  return best;
}

/// A symbol of a product in the sum, or the sum if there is no product.
static Expr getFactor(Expr sum) {
  for (const Term &term : getTerms(sum))
    if (term.monomial->degree > 1)
      return sum.getNode()->context->getExpr(term.monomial->getPowers().front().atom);
  return sum;
}

/// A dividend without divisions and its constant divisor, inside the expression, where few remainders are possible. In
/// place of a dividend with products a symbol of these: its remainder decides more.
static std::optional<std::pair<Expr, int64_t>> findSmallQuotient(Expr expr) {
  constexpr int64_t maximalDivisor = 16;
  if (expr.getNode()->depth == 0)
    return std::nullopt;
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    for (Expr operand : atom->operands)
      if (auto found = findSmallQuotient(operand))
        return found;
    std::optional<int64_t> divisor = atom->kind == AtomKind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
    if (divisor && *divisor > 1 && *divisor <= maximalDivisor && atom->operands[0].getNode()->depth == 0)
      return std::pair(getFactor(atom->operands[0]), *divisor);
  }
  return std::nullopt;
}

static Split splitMax(std::pair<Expr, Expr> operands) {
  return {Predicate::lessEqual(operands.first, operands.second), Predicate::less(operands.second, operands.first)};
}

/// One case for each remainder.
static Split splitRemainder(std::pair<Expr, int64_t> quotient) {
  auto [dividend, divisor] = quotient;
  SymbolicContext &context = dividend.getContext();
  Expr remainder = mod(dividend, context.getConstant(divisor));
  Split cases;
  for (int64_t value = 0; value < divisor; ++value)
    cases.push_back(Predicate::equal(remainder, context.getConstant(value)));
  return cases;
}

/// A divisor inside the expression that may be 0, or of either sign.
static Expr findUndecidedDivisor(FactStore &store, Expr expr) {
  if (expr.getNode()->depth == 0)
    return {};
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    for (Expr operand : atom->operands)
      if (Expr found = findUndecidedDivisor(store, operand))
        return found;
    if (atom->kind != AtomKind::FloorDiv || atom->operands[1].getConstant())
      continue;
    Interval range = store.getRange(atom->operands[1]);
    if (range.lower < 1 && range.upper > -1)
      return atom->operands[1];
  }
  return {};
}

/// Does a symbol take few values?
static bool isSmall(Interval range) { return range.hasAtMost(maximalValues); }

/// A symbol of a product or of a division by an expression, inside the expression: one that may be 0, or else one whose
/// first values are cases of their own. Of several the one that takes the fewest values.
static const Atom *findFactor(FactStore &store, Expr expr, bool mayBeZero, bool isDivided = false) {
  constexpr int64_t maximalLeast = 2;
  const Atom *best = nullptr;
  auto add = [&](const Atom *symbol) {
    Interval range = store.getRange(symbol->expr);
    if (mayBeZero ? !range.contains(0) : !isSmall(range) && (range.lower < 0 || range.lower > maximalLeast))
      return;
    auto getOrder = [&](const Atom *atom) { return std::pair(store.getRange(atom->expr).upper, atom->name); };
    if (!best || getOrder(symbol) < getOrder(best))
      best = symbol;
  };
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers()) {
      const Atom *atom = power.atom;
      if (atom->isSymbol() && (isDivided || term.monomial->degree > 1))
        add(atom);
      bool isQuotient = atom->kind == AtomKind::FloorDiv && !atom->operands[1].getConstant();
      for (Expr operand : atom->operands)
        if (const Atom *found = findFactor(store, operand, mayBeZero, isDivided || isQuotient))
          add(found);
    }
  return best;
}

/// One case for each sign.
static Split splitSign(Expr expr) {
  Expr zero = expr.getContext().getConstant(0);
  return {Predicate::less(zero, expr), Predicate::equal(expr, zero), Predicate::less(expr, zero)};
}

/// One case for each value where these are few, else for the least and what is left.
static Split splitValue(FactStore &store, const Atom *symbol) {
  SymbolicContext::Impl &context = store.getContext();
  Interval range = store.getRange(symbol->expr);
  Split cases;
  if (!isSmall(range)) {
    Expr least = context.getConstant(range.lower);
    return {Predicate::less(least, symbol->expr), Predicate::equal(symbol->expr, least)};
  }
  for (int64_t value = range.lower; value <= range.upper; ++value)
    cases.push_back(Predicate::equal(symbol->expr, context.getConstant(value)));
  return cases;
}

bool dyn::symbolic::hasLinearSplit(llvm::ArrayRef<Expr> exprs) {
  return llvm::any_of(exprs, [](Expr expr) { return findUndecidedMax(expr) || findSmallQuotient(expr); });
}

Split dyn::symbolic::findSplit(FactStore &store, llvm::ArrayRef<Expr> exprs) {
  for (Expr expr : exprs)
    if (Expr divisor = findUndecidedDivisor(store, expr))
      return splitSign(divisor);
  // The order of symbols before that of products, which needs the signs of factors.
  for (Expr expr : exprs)
    if (auto operands = findUndecidedMax(expr))
      if (getDegree(operands->first) <= 1 && getDegree(operands->second) <= 1)
        return splitMax(*operands);
  // The remainder of a symbol may tell all of a product of it, whatever its sign is.
  for (Expr expr : exprs)
    if (auto quotient = findSmallQuotient(expr);
        quotient && quotient->first.isSymbol() && expr.getSymbols().size() == 1)
      return splitRemainder(*quotient);
  for (Expr expr : exprs)
    if (const Atom *factor = findFactor(store, expr, /*mayBeZero=*/true))
      return splitSign(factor->expr);
  for (Expr expr : exprs)
    if (auto operands = findUndecidedMax(expr))
      return splitMax(*operands);
  for (Expr expr : exprs)
    if (auto quotient = findSmallQuotient(expr))
      return splitRemainder(*quotient);
  for (Expr expr : exprs)
    if (const Atom *factor = findFactor(store, expr, /*mayBeZero=*/false))
      return splitValue(store, factor);
  return {};
}

//===----------------------------------------------------------------------===//
// In what is known
//===----------------------------------------------------------------------===//

std::vector<Split> dyn::symbolic::findSplits(FactStore &store, const Predicate &question) {
  std::vector<Split> splits;
  llvm::SmallVector<Expr> differences;
  collectDifferences(store, question, differences);
  uint64_t reached = 0;
  for (Expr difference : differences)
    reached |= difference.getNode()->symbolMask;
  for (bool first = true;; first = false) {
    for (const FactStore::Disjunction &disjunction : store.getDisjunctions())
      if ((disjunction.symbolMask & reached) && splits.size() < maximalChoices)
        splits.push_back(disjunction.predicate->operands);
    if (first)
      for (Expr difference : differences)
        if (auto operands = findUndecidedMax(difference))
          splits.push_back(splitMax(*operands));
    if (!splits.empty())
      return splits;
    if (first)
      for (Expr difference : differences)
        if (auto quotient = findSmallQuotient(difference))
          return {splitRemainder(*quotient)};
    // Where there is nothing to divide by, so that both sides have values in every case.
    if (first && llvm::none_of(differences, [&](Expr difference) { return findUndecidedDivisor(store, difference); }))
      for (Expr difference : differences)
        for (bool mayBeZero : {true, false})
          if (const Atom *factor = findFactor(store, difference, mayBeZero))
            return {mayBeZero ? splitSign(factor->expr) : splitValue(store, factor)};
    uint64_t further = reached;
    for (const std::vector<Expr> &list : store.getOpenExprs())
      for (Expr expr : list)
        if (uint64_t mask = expr.getNode()->symbolMask; mask & reached) {
          if (auto operands = findUndecidedMax(expr))
            return {splitMax(*operands)};
          further |= mask;
        }
    if (further == reached)
      return splits;
    reached = further;
  }
}

bool dyn::symbolic::hasValue(FactStore &store, Expr expr) {
  auto isNonZero = [&](Expr divisor) {
    Expr inner = store.getInner(divisor);
    return inner && store.isNonZero(inner);
  };
  return expr.getNode()->depth == 0 || llvm::all_of(getAtoms(getTerms(expr)), [&](const Atom *atom) {
           bool isOfValues = atom->isSymbol() || atom->kind == AtomKind::Max ||
                             (atom->kind == AtomKind::FloorDiv && isNonZero(atom->operands[1]));
           return isOfValues && llvm::all_of(atom->operands, [&](Expr operand) { return hasValue(store, operand); });
         });
}
