//===- Equations about products, sums and single atoms -------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Factoring.h"
#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Products and sums
//===----------------------------------------------------------------------===//

/// The r with r**exponent == value.
static std::optional<int64_t> getRoot(int64_t value, uint32_t exponent) {
  int64_t root = std::llround(std::pow(static_cast<double>(value), 1.0 / exponent));
  for (int64_t candidate = std::max<int64_t>(root - 1, 0); candidate <= root + 1; ++candidate) {
    std::optional<int64_t> power = 1;
    for (uint32_t i = 0; i < exponent && power; ++i)
      power = checkedMul(*power, candidate);
    if (power == value)
      return candidate;
  }
  return std::nullopt;
}

/// What x is a multiple of where x**exponent is one of `value`: each prime of that half as often, rounded up, for a
/// square. Large primes are left out.
static int64_t getDivisorOfRoot(int64_t value, uint32_t exponent) {
  constexpr int64_t largestPrime = 1000;
  int64_t divisor = 1;
  for (int64_t prime = 2; prime <= largestPrime && prime <= value; ++prime)
    for (uint32_t count = 0; value % prime == 0; ++count) {
      value /= prime;
      if (count % exponent == 0)
        divisor *= prime;
    }
  return divisor;
}

/// s*s == 4*R: what all other coefficients have in common divides the power of a symbol, and something of it the
/// symbol, by which the equation is another one. Of what has no name that ends nowhere: `x*x*x == 2*y*y*y + 4*z*z*z`
/// comes back.
///
/// rule divisor-of-square: x*x == 4*y |- mod(x, 2) == 0
/// rule divisor-of-cube: x*x*x == 9*y |- mod(x, 3) == 0
FactStore::Solved FactStore::solveDivisorsOfPowers(Expr expr) {
  Terms terms = getTerms(expr);
  for (const Term &term : terms) {
    llvm::ArrayRef<Power> powers = term.monomial->getPowers();
    if (powers.size() != 1 || powers[0].exponent < 2 || !powers[0].atom->isSymbol() || look(powers[0].atom).isParameter)
      continue;
    int64_t common = 0;
    for (const Term &other : terms)
      if (&other != &term)
        common = std::gcd(common, other.coefficient);
    Expr symbol = context.getExpr(powers[0].atom);
    int64_t divisor =
        common > 1 ? getDivisorOfRoot(common / std::gcd(common, term.coefficient), powers[0].exponent) : 1;
    auto [modulus, remainder] = getCongruence(symbol);
    if (divisor == 1 || (modulus % divisor == 0 && remainder % divisor == 0))
      continue;
    push(Task::Zero, expr);
    return assertCongruent(symbol, divisor, 0);
  }
  return std::nullopt;
}

/// m**n == k**n with m, k >= 0: m == k, where either may be a number, or have a factor that is a power too.
///
/// rule squares: x >= 0 and y >= 0 and x*x == y*y |- x == y
/// rule cubes: x >= 0 and y >= 0 and x*x*x == y*y*y |- x == y
/// rule roots-of-other-numbers: x*x == 2*y*y |- x == 0 and y == 0
/// rule no-square: y == x*x |- y != 3 and 4*y != 7
FactStore::Solved FactStore::solvePowers(Expr expr) {
  Terms terms = getTerms(expr);
  if (terms.size() != 2 || (terms[0].coefficient < 0) == (terms[1].coefficient < 0))
    return std::nullopt;
  uint32_t exponent = 0;
  for (const Term &term : terms)
    for (const Power &power : term.monomial->getPowers())
      exponent = std::gcd(exponent, power.exponent);
  if (exponent < 2)
    return std::nullopt;
  Expr roots[2];
  bool areRational = true;
  for (auto [term, root] : llvm::zip_equal(terms, roots)) {
    std::optional<int64_t> size = checkedMul(term.coefficient, term.coefficient < 0 ? -1 : 1);
    if (!size)
      return std::nullopt;
    std::optional<int64_t> factor = getRoot(*size, exponent);
    areRational &= factor.has_value();
    llvm::SmallVector<Power, 4> powers(term.monomial->getPowers());
    for (Power &power : powers)
      power.exponent /= exponent;
    root = context.getExpr(Term{context.getMonomial(powers), factor.value_or(1)});
  }
  // A quotient of two powers has a root: numbers without a common divisor, as an equation's are here, are both powers.
  if (!areRational) {
    if (llvm::any_of(terms, [](const Term &term) { return term.monomial->isOne(); }))
      return contradict();
    for (Expr root : roots)
      push(Task::Zero, root);
    return true;
  }
  if (!prover.isAtLeast(roots[0], 0) || !prover.isAtLeast(roots[1], 0))
    return std::nullopt;
  push(Task::Zero, builder.subtract(roots[0], roots[1]));
  return true;
}

/// m * R == 0: one of the factors is zero.
/// rule zero-product: x*R == 0 |- x == 0 or R == 0
FactStore::Solved FactStore::solveFactors(Expr expr) {
  const Monomial *common = getCommonMonomial(context, getTerms(expr));
  if (common->isOne() || (common->degree == 1 && getTerms(expr).size() == 1))
    return std::nullopt;
  Expr rest = context.getExpr(divideMonomial(context, getTerms(expr), common));
  Expr zero = context.getConstant(0);
  std::vector<Predicate> alternatives;
  for (const Power &power : common->getPowers())
    alternatives.push_back(Predicate::equal(context.getExpr(power.atom), zero));
  if (!rest.getConstant())
    alternatives.push_back(Predicate::equal(rest, zero));
  if (alternatives.size() == 1) {
    push(Task::Zero, alternatives.front().lhs);
    return true;
  }
  tasks.push_back({Task::Disjunction, Expr(), Predicate::disjunction(std::move(alternatives))});
  return store(expr);
}

/// `(p + s)*d == 768` says that p + s is not 0, nor d, and that d is no more than 768. Of d at once, since little
/// effort may be left.
///
/// rule factor-of-number: c != 0 and x*R + c == 0 |- x != 0 and (x <= c or x <= -c) and (x >= c or x >= -c)
/// rule cofactor-of-number: c != 0 and x*R + c == 0 |- R != 0
bool FactStore::learnFactors(Expr expr) {
  int64_t constant = getConstantTerm(getTerms(expr));
  const Monomial *common = getCommonMonomial(context, dropConstant(getTerms(expr)));
  if (constant == 0 || constant == INT64_MIN || common->isOne())
    return true;
  // In the form in which it is of use as it stands.
  if (Expr rest = context.getExpr(divideMonomial(context, dropConstant(getTerms(expr)), common)); !rest.getConstant()) {
    bool isAbove = prover.isAtLeast(rest, 0), isBelow = !isAbove && prover.isAtMost(rest, 0);
    Expr size = isBelow ? builder.scale(rest, -1) : rest;
    push(isAbove || isBelow ? Task::NonNegative : Task::NonZero,
         isAbove || isBelow ? builder.subtract(size, context.getConstant(1)) : rest);
  }
  Interval range{-std::abs(constant), std::abs(constant)};
  return llvm::all_of(common->getPowers(), [&](const Power &power) {
    const Atom *symbol = power.atom;
    return !symbol->isSymbol() || (excludeValue(symbol, 0) && restrictRange(symbol, range));
  });
}

/// Is another sum 0 wherever a sum of sizes is, because these are all 0 then?
/// rule zero-where-sum-is: x >= 0 and y >= 0 and x + y == 0 |- c*x + d*y == 0
bool FactStore::vanishesWith(Expr sum, Expr other) {
  Terms terms = getTerms(sum);
  if (terms.empty() || getConstantTerm(terms) != 0 || getConstantTerm(getTerms(other)) != 0)
    return false;
  int sign = terms[0].coefficient < 0 ? -1 : 1;
  return llvm::all_of(terms,
                      [&](const Term &term) {
                        return term.monomial->degree == 1 && (term.coefficient < 0 ? -1 : 1) == sign &&
                               prover.isAtLeast(Term{term.monomial, 1}, 0);
                      }) &&
         llvm::all_of(getTerms(other), [&](const Term &term) {
           return llvm::any_of(
               terms, [&](const Term &zero) { return term.monomial->getExponent(zero.monomial->getAtom()) > 0; });
         });
}

/// F*G == 0, or F*G == v: each factor divides v.
/// rule zero-with-sum: x >= 0 and y >= 0 and (x - y)*(x + y) == 0 |- x == y
/// rule factors-of-one: x*y == 1 |- (x == 1 and y == 1) or (x == -1 and y == -1)
FactStore::Solved FactStore::solveFactoring(Expr expr) {
  constexpr int64_t largestValue = 256;
  constexpr size_t maximalAlternatives = 4;
  std::optional<Factoring> factoring = factor(context, getTerms(expr));
  if (!factoring || factoring->rest < -largestValue || factoring->rest > largestValue)
    return std::nullopt;
  Expr first = context.getExpr(factoring->first), second = context.getExpr(factoring->second);
  std::vector<Predicate> alternatives;
  if (factoring->rest == 0) {
    Expr zero = context.getConstant(0);
    bool isFirst = first == second || prover.isNonZero(second) || vanishesWith(second, first);
    if (isFirst || prover.isNonZero(first) || vanishesWith(first, second)) {
      push(Task::Zero, isFirst ? first : second);
      return true;
    }
    alternatives = {Predicate::equal(first, zero), Predicate::equal(second, zero)};
  } else {
    // Of two symbols there are as many alternatives as divisors.
    if (factoring->first.size() == 1 && factoring->second.size() == 1)
      return std::nullopt;
    // Once for all divisors.
    Interval ofFirst = prover.getRange(first), ofSecond = prover.getRange(second);
    int64_t product = -factoring->rest, size = std::abs(product);
    for (int64_t divisor = -size; divisor <= size && alternatives.size() <= maximalAlternatives; ++divisor)
      if (divisor != 0 && product % divisor == 0 && ofFirst.contains(divisor) && ofSecond.contains(product / divisor))
        alternatives.push_back(
            Predicate::conjunction({Predicate::equal(first, context.getConstant(divisor)),
                                    Predicate::equal(second, context.getConstant(product / divisor))}));
    if (alternatives.empty())
      return contradict();
    if (alternatives.size() > maximalAlternatives)
      return std::nullopt;
  }
  tasks.push_back({Task::Disjunction, Expr(), Predicate::disjunction(std::move(alternatives))});
  return store(expr);
}

static bool isNegativeMultiple(Terms terms, Terms of) {
  int64_t ratio = terms.front().coefficient / of.front().coefficient;
  MaybePoly multiple = ratio < 0 ? scale(of, ratio) : std::nullopt;
  return multiple && llvm::equal(*multiple, terms);
}

/// F*G >= 0 where G >= 0: F >= 0, but perhaps where G is 0, and there too where F + G or F - G are. Where F and G add
/// up to r or more, F*G + r is not less than 0 for an F that is. False on contradiction.
///
/// rule sign-with-sum: x >= 0 and y >= 0 and (x - y)*(x + y) >= 0 |- x >= y
/// rule sign-with-other: G >= 0 and (F + G >= 0 or F - G >= 0) and F*G >= 0 |- F >= 0
/// rule square-below-zero: c >= 1 and 0 - c*F*F >= 0 |- F == 0
/// rule positive-product: y >= 0 and x*y >= 1 |- x >= 1 and y >= 1
/// rule nearly-positive-product: r >= 0 and F + G >= r and F*G + r >= 0 |- F >= 0
bool FactStore::narrowFactors(Expr expr) {
  std::optional<Factoring> factoring = factor(context, getTerms(expr));
  if (!factoring)
    return true;
  Expr one = context.getConstant(1), first = context.getExpr(factoring->first);
  Expr second = context.getExpr(factoring->second);
  if (factoring->rest == 0 && isNegativeMultiple(factoring->first, factoring->second)) {
    push(Task::Zero, second);
    return true;
  }
  if (prover.isAtMost(first, 0) || prover.isAtMost(second, 0)) {
    first = builder.scale(first, -1);
    second = builder.scale(second, -1);
    if (!first || !second)
      return true;
  }
  if (factoring->rest > 0) {
    Expr sum = builder.subtract(builder.add(first, second), context.getConstant(factoring->rest));
    if (sum && prover.isAtLeast(sum, 0)) {
      push(Task::NonNegative, first);
      push(Task::NonNegative, second);
    }
    return true;
  }
  bool isPositive = factoring->rest < 0;
  if (isPositive && !prover.isAtLeast(first, 0) && !prover.isAtLeast(second, 0))
    return true;
  auto isAtLeastZero = [&](Expr sum) { return sum && prover.isAtLeast(sum, 0); };
  for (auto [sum, other] : {std::pair(first, second), std::pair(second, first)}) {
    // At once, since little effort may be left for what is learnt.
    if (isPositive && prover.isAtMost(sum, 0))
      return contradict();
    if (isPositive)
      push(Task::NonNegative, builder.subtract(sum, one));
    else if (prover.isAtLeast(other, 0) &&
             (prover.isAtLeast(other, 1) || vanishesWith(other, sum) || isAtLeastZero(builder.add(sum, other)) ||
              isAtLeastZero(builder.subtract(sum, other))))
      push(Task::NonNegative, sum);
  }
  return true;
}

/// A sum of terms that are all >= 0 is 0: so is each.
/// rule sum-of-one-sign: a >= 1 and b >= 1 and x >= 0 and y >= 0 and a*x + b*y == 0 |- x == 0 and y == 0
FactStore::Solved FactStore::solveSumOfOneSign(Expr expr) {
  Terms terms = getTerms(expr);
  if (terms.size() < 2 || getConstantTerm(terms) != 0)
    return std::nullopt;
  int sign = terms[0].coefficient < 0 ? -1 : 1;
  for (const Term &term : terms)
    if ((term.coefficient < 0 ? -1 : 1) != sign || !prover.isAtLeast(Term{term.monomial, 1}, 0))
      return std::nullopt;
  for (const Term &term : terms)
    push(Task::Zero, context.getExpr(Term{term.monomial, 1}));
  return true;
}

//===----------------------------------------------------------------------===//
// Equations about one atom
//===----------------------------------------------------------------------===//

/// c*A + R == 0 for an atom A that is no symbol.
/// rule known-quotient: Q >= 1 and floordiv(P, Q) == V |- 0 <= P - Q*V <= Q - 1
/// rule known-quotient-by-size: Q >= 0 and P >= 0 and floordiv(P, Q) == V |- P - Q*V >= 0
/// rule known-exact-quotient: Q != 0 and P == Q*k and k == V |- P - Q*V == 0
FactStore::Solved FactStore::solveForAtom(Expr expr) {
  // Of two quotients, the one that the equation rewrites tells nothing in terms of the other.
  bool isQuotientKnown = false;
  for (const Term &term : getTerms(expr)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->isSymbol() || (isQuotientKnown && atom->kind != AtomKind::FloorDiv))
      continue;
    Poly others(getTerms(expr));
    others.erase(others.begin() + (&term - getTerms(expr).begin()));
    if (mentions(others, atom))
      continue;
    Expr rest = context.getExpr(others);
    if (atom->kind == AtomKind::Max || atom->kind == AtomKind::Bcast)
      return solveForChoice(expr, atom, term.coefficient, rest);
    Expr value = isUnit(term.coefficient) ? builder.scale(rest, -term.coefficient) : Expr();
    if (!value)
      continue;
    if (atom->kind == AtomKind::ExactDiv) {
      if (!divides(atom->operands[1], atom->operands[0]))
        continue;
      push(Task::Zero, builder.subtract(atom->operands[0], builder.multiply(atom->operands[1], value)));
      return true;
    }
    if (!prover.isAtLeast(atom->operands[1], 1)) {
      // By a size that may be 0: nothing is said there, and no dividend is less than 0 times anything.
      if (prover.isAtLeast(atom->operands[1], 0) && prover.isAtLeast(atom->operands[0], 0))
        push(Task::NonNegative, builder.subtract(atom->operands[0], builder.multiply(atom->operands[1], value)));
      continue;
    }
    Interval range = prover.getAtomRange(atom);
    if (range.hasLower())
      push(Task::NonNegative, builder.subtract(value, context.getConstant(range.lower)));
    if (range.hasUpper())
      push(Task::NonNegative, builder.subtract(context.getConstant(range.upper), value));
    // Q*V <= P <= Q*V + Q - 1 for floordiv(P, Q) == V.
    Expr excess = builder.subtract(atom->operands[0], builder.multiply(atom->operands[1], value));
    push(Task::NonNegative, excess);
    push(Task::NonNegative, builder.add(builder.subtract(atom->operands[1], excess), context.getConstant(-1)));
    isQuotientKnown = true;
  }
  return isQuotientKnown ? Solved(store(expr)) : std::nullopt;
}

bool FactStore::divides(Expr divisor, Expr dividend) {
  Expr zero = context.getConstant(0), remainder = builder.mod(dividend, divisor);
  return remainder && decide(Predicate::notEqual(divisor, zero)) == Verdict::Yes &&
         decide(Predicate::equal(remainder, zero)) == Verdict::Yes;
}

/// c*A + R == 0, where the atom is equal to one of its operands.
/// rule known-max: c*max(x, y) + R == 0 |- c*x + R == 0 or c*y + R == 0
/// rule known-max-bound: c >= 1 and c*max(x, y) + R == 0 |- c*x + R <= 0 and c*y + R <= 0
/// rule known-bcast: bcast(x, y) == V |- x == V or y == V
/// rule operands-of-known-bcast: bc_ok(x, y) and bcast(x, y) == V |- bc_ok(x, V) and bc_ok(y, V)
bool FactStore::solveForChoice(Expr expr, const Atom *atom, int64_t coefficient, Expr rest) {
  Expr zero = context.getConstant(0);
  // That a broadcast is known does not say that it has a value.
  bool hasValue = atom->kind == AtomKind::Bcast && areBroadcastable(atom->operands);
  std::vector<Predicate> alternatives;
  for (Expr operand : atom->operands) {
    Expr difference = builder.add(builder.scale(operand, coefficient), rest);
    if (!difference)
      return store(expr);
    alternatives.push_back(Predicate::equal(difference, zero));
    // Of a max, none is larger.
    if (atom->kind == AtomKind::Max)
      push(Task::NonNegative, coefficient > 0 ? builder.scale(difference, -1) : difference);
    else if (hasValue && isUnit(coefficient))
      tasks.push_back(
          {Task::Disjunction, Expr(), Predicate::broadcastable(operand, builder.scale(rest, -coefficient))});
  }
  tasks.push_back({Task::Disjunction, Expr(), Predicate::disjunction(std::move(alternatives))});
  return store(expr);
}
