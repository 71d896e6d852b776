//===- Sums as numbers of a mixed radix -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Solver/Integers/MixedRadix.h"
#include "Expressions/Comparison.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

/// Of a quotient by a number: what is not negative by that.
/// rule multiple-of-quotient: c >= 1 |- c*floordiv(P, c) + c - 1 - P >= 0
static Expr getOrderOfQuotient(ExprBuilder &builder, SymbolicContext::Impl &context, const Atom *quotient) {
  std::optional<int64_t> divisor = quotient->operands[1].getConstant();
  if (!divisor || *divisor <= 1)
    return {};
  Expr multiple = builder.scale(context.getExpr(quotient), *divisor);
  return builder.subtract(builder.add(multiple, context.getConstant(*divisor - 1)), quotient->operands[0]);
}

/// The same without the quotient, of a sum that is 0; null where the quotient stays. Of `s == 8*(w ceildiv 8)`, `s -
/// w`.
static Expr getOrderWithout(ExprBuilder &builder, SymbolicContext::Impl &context, Expr zero, const Atom *quotient) {
  std::optional<Isolated> known = isolate(context, getTerms(zero), quotient);
  Expr order = known ? getOrderOfQuotient(builder, context, quotient) : Expr();
  if (!order || known->coefficient < -INT32_MAX || known->coefficient > INT32_MAX)
    return {};
  // Both times what makes the coefficients of the quotient the same.
  int64_t divisor = *quotient->operands[1].getConstant(), common = std::gcd(divisor, known->coefficient);
  order = builder.scale(order, std::abs(known->coefficient) / common);
  int64_t factor = divisor / common;
  return builder.subtract(order, builder.scale(zero, known->coefficient < 0 ? -factor : factor));
}

MixedRadix::MixedRadix(FactStore &store, llvm::ArrayRef<Predicate> facts)
    : store(store), context(store.getContext()), builder(context) {
  // A fact that may have no value says nothing where it has none.
  for (const Predicate &fact : facts) {
    // `s == w + p`: of quotients, an equation would be tried as a radix that nothing has.
    bool isEquation = fact.kind == Predicate::Kind::Equal && fact.lhs.getNode()->depth == 0 && !mayHaveDigits(fact.lhs);
    if (fact.kind == Predicate::Kind::Equal && fact.lhs.getNode()->depth == 1 && isTotal(fact))
      addOrdersOfQuotients(fact.lhs);
    if (!(isEquation || fact.kind == Predicate::Kind::LessEqual) || !isTotal(fact))
      continue;
    orders.push_back({builder.subtract(fact.rhs, fact.lhs), getSymbolMask(fact)});
    if (isEquation)
      orders.push_back({fact.lhs, getSymbolMask(fact)});
  }
  llvm::erase_if(orders, [](const Order &order) { return !order.difference; });
  for (const Order &order : orders) {
    Terms terms = getTerms(order.difference);
    // One symbol alone has a bound that is a number.
    if (dropConstant(terms).size() < 2)
      continue;
    Poly above;
    std::vector<Expr> sums;
    for (const Term &term : dropConstant(terms)) {
      const Atom *atom = term.monomial->getAtom();
      if (isNonNegative(context.getExpr(term)))
        above.push_back(term);
      else if (term.coefficient < 0 && atom && atom->isSymbol())
        sums.push_back(builder.subtract(context.getExpr(dropConstant(terms)), context.getExpr(term)));
    }
    sums.push_back(context.getExpr(above));
    // `x < w + 3` and `x <= w + 2` are of rows of w + 3, and perhaps of some of w.
    for (Expr sum : sums)
      for (int64_t shift : {int64_t(0), getConstantTerm(terms), getConstantTerm(terms) + 1})
        if (Expr radix = builder.add(sum, context.getConstant(shift));
            radix && !radix.getConstant() && !llvm::is_contained(radices, radix))
          radices.push_back(radix);
  }
}

void MixedRadix::addOrdersOfQuotients(Expr zero) {
  auto add = [&](Expr order) {
    if (order && llvm::none_of(orders, [&](const Order &known) { return known.difference == order; }))
      orders.push_back({order, order.getNode()->symbolMask});
  };
  for (const Atom *atom : getAtoms(getTerms(zero))) {
    // As often as it is divided by, or a multiple of that, it may be a radix itself.
    auto isMultiple = [&](const Term &term) {
      std::optional<int64_t> divisor = atom->operands[1].getConstant();
      return term.monomial->getExponent(atom) == 0 || (divisor && term.coefficient % *divisor == 0);
    };
    if (atom->kind != AtomKind::FloorDiv)
      continue;
    if (Expr other = getOrderWithout(builder, context, zero, atom))
      add(other.getNode()->depth == 0 && !mayHaveDigits(other) ? other : Expr());
    else if (llvm::all_of(getTerms(zero), isMultiple))
      add(getOrderOfQuotient(builder, context, atom));
  }
}

bool MixedRadix::mayHaveDigits(Expr sum) {
  return llvm::any_of(getTerms(sum), [](const Term &term) { return term.monomial->degree > 1; });
}

bool MixedRadix::isNonNegative(Expr expr) {
  if (!expr)
    return false;
  SymbolicContext::Impl::FuelSlice slice(context, FactStore::fuelOfLook);
  Expr inner = store.getInner(expr);
  if (!inner)
    return false;
  // By intervals alone: most looks find nothing.
  Interval range{0, 0};
  for (const Term &term : getTerms(inner))
    range = add(range, multiply(store.getMonomialRange(term.monomial), {term.coefficient, term.coefficient}));
  return range.lower >= 0;
}

bool MixedRadix::isBelow(Expr low, Expr radix) {
  constexpr size_t mostOrdersOfTwo = 12;
  Expr distance = low ? builder.subtract(builder.subtract(radix, low), context.getConstant(1)) : Expr();
  if (!distance || isNonNegative(distance))
    return distance != Expr();
  return llvm::any_of(orders, [&](const Order &order) {
    // What is left is of symbols of both.
    Expr rest = (order.symbolMask & low.getNode()->symbolMask) ? builder.subtract(distance, order.difference) : Expr();
    if (!rest || isNonNegative(rest))
      return rest != Expr();
    // Of rows that are longer: `x < w` and `w <= s`.
    return orders.size() <= mostOrdersOfTwo && llvm::any_of(orders, [&](const Order &other) {
             return (other.symbolMask & order.symbolMask) && isNonNegative(builder.subtract(rest, other.difference));
           });
  });
}

/// Without a look at the low digit.
std::optional<MixedRadix::Digits> MixedRadix::divide(Expr sum, Expr radix) {
  if (std::optional<int64_t> number = radix.getConstant()) {
    Poly high, low;
    // Towards 0, so that a column stays one whatever its sign.
    for (auto [monomial, coefficient] : getTerms(sum)) {
      if (int64_t quotient = coefficient / *number)
        high.push_back({monomial, quotient});
      if (int64_t rest = coefficient % *number)
        low.push_back({monomial, rest});
    }
    if (isConstant(high))
      return std::nullopt;
    return Digits{context.getExpr(high), context.getExpr(low)};
  }
  std::optional<Division> division = divideByLeadingTerm(context, getTerms(sum), getTerms(radix));
  if (!division || isConstant(division->quotient))
    return std::nullopt;
  return Digits{context.getExpr(division->quotient), context.getExpr(division->remainder)};
}

/// rule digits: R <= m - 1 and -R <= m - 1 and m*A + R == 0 |- A == 0 and R == 0
std::optional<MixedRadix::Digits> MixedRadix::split(Expr sum) {
  std::vector<Expr> candidates = radices;
  // -2^63 is no coefficient.
  for (const Term &term : dropConstant(getTerms(sum)))
    if (Expr number = context.getConstant(std::abs(term.coefficient));
        !isUnit(term.coefficient) && !llvm::is_contained(candidates, number))
      candidates.push_back(number);
  for (Expr radix : candidates) {
    std::optional<Digits> digits = divide(sum, radix);
    if (digits && isBelow(digits->low, radix) && isBelow(builder.scale(digits->low, -1), radix))
      return digits;
  }
  return std::nullopt;
}

std::vector<Expr> MixedRadix::getDigits(Expr sum) {
  if (sum.getConstant())
    return {};
  // What all have in common makes no difference.
  const Monomial *common = getCommonMonomial(context, getTerms(sum));
  Expr factor = context.getExpr(Term{common, 1});
  if (!common->isOne() && isNonNegative(builder.subtract(factor, context.getConstant(1))))
    sum = context.getExpr(divideMonomial(context, getTerms(sum), common));
  std::optional<Digits> digits = split(sum);
  if (!digits)
    return {};
  std::vector<Expr> result;
  for (Expr digit : {digits->high, digits->low}) {
    std::vector<Expr> own = getDigits(digit);
    if (!own.empty())
      llvm::append_range(result, own);
    else if (!digit.isConstant(0))
      result.push_back(digit);
  }
  return result;
}

/// rule compare-digits: R <= m - 1 and -R <= m - 1 |- (m*A + R >= 0) == (A >= 1 or (A == 0 and R >= 0))
std::optional<Predicate> MixedRadix::compareDigits(Predicate::Kind comparison, Expr sum) {
  using Kind = Predicate::Kind;
  Expr zero = context.getConstant(0);
  std::optional<Predicate> result;
  std::vector<Expr> digits = getDigits(sum);
  // From the lowest one on.
  for (Expr digit : llvm::reverse(digits)) {
    Predicate own{result && comparison == Kind::LessEqual ? Kind::Less : comparison, zero, digit, {}};
    if (!result)
      result = std::move(own);
    else if (comparison == Kind::Equal)
      result = Predicate::conjunction({std::move(own), *std::move(result)});
    else if (comparison == Kind::NotEqual)
      result = Predicate::disjunction({std::move(own), *std::move(result)});
    else
      result = Predicate::disjunction(
          {std::move(own), Predicate::conjunction({Predicate::equal(digit, zero), *std::move(result)})});
  }
  return result;
}

/// Without a symbol that stands once in both, in the first with a multiple of its factor in what is 0; null where there
/// is none.
static Expr eliminate(SymbolicContext::Impl &context, Expr sum, Expr zero) {
  for (const Atom *atom : getAtoms(getTerms(zero))) {
    std::optional<Isolated> known = atom->isSymbol() ? isolate(context, getTerms(zero), atom) : std::nullopt;
    std::optional<Isolated> own = known ? isolate(context, getTerms(sum), atom) : std::nullopt;
    if (!own || own->coefficient % known->coefficient != 0)
      continue;
    if (MaybePoly rest = combine(own->rest, 1, known->rest, -(own->coefficient / known->coefficient)))
      return context.getExpr(*rest);
  }
  return {};
}

Expr MixedRadix::putValues(SymbolicContext::Impl &context, Expr sum, llvm::ArrayRef<Expr> zeros) {
  // Each says what one symbol is.
  for (Expr zero : zeros)
    if (Expr rest = eliminate(context, sum, zero))
      sum = rest;
  return sum;
}

std::vector<Expr> MixedRadix::getZeroSums(SymbolicContext::Impl &context, llvm::ArrayRef<Predicate> facts) {
  constexpr size_t mostSums = 16;
  std::vector<Expr> sums;
  for (const Predicate &fact : facts)
    if (fact.kind == Predicate::Kind::Equal && isTotal(fact) && sums.size() < mostSums)
      sums.push_back(fact.lhs);
  if (llvm::none_of(sums, mayHaveDigits))
    return {};
  for (size_t first = 0; first < sums.size(); ++first)
    for (size_t second = 0; second < first && sums.size() < mostSums; ++second)
      if (Expr rest = eliminate(context, sums[first], sums[second]);
          rest && !rest.isConstant(0) && !llvm::is_contained(sums, rest))
        sums.push_back(rest);
  llvm::erase_if(sums, [](Expr sum) { return !mayHaveDigits(sum); });
  return sums;
}

/// rule high-digit: R <= m - 1 and m >= 0 and m*A + R >= 0 |- A >= 0
/// rule positive-high-digit: R <= -1 and m >= 0 and m*A + R >= 0 |- A - 1 >= 0
Expr MixedRadix::getHighOfNonNegative(Expr sum) {
  Expr one = context.getConstant(1);
  std::vector<Expr> candidates = radices;
  // What is below 0 is below whatever size.
  for (const Atom *atom : getAtoms(getTerms(sum)))
    if (Expr symbol = context.getExpr(atom); atom->isSymbol() && !llvm::is_contained(radices, symbol))
      candidates.push_back(symbol);
  for (Expr radix : candidates) {
    std::optional<Digits> digits = divide(sum, radix);
    if (!digits || !isNonNegative(radix))
      continue;
    // R + 1 <= 0 is R <= m - 1 with a radix of 0.
    if (isBelow(digits->low, context.getConstant(0)))
      return builder.subtract(digits->high, one);
    if (isBelow(digits->low, radix))
      return digits->high;
  }
  return {};
}
