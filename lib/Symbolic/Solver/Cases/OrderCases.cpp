//===- Maxima and broadcasts by the orders of their operands ---------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/OrderCases.h"
#include "Expressions/Comparison.h"
#include "Expressions/FactorPairs.h"
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

static bool isOrder(const Predicate &premise) {
  return premise.kind == Predicate::Kind::LessEqual || premise.kind == Predicate::Kind::Less;
}

/// By so many inequalities of the case alone.
/// rule sum-of-orders: x >= 0 and y >= 0 |- x + y >= 0
bool OrderCases::followsFromPremises(Expr difference, unsigned count) {
  if (count > 1)
    store.getContext().spend(premises.size() * premises.size());
  return llvm::any_of(premises, [&](const Predicate &premise) {
    Expr left = isOrder(premise) ? builder.subtract(difference, builder.subtract(premise.rhs, premise.lhs)) : Expr();
    left = left && premise.kind == Predicate::Kind::Less ? left + 1 : left;
    if (std::optional<int64_t> constant = left ? left.getConstant() : std::nullopt)
      return *constant >= 0;
    return count > 1 && left && followsFromPremises(left, count - 1);
  });
}

bool OrderCases::isNonNegative(Expr expr, unsigned count) {
  if (!expr || followsFromPremises(expr, count))
    return static_cast<bool>(expr);
  Expr inner = store.getInner(expr);
  return inner && store.getRange(inner).lower >= 0;
}

namespace {
/// c * common * (greater - smaller)
struct DifferenceOfProducts {
  Factors greater, smaller, common;
};
} // namespace

/// Of as many factors on both sides, two at least.
static std::optional<DifferenceOfProducts> getProducts(Terms terms) {
  if (terms.size() != 2 || terms[0].coefficient != -terms[1].coefficient || terms[0].monomial->degree < 2 ||
      terms[0].monomial->degree != terms[1].monomial->degree)
    return std::nullopt;
  const Monomial *greater = terms[0].monomial, *smaller = terms[1].monomial;
  if (terms[0].coefficient < 0)
    std::swap(greater, smaller);
  Factors common;
  for (const Power &power : greater->getPowers())
    if (smaller->getExponent(power.atom) > 0)
      common.push_back(power.atom);
  return DifferenceOfProducts{listFactors(greater, smaller), listFactors(smaller, greater), std::move(common)};
}

/// Is each factor of one product at least one of the other's?
/// rule product-of-greater: 0 <= a and a <= b and 0 <= c and c <= d and 0 <= k |- k*a*c <= k*b*d
bool OrderCases::hasGreaterFactors(Expr difference) {
  std::optional<DifferenceOfProducts> products = getProducts(getTerms(difference));
  constexpr size_t mostFactors = 3;
  if (!products || products->smaller.size() > mostFactors)
    return false;
  auto get = [&](const Atom *atom) { return store.getContext().getExpr(atom); };
  auto isSize = [&](const Atom *atom) { return isNonNegative(get(atom)); };
  if (!llvm::all_of(products->smaller, isSize) || !llvm::all_of(products->common, isSize))
    return false;
  constexpr unsigned premisesOfOrder = 2; // s <= t and t <= u
  return canPairFactors(products->smaller, products->greater, [&](const Atom *smaller, const Atom *greater) {
    return isNonNegative(builder.subtract(get(greater), get(smaller)), premisesOfOrder);
  });
}

/// A difference of products as a product itself, and a constant.
std::optional<Factoring> OrderCases::factorDifference(Expr difference) {
  SymbolicContext::Impl &context = store.getContext();
  Terms terms = getTerms(difference);
  if (llvm::count_if(terms, [](const Term &term) { return term.monomial->degree > 1; }) < 2)
    return std::nullopt;
  const Monomial *common = getCommonMonomial(context, terms);
  if (common->isOne())
    return factor(context, terms);
  return Factoring{Poly{Term{common, 1}}, divideMonomial(context, terms, common)};
}

/// By the case, of the sides or of the factors of their difference: `s <= t` orders `s*s` and `t*t`.
/// rule product-of-factors: x >= 0 and y >= 0 and c >= 0 |- x*y + c >= 0
bool OrderCases::isAtLeast(Expr greater, Expr smaller) {
  Expr difference = builder.subtract(greater, smaller);
  if (!difference || followsFromPremises(difference, 1))
    return static_cast<bool>(difference);
  SymbolicContext::Impl &context = store.getContext();
  std::optional<Factoring> factoring = factorDifference(difference);
  if (factoring && factoring->rest >= 0 && isNonNegative(context.getExpr(factoring->first)) &&
      isNonNegative(context.getExpr(factoring->second)))
    return true;
  return hasGreaterFactors(difference);
}

/// What orders x and y where their difference is its product with what is not negative: `t - s` for `s*s*s` and
/// `s*t*t`, and for `s*s*s` and `t*t*t`. The order of the factors gives that of other products, too.
/// rule product-of-signs: x >= 0 and y <= 0 |- x*y <= 0
/// rule order-of-powers: s >= 0 and t >= s and k >= 0 |- k*s*s <= k*t*t
Expr OrderCases::findOrderingFactor(Expr x, Expr y) {
  SymbolicContext::Impl &context = store.getContext();
  Expr found, left = builder.subtract(y, x);
  while (std::optional<Factoring> factoring = left ? factorDifference(left) : std::nullopt) {
    Expr first = context.getExpr(factoring->first), second = context.getExpr(factoring->second);
    bool isFirst = isNonNegative(first);
    if (factoring->rest != 0 || (!isFirst && !isNonNegative(second)))
      break;
    found = left = isFirst ? second : first;
  }
  std::optional<DifferenceOfProducts> powers = left ? getProducts(getTerms(left)) : std::nullopt;
  if (!powers || !llvm::all_equal(powers->greater) || !llvm::all_equal(powers->smaller))
    return found;
  Expr greater = context.getExpr(powers->greater.front()), smaller = context.getExpr(powers->smaller.front());
  bool areSizes = isNonNegative(greater) && isNonNegative(smaller) &&
                  llvm::all_of(powers->common, [&](const Atom *atom) { return isNonNegative(context.getExpr(atom)); });
  return areSizes ? builder.subtract(greater, smaller) : found;
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
  auto holdsIf = [&](llvm::ArrayRef<Predicate> added, Expr dropped) {
    return holdsInCase(difference, depth - 1, added, atom->kind, dropped, dropped == x ? y : x);
  };
  Expr zero = store.getContext().getConstant(0);
  if (atom->kind == AtomKind::Max) {
    if (isAtLeast(y, x))
      return holdsIf({}, x);
    if (isAtLeast(x, y))
      return holdsIf({}, y);
    if (Expr factor = findOrderingFactor(x, y))
      return holdsIf({Predicate::lessEqual(zero, factor), Predicate::lessEqual(x, y)}, x) &&
             holdsIf({Predicate::less(factor, zero), Predicate::lessEqual(y, x)}, y);
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

bool OrderCases::holdsInCase(Expr difference, unsigned depth, llvm::ArrayRef<Predicate> added, AtomKind kind,
                             Expr dropped, Expr other) {
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
  store.getContext().spend(ExprBuilder::costOfAtom * memo.size());
  size_t outer = premises.size();
  premises.append(added.begin(), added.end());
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
