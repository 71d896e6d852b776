//===- Arithmetic of polynomials with checked coefficients ----------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Polynomial.h"
#include "Expressions/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dyn::symbolic;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

std::optional<int64_t> dyn::symbolic::checkedFloorDiv(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || (lhs == INT64_MIN && rhs == -1))
    return std::nullopt;
  int64_t quotient = lhs / rhs;
  return lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> dyn::symbolic::checkedCeilDiv(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || (lhs == INT64_MIN && rhs == -1))
    return std::nullopt;
  int64_t quotient = lhs / rhs;
  return lhs % rhs != 0 && (lhs < 0) == (rhs < 0) ? quotient + 1 : quotient;
}

int64_t dyn::symbolic::floorMod(int64_t lhs, int64_t rhs) {
  if (rhs == -1)
    return 0;
  int64_t remainder = lhs % rhs;
  return remainder != 0 && (remainder < 0) != (rhs < 0) ? remainder + rhs : remainder;
}

//===----------------------------------------------------------------------===//
// Ring operations
//===----------------------------------------------------------------------===//

/// What is negated everywhere must have an opposite. Only constants take the last number.
static bool isCoefficient(int64_t number, const Monomial *monomial) { return number != INT64_MIN || monomial->isOne(); }

bool dyn::symbolic::combine(Terms lhs, int64_t lhsFactor, Terms rhs, int64_t rhsFactor,
                            llvm::SmallVectorImpl<Term> &result) {
  result.resize_for_overwrite(lhs.size() + rhs.size());
  Term *next = result.begin();
  const Term *a = lhs.begin(), *b = rhs.begin();
  while (a != lhs.end() || b != rhs.end()) {
    int order = a == lhs.end() ? 1 : b == rhs.end() ? -1 : compare(a->monomial, b->monomial);
    const Monomial *monomial = order <= 0 ? a->monomial : b->monomial;
    int64_t left = 0, right = 0, sum;
    if (order <= 0 && __builtin_mul_overflow(a++->coefficient, lhsFactor, &left))
      return false;
    if (order >= 0 && __builtin_mul_overflow(b++->coefficient, rhsFactor, &right))
      return false;
    if (__builtin_add_overflow(left, right, &sum) || !isCoefficient(sum, monomial))
      return false;
    if (sum != 0)
      *next++ = {monomial, sum};
  }
  result.truncate(next - result.begin());
  return true;
}

MaybePoly dyn::symbolic::combine(Terms lhs, int64_t lhsFactor, Terms rhs, int64_t rhsFactor) {
  MaybePoly result(std::in_place);
  if (!combine(lhs, lhsFactor, rhs, rhsFactor, *result))
    result.reset();
  return result;
}

MaybePoly dyn::symbolic::addConstant(SymbolicContext::Impl &context, Terms terms, int64_t constant) {
  if (constant == 0)
    return Poly(terms);
  return combine(terms, 1, Term{context.getOne(), constant}, 1);
}

MaybePoly dyn::symbolic::normalize(Poly terms) {
  llvm::sort(terms, [](const Term &a, const Term &b) { return compare(a.monomial, b.monomial) < 0; });
  Poly result;
  for (const Term &term : terms) {
    if (!result.empty() && result.back().monomial == term.monomial) {
      if (__builtin_add_overflow(result.back().coefficient, term.coefficient, &result.back().coefficient) ||
          !isCoefficient(result.back().coefficient, term.monomial))
        return std::nullopt;
    } else {
      if (!result.empty() && result.back().coefficient == 0)
        result.pop_back();
      result.push_back(term);
    }
  }
  if (!result.empty() && result.back().coefficient == 0)
    result.pop_back();
  return result;
}

MaybePoly dyn::symbolic::multiply(SymbolicContext::Impl &context, Terms lhs, Term rhs) {
  if (rhs.monomial->isOne())
    return scale(lhs, rhs.coefficient);
  // A monomial is made and looked up for each.
  context.spend(2 * lhs.size());
  MaybePoly result(std::in_place);
  result->reserve(lhs.size());
  for (const Term &term : lhs) {
    const Monomial *monomial = context.multiply(term.monomial, rhs.monomial);
    std::optional<int64_t> coefficient = checkedMul(term.coefficient, rhs.coefficient);
    if (!monomial || !coefficient || !isCoefficient(*coefficient, monomial))
      return std::nullopt;
    result->push_back({monomial, *coefficient});
  }
  return result;
}

MaybePoly dyn::symbolic::multiply(SymbolicContext::Impl &context, Terms lhs, Terms rhs) {
  if (lhs.empty() || rhs.empty())
    return Poly();
  if (rhs.size() == 1)
    return multiply(context, lhs, rhs[0]);
  if (lhs.size() == 1)
    return multiply(context, rhs, lhs[0]);
  if (lhs.size() * rhs.size() > limits::termsOfProduct)
    return std::nullopt;
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  // The order of monomials is one that products keep, so that rows are merged rather than sorted: two of equal age
  // first.
  llvm::SmallVector<Poly, 8> rows;
  size_t count = 0;
  for (const Term &term : rhs) {
    MaybePoly row = multiply(context, lhs, term);
    if (!row)
      return std::nullopt;
    rows.push_back(std::move(*row));
    ++count;
    for (size_t size = 1; count % (2 * size) == 0 || (count == rhs.size() && rows.size() > 1); size *= 2) {
      MaybePoly merged = add(rows[rows.size() - 2], rows.back());
      if (!merged)
        return std::nullopt;
      rows.pop_back();
      rows.back() = std::move(*merged);
    }
  }
  return std::move(rows.front());
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

int64_t dyn::symbolic::getConstantTerm(Terms terms) {
  return !terms.empty() && terms.back().monomial->isOne() ? terms.back().coefficient : 0;
}

int64_t dyn::symbolic::getCoefficient(Terms terms, const Monomial *monomial) {
  for (const Term &term : terms)
    if (term.monomial == monomial)
      return term.coefficient;
  return 0;
}

int64_t dyn::symbolic::getContent(Terms terms) {
  uint64_t content = 0;
  for (const Term &term : terms) {
    uint64_t magnitude = term.coefficient < 0 ? 0 - static_cast<uint64_t>(term.coefficient) : term.coefficient;
    content = std::gcd(content, magnitude);
    if (content == 1)
      break;
  }
  return content > static_cast<uint64_t>(INT64_MAX) ? 1 : static_cast<int64_t>(content);
}

Poly dyn::symbolic::divideCoefficients(Terms terms, int64_t divisor) {
  Poly result(terms);
  for (Term &term : result) {
    assert(term.coefficient % divisor == 0 && "not a common divisor");
    term.coefficient /= divisor;
  }
  return result;
}

MaybePoly dyn::symbolic::divideContent(SymbolicContext::Impl &context, Terms terms) {
  Terms variable = dropConstant(terms);
  int64_t content = getContent(variable);
  if (content <= 1)
    return Poly(terms);
  return addConstant(context, divideCoefficients(variable, content), *checkedFloorDiv(getConstantTerm(terms), content));
}

const Monomial *dyn::symbolic::getCommonMonomial(SymbolicContext::Impl &context, const Monomial *lhs,
                                                 const Monomial *rhs) {
  llvm::SmallVector<Power, 4> powers;
  for (const Power &power : lhs->getPowers())
    if (uint32_t exponent = std::min(power.exponent, rhs->getExponent(power.atom)))
      powers.push_back({power.atom, exponent});
  return context.getMonomial(powers);
}

const Monomial *dyn::symbolic::getCommonMonomial(SymbolicContext::Impl &context, Terms terms) {
  const Monomial *common = nullptr;
  for (const Term &term : terms) {
    common = common ? getCommonMonomial(context, common, term.monomial) : term.monomial;
    if (common->isOne())
      break;
  }
  return common ? common : context.getOne();
}

const Monomial *dyn::symbolic::divide(SymbolicContext::Impl &context, const Monomial *dividend,
                                      const Monomial *divisor) {
  if (divisor->isOne())
    return dividend;
  // Most do not divide, and the first power of the divisor shows it.
  auto isMissing = [&](const Power &power) { return dividend->getExponent(power.atom) < power.exponent; };
  if (dividend->degree < divisor->degree || llvm::any_of(divisor->getPowers(), isMissing))
    return nullptr;
  llvm::SmallVector<Power, 4> powers;
  for (const Power &power : dividend->getPowers())
    if (uint32_t exponent = power.exponent - divisor->getExponent(power.atom))
      powers.push_back({power.atom, exponent});
  return context.getMonomial(powers);
}

Poly dyn::symbolic::divideMonomial(SymbolicContext::Impl &context, Terms terms, const Monomial *divisor) {
  Poly result(terms);
  for (Term &term : result) {
    term.monomial = divide(context, term.monomial, divisor);
    assert(term.monomial && "not a common divisor");
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

std::optional<Division> dyn::symbolic::divideByLeadingTerm(SymbolicContext::Impl &context, Terms dividend,
                                                           Terms divisor) {
  assert(!divisor.empty() && "division by zero");
  Term leading = divisor.front();
  Division result;
  Poly rest(dividend), quotient;
  // The order of monomials is a well-order that multiplication respects, so every step makes the leading term of the
  // rest smaller; the cap only bounds work.
  for (size_t step = 0; !rest.empty(); ++step) {
    if (step == limits::termsOfProduct)
      return std::nullopt;
    Term term = rest.front();
    const Monomial *monomial = divide(context, term.monomial, leading.monomial);
    std::optional<int64_t> coefficient =
        monomial ? checkedFloorDiv(term.coefficient, leading.coefficient) : std::optional<int64_t>(0);
    if (!coefficient)
      return std::nullopt;
    if (*coefficient == 0) {
      result.remainder.push_back(term);
      rest.erase(rest.begin());
      continue;
    }
    quotient.push_back({monomial, *coefficient});
    MaybePoly product = multiply(context, divisor, quotient.back());
    MaybePoly next = product ? subtract(rest, *product) : std::nullopt;
    if (!next)
      return std::nullopt;
    rest = std::move(*next);
    if (!rest.empty() && rest.front().monomial == term.monomial) {
      result.remainder.push_back(rest.front());
      rest.erase(rest.begin());
    }
  }
  MaybePoly normalized = normalize(std::move(quotient));
  if (!normalized)
    return std::nullopt;
  result.quotient = std::move(*normalized);
  return result;
}

MaybePoly dyn::symbolic::divideExactly(SymbolicContext::Impl &context, Terms dividend, Terms divisor) {
  if (dividend.empty())
    return Poly();
  // Cheap refusals before the long division.
  if (!divide(context, dividend.front().monomial, divisor.front().monomial) ||
      !divide(context, dividend.back().monomial, divisor.back().monomial))
    return std::nullopt;
  std::optional<Division> division = divideByLeadingTerm(context, dividend, divisor);
  if (!division || !division->remainder.empty())
    return std::nullopt;
  return std::move(division->quotient);
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

std::optional<LinearSplit> dyn::symbolic::splitLinear(SymbolicContext::Impl &context, Terms terms, const Atom *atom) {
  std::optional<LinearSplit> result(std::in_place);
  const Monomial *monomial = context.getMonomial(atom);
  for (const Term &term : terms) {
    switch (term.monomial->getExponent(atom)) {
    case 0:
      result->rest.push_back(term);
      break;
    case 1:
      result->coefficient.push_back(
          {term.monomial == monomial ? context.getOne() : divide(context, term.monomial, monomial), term.coefficient});
      break;
    default:
      result.reset();
      return result;
    }
  }
  return result;
}

std::optional<Isolated> dyn::symbolic::isolate(SymbolicContext::Impl &context, Terms terms, const Atom *atom) {
  std::optional<LinearSplit> split = splitLinear(context, terms, atom);
  if (!split || split->coefficient.empty() || !isConstant(split->coefficient) || mentions(split->rest, atom))
    return std::nullopt;
  return Isolated{getConstantTerm(split->coefficient), std::move(split->rest)};
}

MaybePoly dyn::symbolic::solveFor(SymbolicContext::Impl &context, Terms terms, const Atom *atom) {
  std::optional<Isolated> isolated = isolate(context, terms, atom);
  return isolated && isUnit(isolated->coefficient) ? scale(isolated->rest, -isolated->coefficient) : std::nullopt;
}

llvm::SmallVector<const Atom *, 8> dyn::symbolic::getAtomsInAnyOrder(Terms terms) {
  llvm::SmallVector<const Atom *, 8> atoms;
  for (const Term &term : terms)
    for (const Power &power : term.monomial->getPowers())
      if (!llvm::is_contained(atoms, power.atom))
        atoms.push_back(power.atom);
  return atoms;
}

llvm::SmallVector<const Atom *, 8> dyn::symbolic::getAtoms(Terms terms) {
  llvm::SmallVector<const Atom *, 8> atoms = getAtomsInAnyOrder(terms);
  llvm::sort(atoms, [](const Atom *a, const Atom *b) { return compare(a, b) < 0; });
  return atoms;
}

const Atom *dyn::symbolic::getLinearSymbol(Expr expr) {
  Terms variable = dropConstant(getTerms(expr));
  const Atom *atom = variable.size() == 1 ? variable.front().monomial->getAtom() : nullptr;
  return atom && atom->isSymbol() ? atom : nullptr;
}

bool dyn::symbolic::isTotal(Expr expr) {
  return expr.getNode()->depth == 0 || llvm::all_of(getAtoms(getTerms(expr)), [](const Atom *atom) {
           bool isTotalOfOperands =
               atom->isSymbol() || atom->kind == AtomKind::Max ||
               (atom->kind == AtomKind::FloorDiv && atom->operands[1].getConstant().value_or(0) != 0);
           return isTotalOfOperands && llvm::all_of(atom->operands, isTotal);
         });
}

bool dyn::symbolic::mayDivideByZero(Expr expr) {
  return expr.getNode()->depth > 0 && llvm::any_of(getAtomsInAnyOrder(getTerms(expr)), [](const Atom *atom) {
           return (atom->kind == AtomKind::FloorDiv && atom->operands[1].getConstant().value_or(0) == 0) ||
                  llvm::any_of(atom->operands, mayDivideByZero);
         });
}

bool dyn::symbolic::hasAtom(Expr expr, AtomKind kind) {
  auto hasInside = [&](Expr operand) { return hasAtom(operand, kind); };
  return expr && expr.getNode()->depth > 0 && llvm::any_of(getAtomsInAnyOrder(getTerms(expr)), [&](const Atom *atom) {
           return atom->kind == kind || llvm::any_of(atom->operands, hasInside);
         });
}

static bool mentionsAtom(const Atom *atom, const Atom *symbol) {
  if (atom == symbol)
    return true;
  if (!(atom->symbolMask & symbol->symbolMask))
    return false;
  if (symbol->isSymbol() && symbol->expr.getNode()->context->hasExactMasks())
    return true;
  if (symbol->isSymbol() && atom->symbols)
    return llvm::is_contained(atom->getListedSymbols(), symbol);
  return llvm::any_of(atom->operands, [&](Expr operand) { return mentions(getTerms(operand), symbol); });
}

bool dyn::symbolic::mentions(Terms terms, const Atom *symbol) {
  return llvm::any_of(terms, [&](const Term &term) {
    return llvm::any_of(term.monomial->getPowers(),
                        [&](const Power &power) { return mentionsAtom(power.atom, symbol); });
  });
}
