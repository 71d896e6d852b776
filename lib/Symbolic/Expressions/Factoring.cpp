//===- Sums as products of two sums ----------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Factoring.h"
#include "dyn/Symbolic/Factors.h"
#include <cmath>

using namespace dyn::symbolic;

static constexpr size_t maximalTerms = 10, maximalAtoms = 6;

/// The largest number whose square is no more.
static std::optional<int64_t> getRootBelow(int64_t value) {
  if (value < 0)
    return std::nullopt;
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(value)));
  auto isBelow = [&](int64_t candidate) {
    std::optional<int64_t> square = checkedMul(candidate, candidate);
    return square && *square <= value;
  };
  for (int64_t candidate = root + 1; candidate >= std::max<int64_t>(root - 1, 0); --candidate)
    if (isBelow(candidate))
      return candidate;
  return std::nullopt;
}

/// B*x + C is B*(x + C/B), and a rest where the division leaves one.
static std::optional<Factoring> factorByAtom(SymbolicContext::Impl &context, Terms terms, const Atom *atom) {
  std::optional<LinearSplit> split = splitLinear(context, terms, atom);
  if (!split || isConstant(split->coefficient))
    return std::nullopt;
  std::optional<Division> division = divideByLeadingTerm(context, split->rest, split->coefficient);
  if (!division || !isConstant(division->remainder))
    return std::nullopt;
  MaybePoly second = add(Poly{Term{context.getMonomial(atom), 1}}, division->quotient);
  if (!second)
    return std::nullopt;
  return Factoring{std::move(split->coefficient), std::move(*second), getConstantTerm(division->remainder)};
}

static std::optional<int64_t> getSquareRoot(int64_t value) {
  std::optional<int64_t> root = getRootBelow(value);
  return root && *root * *root == value ? root : std::nullopt;
}

/// L and the excess of its square, which is negative: of a number that is no square, the largest L for which the excess
/// is a multiple of `step`.
static std::optional<std::pair<int64_t, int64_t>> getRootOfNumber(int64_t square, int64_t step) {
  constexpr int64_t maximalStep = 64;
  std::optional<int64_t> least = getRootBelow(square);
  if (!least || std::abs(step) > maximalStep)
    return std::nullopt;
  for (int64_t root = *least; root >= 0 && root > *least - std::abs(step); --root)
    if ((root * root - square) % step == 0)
      return std::pair(root, root * root - square);
  return std::nullopt;
}

/// The linear L with L*L == square + excess, for a constant excess, which is a multiple of `step` where there is a
/// choice.
static std::optional<std::pair<Poly, int64_t>> getRoot(SymbolicContext::Impl &context, Terms square, int64_t step) {
  Poly root;
  auto getCoefficient = [&](const Monomial *monomial) {
    for (const Term &term : square)
      if (term.monomial == monomial)
        return term.coefficient;
    return int64_t(0);
  };
  // The first atom's coefficient is positive, the others have the sign that its products with them tell.
  const Atom *first = nullptr;
  int64_t leading = 0;
  for (const Atom *atom : getAtoms(square)) {
    std::optional<int64_t> coefficient =
        getSquareRoot(getCoefficient(context.getMonomial(llvm::ArrayRef(Power{atom, 2}))));
    if (!coefficient || *coefficient == 0)
      return std::nullopt;
    if (first && getCoefficient(context.multiply(first->monomial, atom->monomial)) < 0)
      coefficient = -*coefficient;
    if (!first)
      std::tie(first, leading) = std::pair(atom, *coefficient);
    root.push_back({atom->monomial, *coefficient});
  }
  if (!first) {
    auto root = getRootOfNumber(getConstantTerm(square), step);
    if (!root)
      return std::nullopt;
    return std::pair(root->first == 0 ? Poly() : Poly{Term{context.getOne(), root->first}}, root->second);
  }
  int64_t ofFirst = getCoefficient(first->monomial);
  if (ofFirst % (2 * leading) != 0)
    return std::nullopt;
  root.push_back({context.getOne(), ofFirst / (2 * leading)});
  MaybePoly sorted = normalize(std::move(root));
  MaybePoly product = sorted ? multiply(context, *sorted, *sorted) : std::nullopt;
  MaybePoly excess = product ? subtract(*product, square) : std::nullopt;
  if (!excess || !isConstant(*excess))
    return std::nullopt;
  return std::pair(std::move(*sorted), getConstantTerm(*excess));
}

/// A*x*x + B*x + C is (2*A*x + B - L)*(2*A*x + B + L) / (4*A) where L*L == B*B - 4*A*C.
static std::optional<Factoring> factorQuadratic(SymbolicContext::Impl &context, Terms terms, const Atom *atom) {
  int64_t a = 0;
  Poly others;
  for (const Term &term : terms) {
    if (term.monomial->degree > 2)
      return std::nullopt;
    if (term.monomial->getExponent(atom) == 2)
      a = term.coefficient;
    else
      others.push_back(term);
  }
  constexpr int64_t largest = 1 << 20;
  std::optional<LinearSplit> split = splitLinear(context, others, atom);
  if (a == 0 || std::abs(a) > largest || !split)
    return std::nullopt;
  MaybePoly square = multiply(context, split->coefficient, split->coefficient);
  MaybePoly discriminant = square ? combine(*square, 1, split->rest, -4 * a) : std::nullopt;
  auto root = discriminant ? getRoot(context, *discriminant, 4 * a) : std::nullopt;
  // With the rest k, it is the discriminant of C - k: 4*A*k more.
  if (!root || root->second % (4 * a) != 0)
    return std::nullopt;
  MaybePoly middle = add(Poly{Term{context.getMonomial(atom), 2 * a}}, split->coefficient);
  MaybePoly first = middle ? subtract(*middle, root->first) : std::nullopt;
  MaybePoly second = middle ? add(*middle, root->first) : std::nullopt;
  if (!first || !second)
    return std::nullopt;
  // Contents of products are products of contents (Gauss), so that 4*A goes with these.
  int64_t firstContent = getContent(*first), secondContent = getContent(*second);
  std::optional<int64_t> content = checkedMul(firstContent, secondContent);
  if (!content || *content % (4 * a) != 0)
    return std::nullopt;
  MaybePoly scaled = scale(divideCoefficients(*first, firstContent), *content / (4 * a));
  if (!scaled)
    return std::nullopt;
  return Factoring{std::move(*scaled), divideCoefficients(*second, secondContent), root->second / (4 * a)};
}

std::optional<Factoring> dyn::symbolic::factor(SymbolicContext::Impl &context, Terms terms) {
  bool hasProduct =
      terms.size() <= maximalTerms && llvm::any_of(terms, [](const Term &term) { return term.monomial->degree > 1; });
  if (!hasProduct || !getCommonMonomial(context, terms)->isOne())
    return std::nullopt;
  llvm::SmallVector<const Atom *, 8> atoms = getAtoms(terms);
  if (atoms.size() > maximalAtoms)
    return std::nullopt;
  context.spend(4 * terms.size());
  for (auto way : {factorByAtom, factorQuadratic})
    for (const Atom *atom : atoms)
      if (std::optional<Factoring> found = way(context, terms, atom))
        return found;
  return std::nullopt;
}

/// rule factors: E == c*M*P*Q |- E == M*(c*P)*Q
llvm::SmallVector<Expr, 4> dyn::symbolic::getFactors(Expr expr) {
  llvm::SmallVector<Expr, 4> factors;
  if (!expr || getTerms(expr).empty())
    return {expr};
  SymbolicContext::Impl &context = *expr.getNode()->context;
  const Monomial *common = getCommonMonomial(context, getTerms(expr));
  for (const Power &power : common->getPowers())
    factors.append(power.exponent, context.getExpr(power.atom));
  Poly rest = divideMonomial(context, getTerms(expr), common);
  std::optional<Factoring> sums = factor(context, rest);
  if (sums && sums->rest == 0)
    factors.append({context.getExpr(sums->first), context.getExpr(sums->second)});
  else if (factors.empty() || rest.size() > 1 || rest[0].coefficient != 1)
    factors.push_back(context.getExpr(rest));
  return factors;
}
