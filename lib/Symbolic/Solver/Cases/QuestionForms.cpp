//===- The same question in another form -----------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Cases/QuestionForms.h"
#include "Expressions/Builder.h"
#include "Expressions/FactorPairs.h"
#include "Expressions/Factoring.h"
#include "Solver/Cases/Splits.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// `F*G == 0` or `F*G >= 0` for a sum that is F*G, by the factors.
///
/// rule square-keeps-sign: True |- x*x >= 0
/// rule signs-of-product: True |- (x*y >= 0) == ((x >= 0 and y >= 0) or (x <= 0 and y <= 0))
static std::optional<Predicate> compareFactors(FactStore &store, Expr sum, bool isEquation) {
  SymbolicContext::Impl &context = store.getContext();
  std::optional<Factoring> factoring = factor(context, getTerms(sum));
  if (!factoring || factoring->rest != 0)
    return std::nullopt;
  Expr zero = context.getConstant(0), first = context.getExpr(factoring->first);
  Expr second = context.getExpr(factoring->second);
  if (isEquation)
    return Predicate::disjunction({Predicate::equal(first, zero), Predicate::equal(second, zero)});
  if (first == second)
    return Predicate();
  for (auto [factor, other] : {std::pair(first, second), std::pair(second, first)})
    if (Expr inner = store.getInner(factor); inner && store.getRange(inner).lower >= 0)
      return Predicate::disjunction({Predicate::equal(factor, zero), Predicate::lessEqual(zero, other)});
  return Predicate::disjunction(
      {Predicate::conjunction({Predicate::lessEqual(zero, first), Predicate::lessEqual(zero, second)}),
       Predicate::conjunction({Predicate::lessEqual(first, zero), Predicate::lessEqual(second, zero)})});
}

static const Monomial *takeOut(SymbolicContext::Impl &context, const Monomial *product, const Atom *factor) {
  return divide(context, product, getTerms(context.getExpr(factor))[0].monomial);
}

/// What a product has beside its first quotient; null if it has none, or nothing beside it.
static const Monomial *takeQuotientOut(SymbolicContext::Impl &context, const Monomial *product) {
  if (product->degree > 1)
    for (const Power &power : product->getPowers())
      if (power.atom->kind == AtomKind::FloorDiv)
        return takeOut(context, product, power.atom);
  return nullptr;
}

/// Where a division has no value, neither has the question, though a factor is 0 there.
///
/// rule product-is-zero: True |- (x*y == 0) == (x == 0 or y == 0)
/// rule product-keeps-sign: x >= 0 |- (x*y >= 0) == (x == 0 or y >= 0)
std::optional<Predicate> dyn::symbolic::takeFactorsApart(FactStore &store, const Predicate &question) {
  using Kind = Predicate::Kind;
  if (!question.operands.empty() || !question.lhs || !question.rhs)
    return std::nullopt;
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  bool isEquation = question.kind == Kind::Equal || question.kind == Kind::NotEqual;
  bool isNegated = question.kind == Kind::NotEqual || question.kind == Kind::Less;
  // `lhs < rhs` is the opposite of `0 <= lhs - rhs`.
  Expr difference = question.kind == Kind::LessEqual ? builder.subtract(question.rhs, question.lhs)
                                                     : builder.subtract(question.lhs, question.rhs);
  if (!difference || getTerms(difference).empty() || !hasValue(store, difference))
    return std::nullopt;
  const Monomial *common = getCommonMonomial(context, getTerms(difference));
  if (getTerms(difference).size() == 1 && !(common = isEquation ? nullptr : takeQuotientOut(context, common)))
    return std::nullopt;
  if (common->isOne()) {
    std::optional<Predicate> apart = compareFactors(store, difference, isEquation);
    return apart && isNegated ? Predicate::negation(*apart) : apart;
  }
  Expr zero = context.getConstant(0), rest = context.getExpr(divideMonomial(context, getTerms(difference), common));
  std::vector<Predicate> cases{isEquation ? Predicate::equal(rest, zero) : Predicate::lessEqual(zero, rest)};
  for (const Power &power : common->getPowers()) {
    Expr factor = context.getExpr(power.atom), inner = store.getInner(factor);
    if (!isEquation && (!inner || store.getRange(inner).lower < 0))
      return std::nullopt;
    if (!inner || !store.isNonZero(inner))
      cases.push_back(Predicate::equal(factor, zero));
  }
  Predicate apart = cases.size() == 1 ? cases.front() : Predicate::disjunction(std::move(cases));
  return isNegated ? Predicate::negation(apart) : apart;
}

/// What makes a multiple of the divisor out of the factors that a quotient has in a term: `n` of `p*Q` where Q is a
/// quotient by `n*p`. Null where they have nothing in common, or all that the divisor has.
static Expr findCofactor(SymbolicContext::Impl &context, const Monomial *product) {
  for (const Power &power : product->getPowers()) {
    if (power.atom->kind != AtomKind::FloorDiv || product->degree == 1)
      continue;
    Terms divisor = getTerms(power.atom->operands[1]);
    if (divisor.size() != 1 || divisor[0].monomial->isOne())
      continue;
    const Monomial *others = takeOut(context, product, power.atom);
    const Monomial *common = getCommonMonomial(context, others, divisor[0].monomial);
    if (!common->isOne() && common != divisor[0].monomial)
      return context.getExpr(Term{divide(context, divisor[0].monomial, common), 1});
  }
  return {};
}

/// rule dividend-at-most: Q >= 1 |- (R - floordiv(P, Q) >= 0) == (Q*R + Q - P >= 1)
/// rule dividend-at-least: Q >= 1 |- (floordiv(P, Q) + R >= 0) == (P + Q*R >= 0)
static std::optional<Predicate> compareDividend(FactStore &store, Expr distance) {
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  for (const Term &term : getTerms(distance)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->kind != AtomKind::FloorDiv || !isUnit(term.coefficient) || atom->operands[1].getConstant())
      continue;
    Expr rest = builder.subtract(distance, context.getExpr(term)), dividend = atom->operands[0];
    Expr divisor = atom->operands[1], inner = store.getInner(divisor);
    if (!rest || mentions(getTerms(rest), atom) || !inner || store.getRange(inner).lower < 1)
      continue;
    Expr multiple = builder.multiply(rest, divisor);
    return term.coefficient > 0 ? Predicate::lessEqual(context.getConstant(0), builder.add(multiple, dividend))
                                : Predicate::less(dividend, builder.add(multiple, divisor));
  }
  return std::nullopt;
}

/// rule multiply-by-cofactor: n >= 1 |- (R >= 1) == (n*R >= 1)
std::optional<Predicate> dyn::symbolic::multiplyByDivisors(FactStore &store, const Predicate &question) {
  using Kind = Predicate::Kind;
  if ((question.kind != Kind::LessEqual && question.kind != Kind::Less) || !question.lhs || !question.rhs)
    return std::nullopt;
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  Expr distance = builder.subtract(question.rhs, question.lhs);
  if (question.kind == Kind::Less)
    distance = builder.add(distance, context.getConstant(-1));
  for (const Term &term : distance ? getTerms(distance) : Terms()) {
    Expr cofactor = findCofactor(context, term.monomial), inner = cofactor ? store.getInner(cofactor) : Expr();
    if (inner && store.getRange(inner).lower >= 1)
      return Predicate::less(context.getConstant(0),
                             builder.multiply(cofactor, builder.add(distance, context.getConstant(1))));
  }
  return distance ? compareDividend(store, distance) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static bool isAtMost(FactStore &store, Expr factor, Expr other) {
  Expr inner = store.getInner(factor), innerOther = store.getInner(other);
  if (!inner || !innerOther)
    return false;
  Expr difference = ExprBuilder(store.getContext()).subtract(innerOther, inner);
  if (difference && store.followsFromChain(difference))
    return true;
  // Of symbols a search tells no more, mostly, and takes much where it is in vain.
  if (inner.isSymbol() && innerOther.isSymbol())
    return store.getRange(inner).upper <= store.getRange(innerOther).lower;
  return store.decide(Predicate::lessEqual(factor, other)) == Verdict::Yes;
}

/// Is each factor of one product at most one of the other's?
static bool hasSmallerFactors(FactStore &store, const Monomial *small, const Monomial *large) {
  SymbolicContext::Impl &context = store.getContext();
  Factors smaller = listFactors(small);
  return llvm::all_of(smaller,
                      [&](const Atom *factor) {
                        Expr inner = store.getInner(context.getExpr(factor));
                        return inner && store.getRange(inner).lower >= 0;
                      }) &&
         canPairFactors(smaller, listFactors(large), [&](const Atom *factor, const Atom *other) {
           return isAtMost(store, context.getExpr(factor), context.getExpr(other));
         });
}

/// rule drop-smaller-product: 0 <= a and a <= b and 0 <= c and c <= d and k >= 0 and R >= 0 |- k*b*d - k*a*c + R >= 0
std::optional<Predicate> dyn::symbolic::dropSmallerProducts(FactStore &store, const Predicate &question) {
  using Kind = Predicate::Kind;
  constexpr uint32_t highestDegree = 3;
  constexpr unsigned maximalTries = 12;
  if ((question.kind != Kind::LessEqual && question.kind != Kind::Less) || !question.lhs || !question.rhs)
    return std::nullopt;
  SymbolicContext::Impl &context = store.getContext();
  ExprBuilder builder(context);
  Expr distance = builder.subtract(question.rhs, question.lhs);
  if (question.kind == Kind::Less)
    distance = builder.add(distance, context.getConstant(-1));
  llvm::SmallVector<const Monomial *, 4> products;
  for (const Term &term : distance ? getTerms(distance) : Terms())
    if (term.monomial->degree >= 2 && term.monomial->degree <= highestDegree)
      products.push_back(term.monomial);
  Expr left;
  unsigned tries = 0;
  for (const Monomial *small : products)
    for (const Monomial *large : products) {
      int64_t missing = getCoefficient(getTerms(distance), small), there = getCoefficient(getTerms(distance), large);
      if (missing >= 0 || missing == INT64_MIN || there <= 0 || small->degree != large->degree)
        continue;
      if (++tries > maximalTries || context.fuel == 0)
        return std::nullopt;
      if (!hasSmallerFactors(store, small, large))
        continue;
      int64_t count = std::min(there, -missing);
      Expr difference = builder.subtract(context.getExpr(Term{large, count}), context.getExpr(Term{small, count}));
      Expr without = builder.subtract(distance, difference);
      if (!without)
        return std::nullopt;
      distance = left = without;
    }
  return left ? std::optional(Predicate::lessEqual(context.getConstant(0), left)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// rule bcast-of-positive: x >= 1 and y >= 1 and bc_ok(x, y) |- bcast(x, y) == max(x, y)
std::optional<Predicate> dyn::symbolic::takeMaxima(FactStore &store, const Predicate &question) {
  if (!question.operands.empty() || !question.lhs || !question.rhs ||
      !(hasAtom(question.lhs, AtomKind::Bcast) || hasAtom(question.rhs, AtomKind::Bcast)))
    return std::nullopt;
  ExprBuilder builder(store.getContext());
  ExprBuilder::Memo memo;
  std::function<Expr(const Atom *)> replace = [&](const Atom *atom) -> Expr {
    if (atom->kind != AtomKind::Bcast)
      return {};
    llvm::SmallVector<Expr, 4> operands;
    bool arePositive = true;
    for (Expr operand : atom->operands) {
      operands.push_back(builder.rebuild(operand, replace, memo));
      Expr inner = store.getInner(operands.back());
      arePositive &= inner && store.getRange(inner).lower >= 1;
    }
    return builder.build(arePositive ? AtomKind::Max : AtomKind::Bcast, operands);
  };
  Predicate result = question;
  result.lhs = builder.rebuild(question.lhs, replace, memo);
  result.rhs = builder.rebuild(question.rhs, replace, memo);
  return result.lhs && result.rhs ? std::optional(result) : std::nullopt;
}

namespace {
/// Takes quotients into the maxima that they divide, from the inside.
class QuotientDistribution {
public:
  explicit QuotientDistribution(FactStore &store) : store(store), builder(store.getContext()) {}

  Expr operator()(Expr expr);
  bool hasChanged() const { return numOperands > 0; }

private:
  /// Of all maxima together.
  static constexpr unsigned maximalOperands = 12;

  /// coefficient * floordiv(dividend, divisor) + rest
  struct Half {
    Expr dividend, divisor;
    int64_t coefficient;
    Expr rest;
  };
  std::optional<Half> findHalf(Expr expr);
  Expr distribute(const Atom *atom);
  Expr divide(Expr dividend, Expr divisor);

  Expr getConstant(int64_t value) { return store.getContext().getConstant(value); }
  bool isPositive(Expr divisor) {
    Expr inner = store.getInner(divisor);
    return inner && store.getRange(inner).lower >= 1;
  }

  FactStore &store;
  ExprBuilder builder;
  ExprBuilder::Memo memo;
  unsigned numOperands = 0;
};
} // namespace

Expr QuotientDistribution::operator()(Expr expr) {
  Expr sum = getConstant(0);
  for (std::optional<Half> half = findHalf(expr); half; half = findHalf(expr)) {
    sum = builder.add(sum, builder.scale(divide((*this)(half->dividend), half->divisor), half->coefficient));
    expr = half->rest;
  }
  return builder.add(sum, builder.rebuild(expr, [this](const Atom *atom) { return distribute(atom); }, memo));
}

/// Half of a maximum and a number is in normal form `m - floordiv(m + r, 2)`, and what is divided again by 2 a quarter.
///
/// rule half-of-maximum: c >= 1 |- m - floordiv(c*m + r, 2*c) == floordiv(c*m - r + 2*c - 1, 2*c)
std::optional<QuotientDistribution::Half> QuotientDistribution::findHalf(Expr expr) {
  if (!expr)
    return std::nullopt;
  for (const Term &term : getTerms(expr)) {
    const Atom *quotient = term.monomial->getAtom();
    std::optional<int64_t> divisor =
        quotient && quotient->kind == AtomKind::FloorDiv ? quotient->operands[1].getConstant() : std::nullopt;
    if (!divisor || *divisor < 2 || *divisor % 2 != 0)
      continue;
    for (const Term &part : getTerms(quotient->operands[0])) {
      const Atom *atom = part.monomial->getAtom();
      if (!atom || atom->kind != AtomKind::Max || part.coefficient != *divisor / 2 ||
          getCoefficient(getTerms(expr), part.monomial) != -term.coefficient)
        continue;
      Expr maximum = store.getContext().getExpr(atom), multiple = builder.scale(maximum, part.coefficient);
      Expr rest = builder.subtract(quotient->operands[0], multiple);
      Expr both = builder.subtract(maximum, store.getContext().getExpr(quotient));
      return Half{builder.add(builder.subtract(multiple, rest), getConstant(*divisor - 1)), quotient->operands[1],
                  -term.coefficient, builder.add(expr, builder.scale(both, term.coefficient))};
    }
  }
  return std::nullopt;
}

/// Null for a symbol, which stays as it is.
Expr QuotientDistribution::distribute(const Atom *atom) {
  if (atom->isSymbol())
    return {};
  llvm::SmallVector<Expr, 4> operands;
  for (Expr operand : atom->operands)
    operands.push_back((*this)(operand));
  return atom->kind == AtomKind::FloorDiv ? divide(operands[0], operands[1]) : builder.build(atom->kind, operands);
}

/// rule quotient-of-maximum: q >= 1 |- floordiv(max(x, y) + W, q) == max(floordiv(x + W, q), floordiv(y + W, q))
/// rule quotient-of-minimum: q >= 1 |- floordiv(W - max(x, y), q) == min(floordiv(W - x, q), floordiv(W - y, q))
Expr QuotientDistribution::divide(Expr dividend, Expr divisor) {
  if (!dividend || !divisor)
    return {};
  for (const Term &term : getTerms(dividend)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->kind != AtomKind::Max || numOperands + atom->operands.size() > maximalOperands ||
        !isPositive(divisor))
      continue;
    numOperands += atom->operands.size();
    Expr rest = builder.subtract(dividend, builder.scale(store.getContext().getExpr(atom), term.coefficient));
    llvm::SmallVector<Expr, 4> quotients;
    for (Expr operand : atom->operands)
      quotients.push_back(divide(builder.add(rest, builder.scale(operand, term.coefficient)), divisor));
    return term.coefficient > 0 ? builder.max(quotients) : builder.min(quotients);
  }
  return builder.floorDiv(dividend, divisor);
}

std::optional<Predicate> dyn::symbolic::distributeQuotients(FactStore &store, const Predicate &question) {
  if (!question.operands.empty() || !question.lhs || !question.rhs)
    return std::nullopt;
  auto hasAny = [&](AtomKind kind) { return hasAtom(question.lhs, kind) || hasAtom(question.rhs, kind); };
  if (!hasAny(AtomKind::FloorDiv))
    return std::nullopt;
  QuotientDistribution distribute(store);
  Predicate result = question;
  result.lhs = distribute(question.lhs);
  result.rhs = distribute(question.rhs);
  return distribute.hasChanged() && result.lhs && result.rhs ? std::optional(result) : std::nullopt;
}
