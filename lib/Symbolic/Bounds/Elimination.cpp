//===- Bounds by eliminating atoms ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Bounds/BoundSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace dyn::symbolic;

static constexpr int64_t minusInfinity = Interval::minusInfinity, plusInfinity = Interval::plusInfinity;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

Interval BoundProver::Search::getInterval(const Monomial *monomial) {
  if (const Atom *atom = monomial->getAtom())
    return prover.getAtomRange(atom);
  Interval result{1, 1};
  for (const Power &p : monomial->getPowers())
    result = multiply(result, power(prover.getAtomRange(p.atom), p.exponent));
  return result;
}

/// A sum that is no larger stays within 128 bits when one more product is added.
static constexpr __int128 hugeSum = __int128(1) << 100;

int64_t BoundProver::Search::getIntervalLower(Terms terms) {
  // Terms are in order of degree, so the cheap ones come last.
  __int128 sum = 0;
  for (const Term &term : llvm::reverse(terms)) {
    Interval range = getInterval(term.monomial);
    int64_t end = term.coefficient > 0 ? range.lower : range.upper;
    if (end == minusInfinity || end == plusInfinity)
      return minusInfinity;
    sum += __int128(end) * term.coefficient;
    if (sum > hugeSum || sum < -hugeSum)
      return minusInfinity;
  }
  return sum <= minusInfinity ? minusInfinity : sum >= plusInfinity ? plusInfinity - 1 : static_cast<int64_t>(sum);
}

int64_t BoundProver::Search::getIntervalLower(Terms lhs, int64_t lhsFactor, Terms rhs, int64_t rhsFactor) {
  __int128 sum = 0;
  const Term *a = lhs.end(), *b = rhs.end();
  while (a != lhs.begin() || b != rhs.begin()) {
    int order = a == lhs.begin() ? -1 : b == rhs.begin() ? 1 : compare(a[-1].monomial, b[-1].monomial);
    const Monomial *monomial = order >= 0 ? a[-1].monomial : b[-1].monomial;
    int64_t left = 0, right = 0, coefficient;
    if (order >= 0 && __builtin_mul_overflow((--a)->coefficient, lhsFactor, &left))
      return minusInfinity;
    if (order <= 0 && __builtin_mul_overflow((--b)->coefficient, rhsFactor, &right))
      return minusInfinity;
    if (__builtin_add_overflow(left, right, &coefficient))
      return minusInfinity;
    if (coefficient == 0)
      continue;
    Interval range = getInterval(monomial);
    int64_t end = coefficient > 0 ? range.lower : range.upper;
    if (end == minusInfinity || end == plusInfinity)
      return minusInfinity;
    sum += __int128(end) * coefficient;
    if (sum > hugeSum || sum < -hugeSum)
      return minusInfinity;
  }
  return sum <= minusInfinity ? minusInfinity : sum >= plusInfinity ? plusInfinity - 1 : static_cast<int64_t>(sum);
}

int64_t BoundProver::Search::getIntervalUpper(Terms terms) {
  __int128 sum = 0;
  for (const Term &term : llvm::reverse(terms)) {
    Interval range = getInterval(term.monomial);
    int64_t end = term.coefficient > 0 ? range.upper : range.lower;
    if (end == minusInfinity || end == plusInfinity)
      return plusInfinity;
    sum += __int128(end) * term.coefficient;
    if (sum > hugeSum || sum < -hugeSum)
      return plusInfinity;
  }
  return sum >= plusInfinity ? plusInfinity : sum <= minusInfinity ? minusInfinity + 1 : static_cast<int64_t>(sum);
}

//===----------------------------------------------------------------------===//
// Elimination
//===----------------------------------------------------------------------===//

int BoundProver::Search::getSign(Terms terms, unsigned level) {
  if (isConstant(terms)) {
    int64_t value = getConstantTerm(terms);
    return value >= 0 ? 1 : -1;
  }
  if (getIntervalLower(terms) >= 0)
    return 1;
  if (getIntervalUpper(terms) <= 0)
    return -1;
  if (level == 0)
    return 0;
  if (getLower(terms, 0, level - 1) >= 0)
    return 1;
  MaybePoly negated = scale(terms, -1);
  return negated && getLower(*negated, 0, level - 1) >= 0 ? -1 : 0;
}

int64_t BoundProver::Search::scaleGoal(int64_t goal, int64_t factor) {
  if (goal == plusInfinity)
    return goal;
  // Rounded up, what is more than one less will do.
  std::optional<int64_t> least = checkedMul(goal, factor);
  return least ? checkedSub(*least, factor - 1).value_or(plusInfinity) : plusInfinity;
}

/// rule divide-bound: d >= 1 and d*E >= b |- E >= ceildiv(b, d)
int64_t BoundProver::Search::ceilDivBound(int64_t bound, int64_t divisor) {
  if (bound == minusInfinity || divisor == 1)
    return bound;
  return checkedCeilDiv(bound, divisor).value_or(minusInfinity);
}

int64_t BoundProver::Search::getReplaced(const LinearSplit &split, Terms value, int64_t scale, int64_t goal,
                                         unsigned level) {
  // Where one of them is a number, there is no product to be made.
  Terms product = isConstant(value) ? Terms(split.coefficient) : value;
  int64_t factor = getConstantTerm(isConstant(value) ? value : Terms(split.coefficient));
  MaybePoly made;
  if (!isConstant(value) && !isConstant(split.coefficient)) {
    made = multiply(context, split.coefficient, value);
    if (!made)
      return minusInfinity;
    product = *made;
    factor = 1;
  }
  if (factor == 0)
    product = {};
  if (level == 1)
    return ceilDivBound(getIntervalLower(product, factor, split.rest, scale), scale);
  LongPoly sum;
  if (!combine(product, factor, split.rest, scale, sum))
    return minusInfinity;
  return ceilDivBound(getLower(sum, scaleGoal(goal, scale), level - 1), scale);
}

/// By the least divisor a quotient is furthest from 0, by the greatest it is nearest. A divisor that is not negative is
/// at least 1 where the atom has a value; of a negative one, both sides change their signs.
///
/// rule floordiv-by-least: Q >= d >= 1 and P >= 0 |- d*floordiv(P, Q) <= P
/// rule floordiv-by-least-negative: Q >= d >= 1 and P <= 0 |- d*floordiv(P, Q) >= P - d + 1
/// rule floordiv-by-greatest: 1 <= Q <= u and P >= 0 |- u*floordiv(P, Q) >= P - u + 1
/// rule floordiv-by-greatest-negative: 1 <= Q <= u and P <= 0 |- u*floordiv(P, Q) <= P
/// rule floordiv-sign: Q >= 1 and P >= 0 |- floordiv(P, Q) >= 0
/// rule floordiv-sign-negative: Q >= 1 and P <= 0 |- floordiv(P, Q) <= 0
/// rule floordiv-sign-strict: Q >= 1 and P <= -1 |- floordiv(P, Q) <= -1
int64_t BoundProver::Search::eliminateQuotientByRange(const Atom *atom, const LinearSplit &split, int64_t goal,
                                                      unsigned level) {
  Terms dividend = getTerms(atom->operands[0]), divisor = getTerms(atom->operands[1]);
  int sign = getSign(split.coefficient, level - 1), divisorSign = 0;
  if (sign != 0) {
    // Remainders have theirs without facts, of which many may have to be tried.
    llvm::SaveAndRestore withoutFacts(usesInequalities, false);
    divisorSign = getSign(divisor, level - 1);
  }
  if (sign != 0 && divisorSign == 0)
    divisorSign = getSign(divisor, level - 1);
  MaybePoly negatedDividend, negatedDivisor;
  if (divisorSign < 0) {
    negatedDividend = scale(dividend, -1);
    negatedDivisor = scale(divisor, -1);
    if (!negatedDividend || !negatedDivisor)
      return minusInfinity;
    dividend = *negatedDividend;
    divisor = *negatedDivisor;
  }
  int dividendSign = divisorSign ? getSign(dividend, level - 1) : 0;
  if (dividendSign == 0)
    return minusInfinity;
  bool isFurthest = dividendSign != sign;
  int64_t limit = isFurthest ? std::max<int64_t>(getIntervalLower(divisor), 1) : getIntervalUpper(divisor);
  // What intervals tell is in that of the atom.
  bool isInInterval = dividendSign > 0 ? getIntervalLower(dividend) >= 0 : getIntervalUpper(dividend) <= 0;
  if (limit < 1 || (!isFurthest && isInInterval))
    return minusInfinity;
  if (limit == plusInfinity) {
    MaybePoly successor = dividendSign < 0 ? addConstant(context, dividend, 1) : std::nullopt;
    bool isNegative = successor && getSign(*successor, level - 1) < 0;
    return getReplaced(split, isNegative ? Terms(Term{context.getOne(), -1}) : Terms(), 1, goal, level);
  }
  bool isExact = sign < 0 || atom->kind == AtomKind::ExactDiv;
  MaybePoly bound = isExact ? Poly(dividend) : addConstant(context, dividend, 1 - limit);
  return bound ? getReplaced(split, *bound, limit, goal, level) : minusInfinity;
}

/// rule floordiv-between: Q >= 1 |- P - Q + 1 <= Q*floordiv(P, Q) <= P
/// rule floordiv-between-negative: Q <= -1 |- P <= Q*floordiv(P, Q) <= P - Q - 1
int64_t BoundProver::Search::eliminateFloorDiv(const Atom *atom, const LinearSplit &split, int64_t goal,
                                               unsigned level) {
  Terms dividend = getTerms(atom->operands[0]), divisor = getTerms(atom->operands[1]);
  bool exact = atom->kind == AtomKind::ExactDiv;
  if (isConstant(divisor)) {
    int64_t q = getConstantTerm(divisor);
    int sign = getSign(split.coefficient, level - 1);
    if (q <= 0 || sign == 0)
      return minusInfinity;
    // q * floordiv(P, q) >= P - (q - 1), and <= P.
    if (exact || sign < 0)
      return getReplaced(split, dividend, q, goal, level);
    MaybePoly least = addConstant(context, dividend, 1 - q);
    return least ? getReplaced(split, *least, q, goal, level) : minusInfinity;
  }
  // The same with a symbolic divisor, where the atom stands beside a multiple of it.
  MaybePoly quotient = divideExactly(context, split.coefficient, divisor);
  if (!quotient)
    return eliminateQuotientByRange(atom, split, goal, level);
  LinearSplit scaled{std::move(*quotient), split.rest};
  if (exact)
    return getReplaced(scaled, dividend, 1, goal, level);
  int sign = getSign(scaled.coefficient, level - 1);
  int divisorSign = getSign(divisor, level - 1);
  if (sign == 0 || divisorSign == 0)
    return minusInfinity;
  // Q * floordiv(P, Q) lies in [P - Q + 1, P] for Q > 0 and in [P, P - Q - 1] for Q < 0; Q is not 0 where the
  // atom has a value.
  if ((sign > 0) == (divisorSign < 0))
    return getReplaced(scaled, dividend, 1, goal, level);
  MaybePoly other = subtract(dividend, divisor);
  other = other ? addConstant(context, *other, divisorSign) : std::nullopt;
  return other ? getReplaced(scaled, *other, 1, goal, level) : minusInfinity;
}

/// rule max-is-least-bound: True |- max(x, y) >= x and max(x, y) >= y and (max(x, y) == x or max(x, y) == y)
/// rule max-mean: True |- 3*max(x, y, z) >= x + y + z
/// rule bcast-is-operand: True |- bcast(x, y) == x or bcast(x, y) == y
int64_t BoundProver::Search::eliminateMax(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level) {
  int sign = atom->kind == AtomKind::Max ? getSign(split.coefficient, level - 1) : -1;
  if (sign == 0)
    return minusInfinity;
  if (sign > 0) {
    // At least as large as each operand, and as their mean. First those that mention what is subtracted: it may cancel.
    int64_t best = minusInfinity;
    auto mentionsSubtracted = [&](Expr operand) {
      return llvm::any_of(split.rest, [&](const Term &term) {
        const Atom *other = term.coefficient < 0 ? term.monomial->getAtom() : nullptr;
        return other && !other->isSymbol() && mentions(getTerms(operand), other);
      });
    };
    llvm::SmallVector<Expr> operands;
    llvm::copy_if(atom->operands, std::back_inserter(operands), mentionsSubtracted);
    llvm::copy_if(atom->operands, std::back_inserter(operands),
                  [&](Expr operand) { return !llvm::is_contained(operands, operand); });
    for (Expr operand : operands) {
      best = std::max(best, getReplaced(split, getTerms(operand), 1, goal, level));
      if (best >= goal)
        return best;
    }
    MaybePoly sum = Poly();
    for (Expr operand : atom->operands)
      sum = sum ? add(*sum, getTerms(operand)) : std::nullopt;
    return sum ? std::max(best, getReplaced(split, *sum, atom->operands.size(), goal, level)) : best;
  }
  // Equal to one of the operands.
  int64_t worst = plusInfinity;
  for (Expr operand : atom->operands) {
    worst = std::min(worst, getReplaced(split, getTerms(operand), 1, goal, level));
    if (worst == minusInfinity)
      break;
  }
  return worst;
}

/// rule monotone: C >= 0 and v >= l |- C*v + R >= C*l + R
/// rule linear-in-range: l <= v <= u |- C*v + R >= C*l + R or C*v + R >= C*u + R
int64_t BoundProver::Search::eliminateByInterval(const Atom *atom, const LinearSplit &split, int64_t goal,
                                                 unsigned level) {
  Interval range = prover.getAtomRange(atom);
  if (!range.hasLower() && !range.hasUpper())
    return minusInfinity;
  auto at = [&](int64_t value) {
    if (value == minusInfinity || value == plusInfinity)
      return minusInfinity;
    Term constant{context.getOne(), value};
    return getReplaced(split, value != 0 ? Terms(constant) : Terms(), 1, goal, level);
  };
  switch (getSign(split.coefficient, level - 1)) {
  case 1:
    return at(range.lower);
  case -1:
    return at(range.upper);
  default: {
    // Linear in the atom, so least at one of the ends.
    if (!range.hasLower() || !range.hasUpper())
      return minusInfinity;
    int64_t bound = at(range.lower);
    return bound == minusInfinity ? bound : std::min(bound, at(range.upper));
  }
  }
}

/// terms with every power of `atom` replaced by that power of `value`.
static MaybePoly replaceAtom(SymbolicContext::Impl &context, Terms terms, const Atom *atom, Terms value) {
  Poly others, products;
  for (const Term &term : terms) {
    uint32_t exponent = term.monomial->getExponent(atom);
    if (exponent == 0) {
      others.push_back(term);
      continue;
    }
    const Monomial *power = context.getMonomial(Power{atom, exponent});
    MaybePoly product = Poly(1, Term{divide(context, term.monomial, power), term.coefficient});
    for (uint32_t i = 0; i < exponent && product; ++i)
      product = multiply(context, *product, value);
    if (!product)
      return std::nullopt;
    products.append(*product);
  }
  // They are sorted, and each was made with several lookups.
  context.spend(4 * products.size());
  MaybePoly sum = normalize(std::move(products));
  return sum ? add(others, *sum) : std::nullopt;
}

/// For an atom with higher powers: if a step up never makes the polynomial smaller, it is least where the atom is.
/// rule step-up: a >= 0 and l <= v and a*(2*l + 1) + b >= 0 |- a*v*v + b*v >= a*l*l + b*l
int64_t BoundProver::Search::eliminateByDifference(const Atom *atom, Terms terms, int64_t goal, unsigned level) {
  Interval range = prover.getAtomRange(atom);
  if (!range.hasLower() && !range.hasUpper())
    return minusInfinity;
  Poly next{{context.getMonomial(atom), 1}, {context.getOne(), 1}};
  MaybePoly moved = replaceAtom(context, terms, atom, next);
  MaybePoly difference = moved ? subtract(*moved, terms) : std::nullopt;
  if (!difference)
    return minusInfinity;
  // This compares values along the whole range of the atom, also where the facts do not hold. So nothing may be used
  // that ties the atom to others: inequalities, and what divisions and maxima mean.
  bool onlySymbols = llvm::all_of(getAtoms(terms), [](const Atom *other) { return other->isSymbol(); });
  bool used = std::exchange(usesInequalities, false);
  int sign = getSign(*difference, onlySymbols ? level - 1 : 0);
  usesInequalities = used;
  int64_t end = sign > 0 ? range.lower : sign < 0 ? range.upper : minusInfinity;
  if (end == minusInfinity || end == plusInfinity)
    return minusInfinity;
  Poly constant;
  if (end != 0)
    constant.push_back({context.getOne(), end});
  MaybePoly replaced = replaceAtom(context, terms, atom, constant);
  return replaced ? getLower(*replaced, goal, level - 1) : minusInfinity;
}

int64_t BoundProver::Search::eliminate(const Atom *atom, const LinearSplit &split, int64_t goal, unsigned level) {
  switch (atom->kind) {
  case AtomKind::Symbol:
    return minusInfinity;
  case AtomKind::FloorDiv:
  case AtomKind::ExactDiv:
    return eliminateFloorDiv(atom, split, goal, level);
  case AtomKind::Max:
  case AtomKind::Bcast:
    return eliminateMax(atom, split, goal, level);
  }
  return minusInfinity;
}
