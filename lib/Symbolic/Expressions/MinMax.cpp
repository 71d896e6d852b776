//===- Canonical max, min and broadcast --------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// max(x1 + t, x2 + t) = max(x1, x2) + t, so of all translations one is chosen: for
// each monomial, the smallest coefficient among the operands becomes 0. Then
//   max(s, t) - t       is  max(s - t, 0)
//   min(s, t)           is  s + t - max(s, t)
//   min(s, t) + max(s, t)  is  s + t
// without further rules, because min(x, y) is built as -max(-x, -y).
//
//===----------------------------------------------------------------------===//

#include "Expressions/Builder.h"
#include "Expressions/Limits.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// More operands are not spread out, and more are refused: each is compared with each other, and in a minimum each is a
/// sum of nearly all.
static constexpr size_t maximalSpread = 8;

static const Atom *getMaxAtom(const Monomial *monomial) {
  const Atom *atom = monomial->getAtom();
  return atom && atom->kind == AtomKind::Max ? atom : nullptr;
}

/// How much of a monomial all operands have in common, given its terms in those that have it. A max that stands in some
/// operands only, or with both signs, stays where it is, so that max(min(a, b), c) keeps its form.
static int64_t getCommonCoefficient(Terms terms, size_t operandCount) {
  bool isEverywhere = terms.size() == operandCount;
  int64_t least = isEverywhere ? INT64_MAX : 0, greatest = isEverywhere ? INT64_MIN : 0;
  for (const Term &term : terms) {
    least = std::min(least, term.coefficient);
    greatest = std::max(greatest, term.coefficient);
  }
  if (!getMaxAtom(terms.front().monomial))
    return least;
  return least > 0 ? least : greatest < 0 ? greatest : 0;
}

/// rule translate-max: True |- max(x + t, y + t) == max(x, y) + t
bool ExprBuilder::translateMax(llvm::SmallVectorImpl<Poly> &operands, Poly &offset) {
  Poly common, all;
  for (const Poly &operand : operands)
    all.append(operand);
  context.spend(2 * all.size());
  // Those of one monomial next to each other, in whatever order.
  llvm::sort(all, [](const Term &a, const Term &b) { return std::less<>()(a.monomial, b.monomial); });
  for (Terms left = all; !left.empty();) {
    Terms same = left.take_while([&](const Term &term) { return term.monomial == left.front().monomial; });
    if (int64_t coefficient = getCommonCoefficient(same, operands.size()))
      common.push_back({same.front().monomial, coefficient});
    left = left.drop_front(same.size());
  }
  if (common.empty())
    return true;
  MaybePoly sorted = normalize(std::move(common));
  MaybePoly sum = sorted ? symbolic::add(offset, *sorted) : std::nullopt;
  if (!sum)
    return false;
  offset = std::move(*sum);
  for (Poly &operand : operands) {
    MaybePoly moved = symbolic::subtract(operand, *sorted);
    if (!moved)
      return false;
    operand = std::move(*moved);
  }
  return true;
}

/// max(t + k*max(x, y), z) = max(t + k*x, t + k*y, z) for k > 0, in all operands or in none, so that their order does
/// not matter. True if there was something to do.
///
/// rule flatten-max: k >= 0 |- max(t + k*max(x, y), z) == max(t + k*x, t + k*y, z)
bool ExprBuilder::flattenMax(llvm::SmallVectorImpl<Poly> &operands) {
  llvm::SmallVector<Poly, 4> flat;
  bool isSpread = false;
  for (const Poly &operand : operands) {
    size_t before = flat.size();
    const Term *term =
        llvm::find_if(operand, [](const Term &term) { return term.coefficient > 0 && getMaxAtom(term.monomial); });
    if (term != operand.end()) {
      Poly rest(operand);
      rest.erase(rest.begin() + (term - operand.begin()));
      for (Expr inner : getMaxAtom(term->monomial)->operands) {
        MaybePoly sum = combine(rest, 1, getTerms(inner), term->coefficient);
        if (!sum) {
          flat.truncate(before);
          break;
        }
        flat.push_back(std::move(*sum));
      }
    }
    isSpread |= flat.size() > before;
    if (flat.size() == before)
      flat.push_back(operand);
    if (flat.size() > maximalSpread)
      return false;
  }
  if (isSpread)
    operands = std::move(flat);
  return isSpread;
}

/// rule dominated: x <= y |- max(x, y) == y
void ExprBuilder::dropDominated(llvm::SmallVectorImpl<Poly> &operands) {
  for (size_t i = 0; i < operands.size();) {
    bool dominated = false;
    for (size_t j = 0; j < operands.size() && !dominated; ++j) {
      MaybePoly difference = i == j ? std::nullopt : symbolic::subtract(operands[j], operands[i]);
      dominated = difference && prover.isAtLeast(*difference, 0);
    }
    if (dominated)
      operands.erase(operands.begin() + i);
    else
      ++i;
  }
}

/// rule scale-max: c >= 0 |- max(c*x, c*y) == c*max(x, y)
/// rule max-commutes: True |- max(x, y) == max(y, x)
Expr ExprBuilder::makeMax(llvm::SmallVectorImpl<Poly> &operands, int64_t sign) {
  Poly offset;
  auto sort = [&] {
    llvm::sort(operands, [](const Poly &a, const Poly &b) { return compare(a, b) < 0; });
    operands.erase(llvm::unique(operands), operands.end());
  };
  size_t count;
  do {
    do
      if (!translateMax(operands, offset))
        return {};
    while (flattenMax(operands));
    count = operands.size();
    // Operands are dropped in structural order, so that the result does not depend on the order given.
    sort();
    dropDominated(operands);
  } while (operands.size() < count);
  if (operands.size() == 1)
    return intern(combine(offset, sign, operands.front(), sign));
  int64_t content = 0;
  for (const Poly &operand : operands)
    content = std::gcd(content, getContent(operand));
  llvm::SmallVector<Expr> exprs;
  for (const Poly &operand : operands)
    exprs.push_back(context.getExpr(divideCoefficients(operand, content)));
  llvm::sort(exprs, ExprLess());
  Expr atom = makeAtom(AtomKind::Max, exprs);
  return atom ? intern(combine(offset, sign, getTerms(atom), sign * content)) : Expr();
}

/// Each once, in structural order.
static void dropRepeated(llvm::SmallVectorImpl<Expr> &operands) {
  llvm::sort(operands, ExprLess());
  operands.erase(llvm::unique(operands), operands.end());
}

/// Each of a list once; nothing for a list that no maximum or minimum is built of.
static std::optional<llvm::SmallVector<Expr, 4>> getOperands(llvm::ArrayRef<Expr> list) {
  if (list.empty() || llvm::any_of(list, [](Expr operand) { return !operand; }))
    return std::nullopt;
  llvm::SmallVector<Expr, 4> operands(list);
  if (operands.size() > limits::operandsOfMax)
    dropRepeated(operands);
  return operands.size() > limits::operandsOfMax ? std::nullopt : std::optional(std::move(operands));
}

Expr ExprBuilder::max(llvm::ArrayRef<Expr> list) {
  auto given = getOperands(list);
  if (!given || given->size() == 1)
    return given ? given->front() : Expr();
  llvm::SmallVector<Poly, 4> operands;
  for (Expr operand : *given)
    operands.emplace_back(getTerms(operand));
  return makeMax(operands, 1);
}

/// rule min: True |- min(x, y) == -max(-x, -y)
Expr ExprBuilder::min(llvm::ArrayRef<Expr> list) {
  auto given = getOperands(list);
  if (!given || given->size() == 1)
    return given ? given->front() : Expr();
  llvm::SmallVector<Poly, 4> operands;
  for (Expr operand : *given) {
    MaybePoly negated = symbolic::scale(getTerms(operand), -1);
    if (!negated)
      return {};
    operands.push_back(std::move(*negated));
  }
  return makeMax(operands, -1);
}

/// The factor k of wide == narrow * k, if there is one.
static bool isMultiple(SymbolicContext::Impl &context, Expr wide, Expr narrow) {
  // What divides has no symbols that a product with it has not.
  if (!getTerms(wide).empty() && (narrow.getNode()->symbolMask & ~wide.getNode()->symbolMask))
    return false;
  return !getTerms(narrow).empty() && divideExactly(context, getTerms(wide), getTerms(narrow)).has_value();
}

/// rule bcast-unit: True |- bcast(1, x) == x
/// rule bcast-associates: True |- bcast(x, bcast(y, z)) == bcast(x, y, z)
/// rule bcast-commutes: True |- bcast(x, y) == bcast(y, x)
/// rule bcast-idempotent: True |- bcast(x, x) == x
/// rule bcast-not-one: x != 1 |- bcast(x, y) == x
/// rule bcast-not-ones: x != 1 and y != 1 |- bcast(x, y, z) == bcast(x, y)
/// rule bcast-multiple: n >= 0 |- bcast(n, n*k) == n*k
Expr ExprBuilder::bcast(llvm::ArrayRef<Expr> list) {
  llvm::SmallVector<Expr> operands;
  for (Expr operand : list) {
    if (!operand)
      return {};
    const Atom *atom = nullptr;
    if (getTerms(operand).size() == 1 && getTerms(operand)[0].coefficient == 1)
      atom = getTerms(operand)[0].monomial->getAtom();
    if (atom && atom->kind == AtomKind::Bcast)
      operands.append(atom->operands.begin(), atom->operands.end());
    else if (!operand.isConstant(1))
      operands.push_back(operand);
  }
  dropRepeated(operands);
  if (operands.empty())
    return context.getConstant(1);
  if (operands.size() > limits::operandsOfBcast)
    return {};
  // Two different constants do not broadcast: this has no value, and no rule.
  if (llvm::count_if(operands, [](Expr operand) { return operand.getConstant().has_value(); }) > 1)
    return makeAtom(AtomKind::Bcast, operands);
  // An operand that is not 1 is the result, where there is one: a constant rather than others.
  llvm::SmallVector<Expr> results;
  for (Expr operand : operands) {
    if (operand.getConstant())
      return operand;
    if (prover.isAtLeast(operand, 2) || prover.isAtMost(operand, 0))
      results.push_back(operand);
  }
  // Where there are several, names would decide between them. Facts are told under names that depend on nothing.
  if (results.size() == 1 || (usesFacts() && !results.empty()))
    return results.front();
  if (!results.empty())
    operands = std::move(results);
  // bcast(n, n*k) = n*k for n >= 0: were n*k 1, n would be 1 too.
  for (size_t i = 0; i < operands.size();) {
    bool covered = llvm::any_of(operands, [&](Expr other) {
      return other != operands[i] && isMultiple(context, other, operands[i]) && prover.isAtLeast(operands[i], 0);
    });
    if (covered)
      operands.erase(operands.begin() + i);
    else
      ++i;
  }
  if (operands.size() == 1)
    return operands.front();
  return makeAtom(AtomKind::Bcast, operands);
}
