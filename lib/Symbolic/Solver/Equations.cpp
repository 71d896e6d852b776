//===- Solving equations --------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// The symbol that a term consists of, but for its coefficient.
static const Atom *getSymbolOf(const Term &term) {
  const Atom *atom = term.monomial->getAtom();
  return atom && atom->isSymbol() ? atom : nullptr;
}

/// rule indivisible: c >= 2 and 0 < d < c |- c*X + d != 0
/// rule primitive: c >= 1 and c*X == 0 |- X == 0
bool FactStore::assertZero(Expr expr) {
  if (!expr || getTerms(expr).empty())
    return true;
  expr = cancelNonZeroFactors(expr);
  Terms variable = dropConstant(getTerms(expr));
  if (variable.empty())
    return contradict();
  int64_t content = getContent(variable), constant = getConstantTerm(getTerms(expr));
  if (constant % content != 0)
    return contradict();
  if (content > 1)
    expr = context.getExpr(divideCoefficients(getTerms(expr), content));
  if (!namesValue(expr) && (prover.isAtLeast(expr, 1) || prover.isAtMost(expr, -1)))
    return contradict();

  using Way = Solved (FactStore::*)(Expr);
  for (Way way : {&FactStore::solveForSymbol, &FactStore::solveRemainder, &FactStore::solveSumOfOneSign,
                  &FactStore::solveTwoSymbols, &FactStore::solveLinear, &FactStore::solvePowers,
                  &FactStore::solveFactors, &FactStore::solveForAtom, &FactStore::solveFactoring})
    if (Solved solved = (this->*way)(expr))
      return *solved;
  learnModuli(expr);
  learnMultiple(expr);
  if (contradictory)
    return false;
  // A symbol of the equation may be gone now.
  if (Expr inner = getInner(expr); inner != expr) {
    push(Task::Zero, expr);
    return true;
  }
  return store(expr);
}

/// Is there a symbol that it may be solved for, and that no value mentions? It or another one gets a value: that this
/// is in range is told then, and what else is known of it is told again.
bool FactStore::namesValue(Expr equation) const {
  Terms terms = getTerms(equation);
  return llvm::any_of(terms, [&](const Term &term) {
    const Atom *symbol = getSymbolOf(term);
    return symbol && isUnit(term.coefficient) && countUses(symbol) == 0 && llvm::none_of(terms, [&](const Term &other) {
             return &other != &term && (other.monomial->getSymbolMask() & symbol->symbolMask);
           });
  });
}

bool FactStore::store(Expr equation) {
  if (!equation || contains(Equation, equation))
    return true;
  keep(Equation, equation);
  changed();
  // Others do not rewrite.
  if (isUnit(rewritten.back().coefficient))
    refreshValues(rewritten.back());
  // An equation that rewrites needs no inequalities beside it, but for what they say about ranges.
  Expr negated = builder.scale(equation, -1);
  if (!isUnit(rewritten.back().coefficient)) {
    push(Task::NonNegative, equation);
    push(Task::NonNegative, negated);
  } else if (negated && !(propagateBounds(equation) && propagateBounds(negated))) {
    return contradict();
  }
  // Other facts may become simpler by it.
  touch(equation);
  return learnFromProducts(equation) || contradict();
}

/// Divides by the common monomial as far as its factors are not zero.
/// rule cancel-in-equation: x != 0 and x*R == 0 |- R == 0
Expr FactStore::cancelNonZeroFactors(Expr expr) {
  const Monomial *common = getCommonMonomial(context, getTerms(expr));
  llvm::SmallVector<Power, 4> powers;
  for (const Power &power : common->getPowers())
    if (prover.isNonZero(context.getExpr(power.atom)))
      powers.push_back(power);
  if (powers.empty())
    return expr;
  return context.getExpr(divideMonomial(context, getTerms(expr), context.getMonomial(powers)));
}

//===----------------------------------------------------------------------===//
// Linear equations
//===----------------------------------------------------------------------===//

/// s + R == 0 gives s the value -R.
/// rule solve: s + R == 0 |- s == -R
FactStore::Solved FactStore::solveForSymbol(Expr expr) {
  Terms terms = getTerms(expr);
  const Atom *best = nullptr;
  Poly bestRest;
  int64_t bestSign = 0;
  for (const Term &term : terms) {
    const Atom *symbol = getSymbolOf(term);
    if (!symbol || !isUnit(term.coefficient) || (best && isLeftRather(symbol, best)))
      continue;
    Poly rest(terms);
    rest.erase(rest.begin() + (&term - terms.begin()));
    if (mentions(rest, symbol))
      continue;
    best = symbol;
    bestRest = std::move(rest);
    bestSign = term.coefficient;
  }
  if (!best)
    return std::nullopt;
  // What stays may have to be expressed by what goes (2*i == s with s the user's): then it becomes a parameter.
  for (const Atom *atom : getAtoms(bestRest)) {
    if (!atom->isSymbol() || look(atom).isParameter || !isPreferred(best, atom) ||
        look(best).symbolClass == SymbolClass::Internal)
      continue;
    const Atom *parameter = createParameter(atom, context.getExpr(atom));
    if (!assign(atom, context.getExpr(parameter)))
      return false;
  }
  Expr value = getInner(builder.scale(context.getExpr(bestRest), -bestSign));
  if (!value)
    return std::nullopt;
  // The equation was not in its last form.
  if (mentions(getTerms(value), best)) {
    push(Task::Zero, builder.subtract(context.getExpr(best), value));
    return true;
  }
  return assign(best, value);
}

/// a*x == b*y: x = (b/g)*k, y = (a/g)*k
/// rule two-symbols: u*a + v*b == 1 and a*x == b*y |- x == b*(u*y + v*x) and y == a*(u*y + v*x)
FactStore::Solved FactStore::solveTwoSymbols(Expr expr) {
  Terms terms = getTerms(expr);
  if (terms.size() != 2)
    return std::nullopt;
  const Atom *x = getSymbolOf(terms[0]), *y = getSymbolOf(terms[1]);
  int64_t a = terms[0].coefficient, b = terms[1].coefficient;
  if (!x || !y || (a < 0) == (b < 0))
    return std::nullopt;
  int64_t common = std::gcd(a, b);
  Expr definition = builder.floorDiv(context.getExpr(x), context.getConstant(std::abs(b) / common));
  Expr parameter = context.getExpr(createParameter(isPreferred(x, y) ? x : y, definition));
  return assign(x, builder.scale(parameter, std::abs(b) / common)) &&
         assign(y, builder.scale(parameter, std::abs(a) / common));
}

/// Makes the smallest coefficient smaller: c*s + R == 0 with t = s + floordiv(R, c), coefficient by coefficient, is
/// c*t + (R mod c) == 0.
/// rule smaller-coefficient: t == s + K and c*s + R == 0 |- c*t + R - c*K == 0
FactStore::Solved FactStore::solveLinear(Expr expr) {
  Terms terms = getTerms(expr);
  const Term *least = nullptr;
  for (const Term &term : dropConstant(terms)) {
    if (!getSymbolOf(term))
      return std::nullopt;
    if (!least || std::abs(term.coefficient) < std::abs(least->coefficient))
      least = &term;
  }
  if (isUnit(least->coefficient))
    return std::nullopt;
  if (dropConstant(terms).size() == 1) {
    // The constant is a multiple: assertZero has seen to that.
    return assign(getSymbolOf(*least), context.getConstant(-getConstantTerm(terms) / least->coefficient));
  }
  const Atom *symbol = getSymbolOf(*least);
  Poly quotient;
  for (const Term &term : terms)
    if (term.monomial != least->monomial)
      if (std::optional<int64_t> q = checkedFloorDiv(term.coefficient, least->coefficient); q && *q != 0)
        quotient.push_back({term.monomial, *q});
  Expr definition = builder.add(context.getExpr(symbol), context.getExpr(quotient));
  Expr parameter = context.getExpr(createParameter(symbol, definition));
  Expr value = builder.subtract(parameter, context.getExpr(quotient));
  if (!value || !assign(symbol, value))
    return false;
  push(Task::Zero, expr);
  return true;
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// u*(P - q*floordiv(P, q)) + d == 0: P mod q is known.
/// rule remainder: q >= 1 and u != 0 and u*(P - q*floordiv(P, q)) == u*r |- mod(P, q) == r and 0 <= r < q
FactStore::Solved FactStore::solveRemainder(Expr expr) {
  for (const Term &term : getTerms(expr)) {
    const Atom *atom = term.monomial->getAtom();
    if (!atom || atom->kind != AtomKind::FloorDiv)
      continue;
    std::optional<int64_t> divisor = atom->operands[1].getConstant();
    if (!divisor || *divisor <= 0 || term.coefficient % *divisor != 0)
      continue;
    std::optional<int64_t> factor = checkedMul(term.coefficient / *divisor, -1);
    MaybePoly rest = factor ? combine(getTerms(expr), 1, term, -1) : std::nullopt;
    rest = rest ? combine(*rest, 1, getTerms(atom->operands[0]), -*factor) : std::nullopt;
    if (!rest || !isConstant(*rest))
      continue;
    int64_t constant = getConstantTerm(*rest);
    std::optional<int64_t> remainder = checkedFloorDiv(constant, -*factor);
    if (!remainder || floorMod(constant, *factor) != 0 || *remainder < 0 || *remainder >= *divisor)
      return contradict();
    return assertCongruent(atom->operands[0], *divisor, *remainder);
  }
  return std::nullopt;
}

/// Modulo the common factor of the terms that are no symbols, the symbols alone make an equation:
/// s - t - 8*floordiv(s, 8) + 8*floordiv(t, 8) == 0 says s == t modulo 8.
/// rule modulus: m >= 1 and L + m*X == 0 |- mod(L, m) == 0
void FactStore::learnModuli(Expr expr) {
  Poly linear, others;
  for (const Term &term : getTerms(expr))
    (getSymbolOf(term) || term.monomial->isOne() ? linear : others).push_back(term);
  int64_t modulus = getContent(others);
  if (others.empty() || modulus <= 1 || isConstant(linear))
    return;
  Expr sum = context.getExpr(linear);
  for (const Term &term : linear)
    if (!term.monomial->isOne() && term.coefficient % modulus != 0) {
      assertCongruent(sum, modulus, 0);
      return;
    }
}

/// m - Q*floordiv(m, Q) == 0: m is a multiple of Q, and of what Q is a multiple of.
/// rule multiple-of-multiple: Q != 0 and s == t*j and t == Q*k |- s == Q*floordiv(s, Q) and floordiv(s, Q) == j*k
void FactStore::learnMultiple(Expr expr) {
  constexpr size_t maximalMultiples = 32;
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers()) {
      const Atom *atom = power.atom;
      if (atom->kind != AtomKind::FloorDiv || atom->operands[1].getConstant() || multiples.size() >= maximalMultiples)
        continue;
      Terms dividend = getTerms(atom->operands[0]);
      Expr divisor = atom->operands[1], quotient = context.getExpr(atom);
      Expr product = builder.multiply(divisor, quotient), rest = builder.subtract(atom->operands[0], product);
      if (dividend.size() != 1 || dividend[0].coefficient != 1 || !rest ||
          (rest != expr && builder.scale(rest, -1) != expr))
        continue;
      std::pair<const Monomial *, Expr> multiple(dividend[0].monomial, divisor);
      if (llvm::is_contained(multiples, multiple))
        return;
      auto pushTransitive = [&](Expr large, Expr middle, Expr small) {
        Expr whole = builder.floorDiv(large, small);
        Expr parts = builder.multiply(builder.floorDiv(large, middle), builder.floorDiv(middle, small));
        push(Task::Zero, builder.subtract(large, builder.multiply(small, whole)));
        push(Task::Zero, builder.subtract(whole, parts));
      };
      for (const auto &[other, known] : multiples) {
        Expr otherDividend = context.getExpr(Term{other, 1});
        if (divisor == otherDividend && prover.isNonZero(known))
          pushTransitive(atom->operands[0], divisor, known);
        if (known == atom->operands[0] && prover.isNonZero(divisor))
          pushTransitive(otherDividend, known, divisor);
      }
      multiples.push_back(multiple);
      changed();
      return;
    }
}

/// rule congruence: m >= 1 and mod(s + R, m) == r |- s == m*floordiv(s + R - r, m) + r - R
/// rule congruence-content: c >= 1 and m >= 1 and mod(c*x - c*r, c*m) == 0 |- mod(x - r, m) == 0
/// rule congruence-inverse: c*i == 1 + m*j and c*x - t == m*k |- x - t*i == m*(k*i - j*x)
bool FactStore::assertCongruent(Expr expr, int64_t modulus, int64_t remainder) {
  expr = getInner(expr);
  if (!expr || modulus <= 1)
    return true;
  // Coefficients matter modulo the modulus only.
  Poly reduced;
  for (const Term &term : dropConstant(getTerms(expr)))
    if (int64_t coefficient = floorMod(term.coefficient, modulus))
      reduced.push_back({term.monomial, coefficient});
  int64_t target = floorMod(remainder - floorMod(getConstantTerm(getTerms(expr)), modulus), modulus);
  int64_t common = std::gcd(getContent(reduced), modulus);
  if (target % common != 0)
    return contradict();
  modulus /= common;
  target /= common;
  if (modulus == 1)
    return true;
  reduced = divideCoefficients(reduced, common);
  if (reduced.size() == 1) {
    // a*m == target: divide by a, which has no factor in common with the modulus.
    int64_t inverse = 0;
    if (modulus > (int64_t(1) << 31))
      return true;
    for (int64_t a = reduced[0].coefficient, b = modulus, x = 1, y = 0; a != 0 || b != 0;) {
      // Extended Euclid: a = x*coefficient, b = y*coefficient modulo the modulus.
      if (b == 0) {
        inverse = floorMod(x, modulus);
        break;
      }
      int64_t quotient = a / b;
      std::tie(a, b) = std::pair(b, a - quotient * b);
      std::tie(x, y) = std::pair(y, x - quotient * y);
    }
    target = target * inverse % modulus;
    reduced[0].coefficient = 1;
  }
  // One symbol with coefficient 1 goes: s = modulus*k + target - rest.
  const Atom *best = nullptr;
  Poly rest;
  for (const Term &term : reduced) {
    const Atom *symbol = getSymbolOf(term);
    if (!symbol || term.coefficient != 1 || (best && isLeftRather(symbol, best)))
      continue;
    Poly others(reduced);
    others.erase(others.begin() + (&term - reduced.begin()));
    if (mentions(others, symbol))
      continue;
    best = symbol;
    rest = std::move(others);
  }
  if (best) {
    Expr excess = builder.subtract(context.getExpr(reduced), context.getConstant(target));
    Expr definition = builder.floorDiv(excess, context.getConstant(modulus));
    Expr parameter = context.getExpr(createParameter(best, definition));
    Expr value = builder.subtract(builder.scale(parameter, modulus), context.getExpr(rest));
    return assign(best, builder.add(value, context.getConstant(target)));
  }
  // A product that is a multiple: an equation with a parameter that rewrites it.
  if (reduced.size() == 1 && reduced[0].monomial->degree > 1) {
    const Atom *owner = nullptr;
    for (const Power &power : reduced[0].monomial->getPowers())
      owner = power.atom->isSymbol() ? power.atom : owner;
    if (!owner)
      return true;
    Expr excess = builder.subtract(context.getExpr(reduced), context.getConstant(target));
    Expr definition = builder.floorDiv(excess, context.getConstant(modulus));
    Expr parameter = context.getExpr(createParameter(owner, definition));
    Expr value = builder.add(builder.scale(parameter, modulus), context.getConstant(target));
    return store(builder.subtract(context.getExpr(reduced), value));
  }
  return true;
}
