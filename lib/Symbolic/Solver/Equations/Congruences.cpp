//===- Remainders ----------------------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

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

/// P == Q*floordiv(P, Q) for a product Q that is not 0: a symbol of P is a multiple of it, less the rest.
/// rule multiple: Q != 0 and x + R == Q*floordiv(x + R, Q) and k == floordiv(x + R, Q) |- x == Q*k - R
FactStore::Solved FactStore::solveMultiple(Expr expr) {
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers()) {
      const Atom *atom = power.atom;
      if (atom->kind != AtomKind::FloorDiv || atom->operands[1].getConstant())
        continue;
      Expr dividend = atom->operands[0], divisor = atom->operands[1];
      Expr rest = builder.subtract(dividend, builder.multiply(divisor, context.getExpr(atom)));
      if (getTerms(divisor).size() != 1 || !rest || (rest != expr && builder.scale(rest, -1) != expr) ||
          !prover.isNonZero(divisor))
        continue;
      const Term *solved = nullptr;
      for (const Term &candidate : getTerms(dividend)) {
        const Atom *symbol = getSymbolAtom(candidate);
        bool isAlone = symbol && candidate.coefficient == 1 && !mentions(getTerms(divisor), symbol) &&
                       llvm::none_of(getTerms(dividend), [&](const Term &other) {
                         return &other != &candidate && mentions(Poly{other}, symbol);
                       });
        if (isAlone && !(solved && isLeftRather(symbol, getSymbolAtom(*solved))))
          solved = &candidate;
      }
      if (!solved)
        continue;
      const Atom *symbol = getSymbolAtom(*solved);
      Expr quotient = context.getExpr(createParameter(symbol, context.getExpr(atom)));
      Expr others = builder.subtract(dividend, context.getExpr(symbol));
      return assign(symbol, builder.subtract(builder.multiply(divisor, quotient), others));
    }
  return std::nullopt;
}

/// P == Q*floordiv(P, Q) for a Q that is not 0, where no symbol of P can be solved for: P is a product of Q and a
/// number that has no name yet.
///
/// rule product-with-quotient: Q != 0 and P == Q*floordiv(P, Q) and k == floordiv(P, Q) |- P == Q*k
FactStore::Solved FactStore::nameQuotient(Expr expr) {
  for (const Atom *atom : getAtomsInAnyOrder(getTerms(expr))) {
    if (atom->kind != AtomKind::FloorDiv || atom->operands[1].getConstant())
      continue;
    Expr dividend = atom->operands[0], divisor = atom->operands[1];
    Expr rest = builder.subtract(dividend, builder.multiply(divisor, context.getExpr(atom)));
    const Atom *owner = findOwner(dividend);
    if (!owner || !rest || (rest != expr && builder.scale(rest, -1) != expr) || !prover.isNonZero(divisor))
      continue;
    learnMultiple(expr);
    Interval range = prover.getRange(context.getExpr(atom));
    const Atom *quotient = createParameter(owner, context.getExpr(atom));
    push(Task::Zero, builder.subtract(dividend, builder.multiply(divisor, context.getExpr(quotient))));
    return restrictRange(quotient, range);
  }
  return std::nullopt;
}

/// Modulo the common factor of the terms that are no symbols, the symbols alone make an equation:
/// s - t - 8*floordiv(s, 8) + 8*floordiv(t, 8) == 0 says s == t modulo 8.
/// rule modulus: m >= 1 and L + m*X == 0 |- mod(L, m) == 0
void FactStore::learnModuli(Expr expr) {
  Poly linear, others;
  for (const Term &term : getTerms(expr))
    (getSymbolAtom(term) || term.monomial->isOne() ? linear : others).push_back(term);
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

/// The same modulo a size: s - t - q*floordiv(s, q) + q*floordiv(t, q) == 0 makes s - t a multiple of q.
/// rule size-as-modulus: q != 0 and L + q*X == 0 |- mod(L, q) == 0
void FactStore::learnSizeModuli(Expr expr) {
  llvm::SmallVector<Expr, 2> moduli;
  for (const Term &term : getTerms(expr))
    for (const Power &power : term.monomial->getPowers())
      if (power.atom->kind == AtomKind::FloorDiv && !power.atom->operands[1].getConstant() &&
          getTerms(power.atom->operands[1]).size() == 1 && !llvm::is_contained(moduli, power.atom->operands[1]))
        moduli.push_back(power.atom->operands[1]);
  for (Expr modulus : moduli) {
    const Term &size = getTerms(modulus)[0];
    auto isMultiple = [&](const Term &term) {
      bool isWhole = isUnit(size.coefficient) || term.coefficient % size.coefficient == 0;
      return isWhole && divide(context, term.monomial, size.monomial);
    };
    Poly others;
    llvm::copy_if(getTerms(expr), std::back_inserter(others), [&](const Term &term) { return !isMultiple(term); });
    if (isConstant(others) || !prover.isNonZero(modulus))
      continue;
    Expr remainder = builder.mod(context.getExpr(others), modulus);
    if (remainder && remainder != expr && builder.scale(remainder, -1) != expr)
      push(Task::Zero, remainder);
    else if (solveMultipleInSum(expr, others, modulus))
      return;
  }
}

/// Of x + R + Q*X == 0, where `others` are x + R: x is a multiple of Q, less the rest, also where X mentions it. So it
/// is for a quotient that is rounded up, Q + Q*floordiv(x - t - 1, Q) == x - t.
///
/// rule multiple-in-sum: x + R + Q*X == 0 and k == X |- x == -R - Q*k
bool FactStore::solveMultipleInSum(Expr expr, const Poly &others, Expr modulus) {
  const Term *solved = nullptr;
  for (const Term &term : others) {
    const Atom *symbol = getSymbolAtom(term);
    bool isAlone =
        symbol && isUnit(term.coefficient) && !mentions(getTerms(modulus), symbol) &&
        llvm::none_of(others, [&](const Term &other) { return &other != &term && mentions(Poly{other}, symbol); });
    if (isAlone && !(solved && isLeftRather(symbol, getSymbolAtom(*solved))))
      solved = &term;
  }
  Expr multiple = solved ? builder.subtract(expr, context.getExpr(others)) : Expr();
  Expr factor = multiple ? builder.exactDiv(multiple, modulus) : Expr();
  if (!factor || hasAtom(factor, AtomKind::ExactDiv))
    return false;
  const Atom *symbol = getSymbolAtom(*solved);
  Expr parameter = context.getExpr(createParameter(symbol, factor));
  Expr rest = builder.subtract(context.getExpr(others), context.getExpr(*solved));
  Expr value = builder.scale(builder.add(rest, builder.multiply(modulus, parameter)), -solved->coefficient);
  if (!value)
    return false;
  push(Task::Zero, builder.subtract(parameter, factor));
  return assign(symbol, value);
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

//===----------------------------------------------------------------------===//
// Congruences
//===----------------------------------------------------------------------===//

/// The i in [0, m) with a*i == 1 modulo m, for a in [1, m); nothing where a and m have a common factor, or where
/// products of two numbers below m leave 64 bits.
static std::optional<int64_t> getInverse(int64_t a, int64_t m) {
  if (a == 1)
    return 1;
  if (m > (int64_t(1) << 31))
    return std::nullopt;
  // Extended Euclid: the rest is x*a modulo m, the next one y*a.
  int64_t rest = a, next = m, x = 1, y = 0;
  while (next != 0) {
    int64_t quotient = rest / next;
    std::tie(rest, next) = std::pair(next, rest - quotient * next);
    std::tie(x, y) = std::pair(y, x - quotient * y);
  }
  return rest == 1 ? std::optional(floorMod(x, m)) : std::nullopt;
}

/// One symbol of it, which a parameter takes the class and place of.
const Atom *FactStore::findOwner(Expr expr) {
  const Atom *best = nullptr;
  for (Expr symbol : expr.getSymbols())
    if (const Atom *atom = getSymbolAtom(symbol); !best || isPreferred(best, atom))
      best = atom;
  return best;
}

/// Which symbol is to go, of those that are linear with a coefficient that has an inverse?
const Term *FactStore::findInvertible(llvm::ArrayRef<Term> terms, int64_t modulus) {
  const Term *best = nullptr;
  for (const Term &term : terms) {
    const Atom *symbol = getSymbolAtom(term);
    if (!symbol || (best && isLeftRather(symbol, getSymbolAtom(*best))) || !getInverse(term.coefficient, modulus))
      continue;
    bool isElsewhere =
        llvm::any_of(terms, [&](const Term &other) { return &other != &term && mentions(Poly{other}, symbol); });
    if (!isElsewhere)
      best = &term;
  }
  return best;
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
  const Term *solved = findInvertible(reduced, modulus);
  const Atom *symbol = solved ? getSymbolAtom(*solved) : nullptr;
  if (!solved && reduced.size() == 1)
    solved = &reduced[0];
  if (std::optional<int64_t> inverse = solved ? getInverse(solved->coefficient, modulus) : std::nullopt;
      inverse && inverse != 1) {
    for (Term &term : reduced)
      term.coefficient = term.coefficient * *inverse % modulus;
    target = target * *inverse % modulus;
  }
  Expr sum = context.getExpr(reduced), divisor = context.getConstant(modulus), rest = context.getConstant(target);
  const Atom *owner = symbol ? symbol : findOwner(sum);
  if (!owner)
    return true;
  Expr definition = builder.floorDiv(builder.subtract(sum, rest), divisor);
  Expr value = builder.add(builder.multiply(context.getExpr(createParameter(owner, definition)), divisor), rest);
  if (symbol)
    return assign(symbol, builder.subtract(value, builder.subtract(sum, context.getExpr(symbol))));
  // An equation, by which some symbol may go, or that rewrites.
  push(Task::Zero, builder.subtract(sum, value));
  return true;
}
