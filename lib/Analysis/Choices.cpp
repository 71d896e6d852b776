//===- Sizes that a condition on sizes chooses ---------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Choices.h"
#include "dyn/Symbolic/Obligations.h"

using namespace dyn;
using namespace dyn::symbolic;
using Kind = Predicate::Kind;

/// 0 where `difference` is 0, 1 elsewhere.
static Expr getDistance(Expr difference, Solver &solver) {
  if (!difference)
    return {};
  SymbolicContext &context = difference.getContext();
  Expr zero = context.getConstant(0);
  if (solver.isLessEqual(difference, zero) == Verdict::Yes)
    difference = -difference;
  else if (solver.isLessEqual(zero, difference) != Verdict::Yes)
    difference = max({difference, -difference});
  return difference ? min({context.getConstant(1), difference}) : Expr();
}

/// At least 0 where an inequality holds, below elsewhere.
static Expr getMargin(const Predicate &inequality) {
  Expr margin = inequality.rhs - inequality.lhs;
  return inequality.kind == Kind::Less ? margin - 1 : margin;
}

Expr dyn::getIndicator(const Predicate &predicate, Solver &solver) {
  SymbolicContext &context = solver.getContext();
  Expr zero = context.getConstant(0), one = context.getConstant(1);
  auto multiply = [&](auto getFactor) {
    Expr product = one;
    for (const Predicate &operand : predicate.operands)
      product = product * getFactor(getIndicator(operand, solver));
    return product;
  };
  switch (predicate.kind) {
  case Kind::True:
    return one;
  case Kind::False:
    return zero;
  case Kind::Equal:
    return one - getDistance(predicate.lhs - predicate.rhs, solver);
  case Kind::NotEqual:
    return getDistance(predicate.lhs - predicate.rhs, solver);
  case Kind::LessEqual:
  case Kind::Less: {
    Expr margin = getMargin(predicate);
    return margin ? min({one, max({zero, margin + 1})}) : Expr();
  }
  case Kind::Not:
    return one - getIndicator(predicate.operands.front(), solver);
  case Kind::And:
    return multiply([](Expr factor) { return factor; });
  case Kind::Or:
    return one - multiply([&](Expr factor) { return one - factor; });
  }
  llvm_unreachable("all kinds are covered");
}

/// `difference` times the indicator of an inequality, where it is about the difference: `max(s, 16) - 16` for `s - 16`
/// where `16 < s`. Null where it is not.
static Expr clamp(const Predicate &inequality, Expr difference) {
  Expr margin = getMargin(inequality), zero = difference.getContext().getConstant(0);
  for (int64_t shift : {0, 1})
    if (Expr shifted = margin + shift) {
      if (shifted == difference)
        return max({shifted, zero});
      if (shifted == -difference)
        return -max({shifted, zero});
    }
  return {};
}

/// An equal size where `condition` holds that has a value elsewhere as well: `N floordiv max(C, 1)` for `N floordiv C`
/// where `0 < C`. Null where none is found.
static Expr makeTotal(Expr size, const Predicate &condition, Solver &solver) {
  std::vector<Predicate> needs = getDefinedness(solver, size);
  if (needs.empty())
    return size;
  SymbolicContext &context = solver.getContext();
  Solver there = solver.fork();
  if (!there.addPredicate(condition, there.addReason({})))
    return size; // It is never chosen.
  Expr one = context.getConstant(1);
  Substitution positive;
  for (const Predicate &need : needs)
    for (Expr symbol : need.getSymbols())
      if (solver.isLessEqual(one, symbol) != Verdict::Yes && there.isLessEqual(one, symbol) == Verdict::Yes)
        positive[symbol.getNode()] = max({symbol, one});
  Expr total = substitute(size, positive);
  return total && getDefinedness(solver, total).empty() ? total : Expr();
}

Expr dyn::choose(const Predicate &predicate, Expr onTrue, Expr onFalse, Solver &solver) {
  if (predicate.kind == Kind::NotEqual)
    return choose(Predicate::equal(predicate.lhs, predicate.rhs), onFalse, onTrue, solver);
  if (predicate.kind == Kind::Not)
    return choose(predicate.operands.front(), onFalse, onTrue, solver);
  onTrue = makeTotal(onTrue, predicate, solver);
  onFalse = makeTotal(onFalse, Predicate::negation(predicate), solver);
  Expr difference = onTrue - onFalse, chosen;
  if (!difference)
    return {};
  if (predicate.kind == Kind::Less || predicate.kind == Kind::LessEqual)
    chosen = clamp(predicate, difference);
  if (!chosen) {
    // Only its value where the predicate holds counts.
    Solver there = solver.fork();
    if (predicate.kind == Kind::Equal && there.addPredicate(predicate, there.addReason({})))
      if (Expr simple = there.simplify(difference); simple && getTree(simple)->operands.size() == 0)
        difference = simple;
    chosen = getIndicator(predicate, solver) * difference;
  }
  chosen = onFalse + chosen;
  if (Expr simple = chosen ? solver.simplify(chosen) : Expr())
    chosen = simple;
  return chosen && chosen.isWithinBudget() ? chosen : Expr();
}
