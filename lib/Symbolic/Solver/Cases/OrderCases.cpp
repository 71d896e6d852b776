//===- Maxima and broadcasts by the orders of their operands ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/OrderCases.h"
#include "Expressions/Comparison.h"
#include "Expressions/Factoring.h"
#include "Solver/Integers/IntegerSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Cases one inside another, and altogether.
static constexpr unsigned maximalDepth = 12, maximalCases = 160;

static unsigned getDegree(const Atom *atom) {
  unsigned degree = 0;
  for (Expr operand : atom->operands)
    for (const Term &term : getTerms(operand))
      degree = std::max(degree, term.monomial->degree);
  return degree;
}

/// A maximum or broadcast that is of none: of those of the lowest degree the first, since the order of s and t gives
/// that of s*s and t*t.
static const Atom *findInnermost(Expr expr) {
  if (expr.getNode()->depth == 0)
    return nullptr;
  const Atom *best = nullptr;
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    const Atom *innermost = nullptr;
    for (Expr operand : atom->operands)
      if (const Atom *found = findInnermost(operand); found && (!innermost || getDegree(found) < getDegree(innermost)))
        innermost = found;
    if (!innermost && (atom->kind == AtomKind::Max || atom->kind == AtomKind::Bcast))
      innermost = atom;
    if (innermost && (!best || getDegree(innermost) < getDegree(best)))
      best = innermost;
  }
  return best;
}

bool OrderCases::holds(const Predicate &predicate, bool truth) {
  using Kind = Predicate::Kind;
  auto holdsToo = [&](const Predicate &operand) { return holds(operand, truth); };
  refuted = false;
  Expr difference;
  switch (predicate.kind) {
  case Kind::Not:
    return holds(predicate.operands.front(), !truth);
  case Kind::And:
  case Kind::Or: {
    if (truth == (predicate.kind == Kind::And))
      return llvm::all_of(predicate.operands, holdsToo);
    bool isFound = llvm::any_of(predicate.operands, holdsToo);
    refuted = false;
    return isFound;
  }
  case Kind::Equal:
  case Kind::NotEqual:
    relation = truth == (predicate.kind == Kind::Equal) ? Kind::Equal : Kind::NotEqual;
    difference = builder.subtract(predicate.rhs, predicate.lhs);
    break;
  case Kind::LessEqual:
  case Kind::Less:
    relation = truth == (predicate.kind == Kind::Less) ? Kind::Less : Kind::LessEqual;
    difference =
        truth ? builder.subtract(predicate.rhs, predicate.lhs) : builder.subtract(predicate.lhs, predicate.rhs);
    break;
  default:
    return false;
  }
  // In inner form, a broadcast of sizes that are not 1 is one of them, and no longer says that they are equal.
  if (difference && !hasAtom(difference, AtomKind::Bcast))
    difference = store.getInner(difference);
  cases = 0;
  return difference && findInnermost(difference) && holdsIn(difference, maximalDepth);
}

/// By an inequality of the case alone.
bool OrderCases::followsFromPremise(Expr difference) {
  return llvm::any_of(premises, [&](const Predicate &premise) {
    bool isOrder = premise.kind == Predicate::Kind::LessEqual || premise.kind == Predicate::Kind::Less;
    Expr left = isOrder ? builder.subtract(difference, builder.subtract(premise.rhs, premise.lhs)) : Expr();
    std::optional<int64_t> constant = left ? left.getConstant() : std::nullopt;
    return constant && *constant >= (premise.kind == Predicate::Kind::Less ? -1 : 0);
  });
}

/// By the case, of the sides or of the factors of their difference: `s <= t` orders `s*s` and `t*t`.
/// rule product-of-factors: x >= 0 and y >= 0 and c >= 0 |- x*y + c >= 0
bool OrderCases::isAtLeast(Expr greater, Expr smaller) {
  Expr difference = builder.subtract(greater, smaller);
  if (!difference || followsFromPremise(difference))
    return static_cast<bool>(difference);
  SymbolicContext::Impl &context = store.getContext();
  auto isSquare = [](const Term &term) { return term.monomial->degree == 2; };
  if (llvm::count_if(getTerms(difference), isSquare) < 2)
    return false;
  std::optional<Factoring> factoring = factor(context, getTerms(difference));
  auto isNonNegative = [&](const Poly &factor) {
    Expr sum = context.getExpr(factor), inner = store.getInner(sum);
    return followsFromPremise(sum) || (inner && store.getRange(inner).lower >= 0);
  };
  return factoring && factoring->rest >= 0 && isNonNegative(factoring->first) && isNonNegative(factoring->second);
}

/// rule max-of-greater: x <= y |- max(x, y, z) == max(y, z)
/// rule bcast-of-one: x == 1 |- bcast(x, y, z) == bcast(y, z)
/// rule bcast-of-equals: x == y |- bcast(x, y, z) == bcast(y, z)
bool OrderCases::holdsIn(Expr difference, unsigned depth) {
  const Atom *atom = findInnermost(difference);
  if (!atom)
    return holdsAtIntegers(difference);
  if (depth == 0 || store.getContext().fuel == 0)
    return false;
  Expr x = atom->operands[0], y = atom->operands[1];
  auto holdsIf = [&](const Predicate &premise, Expr dropped) {
    return holdsInCase(difference, depth - 1, premise, atom->kind, dropped, dropped == x ? y : x);
  };
  if (atom->kind == AtomKind::Max) {
    if (isAtLeast(y, x))
      return holdsIf({}, x);
    if (isAtLeast(x, y))
      return holdsIf({}, y);
    return holdsIf(Predicate::lessEqual(x, y), x) && holdsIf(Predicate::less(y, x), y);
  }
  Expr one = store.getContext().getConstant(1);
  auto mayBeOne = [&](Expr operand) {
    Expr inner = store.getInner(operand);
    return !inner || store.getRange(inner).contains(1);
  };
  return (!mayBeOne(x) || holdsIf(Predicate::equal(x, one), x)) &&
         (!mayBeOne(y) || holdsIf(Predicate::equal(y, one), y)) && holdsIf(Predicate::equal(x, y), x);
}

bool OrderCases::holdsInCase(Expr difference, unsigned depth, const Predicate &premise, AtomKind kind, Expr dropped,
                             Expr other) {
  if (++cases > maximalCases)
    return false;
  ExprBuilder::Memo memo;
  auto drop = [&](const Atom *atom) -> Expr {
    if (atom->kind != kind || !llvm::is_contained(atom->operands, dropped) ||
        !llvm::is_contained(atom->operands, other))
      return {};
    llvm::SmallVector<Expr, 4> left;
    for (Expr operand : atom->operands)
      if (operand != dropped)
        left.push_back(operand);
    return left.size() == 1 ? left.front() : builder.build(kind, left);
  };
  Expr narrowed = builder.rebuild(difference, drop, memo);
  size_t outer = premises.size();
  if (premise.kind != Predicate::Kind::True)
    premises.push_back(premise);
  bool holds = narrowed && holdsIn(narrowed, depth);
  premises.truncate(outer);
  return holds;
}

bool OrderCases::holdsAtIntegers(Expr difference) {
  std::optional<int64_t> constant = difference.getConstant();
  if (constant && holdsBetween(relation, 0, *constant))
    return true;
  constexpr unsigned rowsOfCase = 400;
  Predicate predicate{relation, store.getContext().getConstant(0), difference, {}};
  return holdsAtAllIntegers(store, predicate, rowsOfCase, refuted, premises);
}
