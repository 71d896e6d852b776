//===- Proving bounds of polynomials ---------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Bounds/BoundSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace dyn::symbolic;

static constexpr int64_t minusInfinity = Interval::minusInfinity, plusInfinity = Interval::plusInfinity;

//===----------------------------------------------------------------------===//
// Known inequalities
//===----------------------------------------------------------------------===//

/// The bits of all monomials.
static uint64_t getMonomialMask(Terms terms) {
  uint64_t mask = 0;
  for (const Term &term : terms)
    mask |= term.monomial->getBit();
  return mask;
}

llvm::SmallVector<const Monomial *, 8> BoundProver::Search::getUnbounded(Terms terms) {
  llvm::SmallVector<const Monomial *, 8> unbounded;
  for (const Term &term : terms) {
    const Atom *atom = term.monomial->getAtom();
    std::optional<Interval> range = atom ? prover.lookUpRange(atom) : std::nullopt;
    if (range && (term.coefficient > 0 ? !range->hasLower() : !range->hasUpper()))
      unbounded.push_back(term.monomial);
  }
  return unbounded;
}

/// By masks where they are enough. They depend on addresses, which what is done must not.
static bool contains(Terms terms, uint64_t maskOfTerms, const Monomial *monomial) {
  return (monomial->getBit() & maskOfTerms) &&
         llvm::any_of(terms, [&](const Term &term) { return term.monomial == monomial; });
}

/// rule use-inequality: F >= 0 and b >= 0 |- a*T >= a*T - b*F
/// rule use-multiple: F >= 0 and b >= 0 and q >= 0 |- a*T >= a*T - b*q*F
int64_t BoundProver::Search::useInequalities(Terms terms, int64_t goal, unsigned level, bool several) {
  int64_t best = minusInfinity;
  if (!prover.facts || !usesInequalities)
    return best;
  // What a combination costs does not depend on whether it leads further.
  auto spendOnUse = [&](Terms fact) { context.spend(2 + terms.size() + fact.size()); };
  // a * terms - b * q * fact, which is no larger than a * terms, without a monomial that both have.
  auto use = [&](Terms fact, const Term &factTerm, const Term &term, const Monomial *q) {
    spendOnUse(fact);
    int64_t common = std::gcd(term.coefficient, factTerm.coefficient);
    int64_t a = std::abs(factTerm.coefficient / common), b = std::abs(term.coefficient / common);
    MaybePoly multiple;
    if (!q->isOne()) {
      if (!(multiple = multiply(context, fact, Term{q, 1})))
        return false;
      fact = *multiple;
    }
    if (!several || level == 1) {
      best = std::max(best, ceilDivBound(getIntervalLower(terms, a, fact, -b), a));
    } else {
      LongPoly reduced;
      if (!combine(terms, a, fact, -b, reduced))
        return false;
      best = std::max(best, ceilDivBound(getLower(reduced, scaleGoal(goal, a), level - 1), a));
    }
    return best >= goal || isOutOfFuel() || (several && isExhausted());
  };
  auto haveSameSign = [](const Term &a, const Term &b) { return (a.coefficient < 0) == (b.coefficient < 0); };
  // Most pairs of terms have nothing in common, which masks tell quickly.
  uint64_t symbols = 0, symbolsOfProducts = 0, monomials = 0;
  llvm::SmallVector<const Monomial *, 8> unbounded;
  if (!several)
    unbounded = getUnbounded(terms);
  llvm::SmallVector<uint64_t, 8> symbolsOfTerm;
  for (const Term &term : terms) {
    symbolsOfTerm.push_back(term.monomial->getSymbolMask());
    symbols |= symbolsOfTerm.back();
    symbolsOfProducts |= term.monomial->degree > 1 ? symbolsOfTerm.back() : 0;
    monomials |= term.monomial->getBit();
  }
  llvm::SmallVector<Expr> found;
  llvm::ArrayRef<Expr> facts = prover.facts->getInequalities(terms, found);
  unsigned looks = 0;
  auto useAll = [&](bool multiplied) {
    for (Expr fact : facts) {
      if (!(fact.getNode()->symbolMask & symbols))
        continue;
      // Looking costs, too, where there are many.
      context.spend(1 + getTerms(fact).size() * terms.size() / 8);
      if (++looks % 16 == 0 && isExhausted())
        return true;
      uint64_t monomialsOfFact = multiplied ? 0 : getMonomialMask(getTerms(fact));
      if (!multiplied && !(monomialsOfFact & monomials))
        continue;
      for (const Term &factTerm : dropConstant(getTerms(fact))) {
        if (!multiplied && !(factTerm.monomial->getBit() & monomials))
          continue;
        uint64_t symbolsOfFactTerm = multiplied ? factTerm.monomial->getSymbolMask() : 0;
        if (symbolsOfFactTerm & ~symbolsOfProducts)
          continue;
        for (auto [term, symbolsOfTerm] : llvm::zip_equal(terms, symbolsOfTerm)) {
          if ((term.monomial == factTerm.monomial) == multiplied || !haveSameSign(term, factTerm) ||
              (multiplied &&
               (term.monomial->degree <= factTerm.monomial->degree || (symbolsOfFactTerm & ~symbolsOfTerm))))
            continue;
          const Monomial *q = multiplied ? divide(context, term.monomial, factTerm.monomial) : context.getOne();
          if (!q || (multiplied && getInterval(q).lower < 0))
            continue;
          // What has no least value would have to cancel.
          auto isInFact = [&](const Monomial *monomial) { return contains(getTerms(fact), monomialsOfFact, monomial); };
          if (!multiplied && !llvm::all_of(unbounded, isInFact)) {
            spendOnUse(getTerms(fact));
            if (isOutOfFuel())
              return true;
            continue;
          }
          if (use(getTerms(fact), factTerm, term, q))
            return true;
        }
      }
    }
    return false;
  };
  if (useAll(/*multiplied=*/false) || !several || multipliesFacts)
    return best;
  llvm::SaveAndRestore saved(multipliesFacts, true);
  if (llvm::any_of(terms, [](const Term &term) { return term.monomial->degree > 1; }))
    useAll(/*multiplied=*/true);
  return best;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// rule content-of-bound: c >= 1 and E >= b |- c*E + d >= c*b + d
int64_t BoundProver::Search::getLower(Terms terms, int64_t goal, unsigned level) {
  if (isConstant(terms))
    return std::min(getConstantTerm(terms), plusInfinity - 1);
  int64_t best = getIntervalLower(terms);
  if (best >= goal || level == 0 || terms.size() > maximalTerms || isExhausted(terms.size()))
    return best;

  // Bounds of integers are integers: take the common factor out.
  Terms variable = dropConstant(terms);
  if (int64_t content = getContent(variable); content > 1) {
    int64_t constant = getConstantTerm(terms);
    // content * E + constant >= goal where E >= (goal - constant) / content.
    int64_t innerGoal = plusInfinity;
    if (goal != plusInfinity)
      if (std::optional<int64_t> distance = checkedSub(goal, constant))
        innerGoal = *checkedCeilDiv(*distance, content);
    int64_t inner = getLower(divideCoefficients(variable, content), innerGoal, level - 1);
    return std::max(best, add(multiply({inner, plusInfinity}, {content, content}), {constant, plusInfinity}).lower);
  }

  auto improve = [&](int64_t bound) {
    best = std::max(best, bound);
    return best >= goal || isExhausted();
  };
  if (improve(useInequalities(terms, goal, level, /*several=*/false)))
    return best;
  if (usesInequalities && prover.facts && reducesProducts) {
    auto isQuotient = [](const Term &term) {
      const Atom *atom = term.monomial->getAtom();
      return atom && atom->kind == AtomKind::FloorDiv;
    };
    auto isBySize = [&](const Term &term) {
      return isQuotient(term) && !term.monomial->getAtom()->operands[1].getConstant();
    };
    bool isGoal = goal != plusInfinity && goal != minusInfinity;
    bool hasQuotients = llvm::count_if(terms, isQuotient) > 1, hasQuotientBySize = llvm::any_of(terms, isBySize);
    bool hasProducts = hasQuotients || terms.front().monomial->degree > 1;
    // Once, where there is something to do. A quotient of others goes before one by a size that stands beside it.
    bool isNested = llvm::any_of(terms, [&](const Term &term) {
      return isQuotient(term) && !isBySize(term) && term.monomial->getAtom()->depth > 1;
    });
    // What has only quotients of others, and no product, is looked at once more when these are gone.
    reducesProducts = isNested || (!hasProducts && !(hasQuotientBySize && isGoal));
    auto isFound = [&] {
      return (hasQuotients && isGoal && improve(multiplyByDivisor(terms, goal))) ||
             (hasQuotients && isGoal && improve(compareDivisors(terms, goal))) ||
             (hasQuotientBySize && isGoal && improve(compareQuotients(terms, goal))) ||
             (hasProducts && improve(reduceProducts(terms, goal)));
    };
    if (!(isNested && hasQuotientBySize) && isFound())
      return best;
  }
  // The most deeply nested first, of which most often one is enough.
  llvm::SmallVector<const Atom *, 8> atoms = getAtomsInAnyOrder(terms);
  // Inequalities together have what it leaves.
  std::optional<llvm::SaveAndRestore<unsigned>> share;
  share.emplace(stepLimit, steps + (stepLimit - std::min(stepLimit, steps)) / 2);
  while (!atoms.empty()) {
    auto first = llvm::min_element(atoms, [](const Atom *a, const Atom *b) {
      return a->depth != b->depth ? a->depth > b->depth : compare(a, b) < 0;
    });
    const Atom *atom = *first;
    *first = atoms.back();
    atoms.pop_back();
    std::optional<LinearSplit> split = splitLinear(context, terms, atom);
    if (!split) {
      if (improve(eliminateByDifference(atom, terms, goal, level)))
        break;
      continue;
    }
    if (!atom->isSymbol() && improve(eliminate(atom, *split, goal, level)))
      break;
    if (improve(eliminateByInterval(atom, *split, goal, level)))
      break;
    // Which of several nested atoms goes first does not matter, and symbols matter only where one has no sign.
    if (best != minusInfinity || !atom->isSymbol())
      break;
  }
  share.reset();
  if (best < goal && !isExhausted())
    improve(useInequalities(terms, goal, level, /*several=*/true));
  return best;
}

//===----------------------------------------------------------------------===//
// BoundProver
//===----------------------------------------------------------------------===//

std::optional<Interval> BoundProver::lookUpRange(const Atom *atom) const {
  if (atom->isSymbol())
    return facts ? facts->getSymbolRange(atom) : Interval();
  if (const AtomRange *known = atomRanges.lookUp(atom))
    return known->range;
  return facts ? facts->getKnownRange(atom) : std::nullopt;
}

/// rule range-of-max: lx <= x <= ux and ly <= y <= uy |- max(lx, ly) <= max(x, y) <= max(ux, uy)
/// rule range-of-bcast: lx <= x <= ux and ly <= y <= uy |- min(lx, ly) <= bcast(x, y) <= max(ux, uy)
/// rule range-of-positive-bcast: 1 <= lx <= x and 1 <= ly <= y |- bcast(x, y) >= max(lx, ly)
Interval BoundProver::getAtomRange(const Atom *atom) {
  if (std::optional<Interval> known = lookUpRange(atom))
    return *known;
  // Without facts, what is known depends on all that was ever asked.
  std::optional<SymbolicContext::Impl::Unpaid> unpaid;
  if (!facts)
    unpaid.emplace(context);
  llvm::SmallVector<Interval, 4> operands;
  for (Expr operand : atom->operands)
    operands.push_back(getRange(getTerms(operand), /*usesInequalities=*/false));
  Interval result = operands.front();
  switch (atom->kind) {
  case AtomKind::Symbol:
    break;
  case AtomKind::FloorDiv:
    result = floorDiv(operands[0], operands[1]);
    break;
  case AtomKind::ExactDiv:
    result = floorDiv(operands[0], operands[1]);
    break;
  case AtomKind::Max:
    for (Interval operand : llvm::drop_begin(operands))
      result = {std::max(result.lower, operand.lower), std::max(result.upper, operand.upper)};
    break;
  case AtomKind::Bcast: {
    // Where all are at least 1, broadcasting gives the largest.
    bool positive = llvm::all_of(operands, [](Interval operand) { return operand.lower >= 1; });
    for (Interval operand : llvm::drop_begin(operands))
      result = {positive ? std::max(result.lower, operand.lower) : std::min(result.lower, operand.lower),
                std::max(result.upper, operand.upper)};
    break;
  }
  }
  bool isCut = facts && context.fuel == 0;
  if (isCut)
    atomRanges.detach();
  hasCutRanges |= isCut;
  atomRanges.get()[atom] = {result, isCut};
  return result;
}

/// Without facts, a symbol that stands alone in a term and nowhere else gives the sum any value.
static bool hasFreeSymbol(Terms terms) {
  return llvm::any_of(dropConstant(terms), [&](const Term &term) {
    const Atom *atom = term.monomial->getAtom();
    return atom && atom->isSymbol() && llvm::none_of(terms, [&](const Term &other) {
             return &other != &term && (other.monomial->getSymbolMask() & atom->symbolMask);
           });
  });
}

int64_t BoundProver::getLower(Terms terms, bool usesInequalities) {
  return Search{*this, usesInequalities}.getLower(terms, plusInfinity, Search::maximalLevel);
}

int64_t BoundProver::getUpper(Terms terms, bool usesInequalities) {
  MaybePoly negated = scale(terms, -1);
  int64_t lower = negated ? getLower(*negated, usesInequalities) : minusInfinity;
  return lower == minusInfinity ? plusInfinity : -lower;
}

Interval BoundProver::getRange(Terms terms, bool usesInequalities) {
  if (!facts && hasFreeSymbol(terms))
    return {};
  return {getLower(terms, usesInequalities), getUpper(terms, usesInequalities)};
}

std::optional<int64_t> BoundProver::getOnlyQuotient(Terms terms, int64_t offset, int64_t divisor) {
  if (!facts && hasFreeSymbol(terms))
    return std::nullopt;
  std::optional<int64_t> only;
  auto isOnly = [&](int64_t value) {
    std::optional<int64_t> sum = checkedAdd(value, offset);
    std::optional<int64_t> quotient = sum ? checkedFloorDiv(*sum, divisor) : std::nullopt;
    only = only ? only : quotient;
    return quotient && quotient == only;
  };
  if (!facts)
    for (std::optional<int64_t> value : samples.get(terms))
      if (value && !isOnly(*value))
        return std::nullopt;
  int64_t lower = getLower(terms, /*usesInequalities=*/true);
  if (lower == minusInfinity || !isOnly(lower))
    return std::nullopt;
  int64_t upper = getUpper(terms, /*usesInequalities=*/true);
  return upper != plusInfinity && isOnly(upper) ? only : std::nullopt;
}

int64_t BoundProver::getLowerUpTo(Terms terms, int64_t goal) {
  return Search{*this}.getLower(terms, goal, Search::maximalLevel);
}

int64_t BoundProver::getUpperDownTo(Terms terms, int64_t goal) {
  MaybePoly negated = scale(terms, -1);
  std::optional<int64_t> least = checkedSub(0, goal);
  int64_t lower = negated && least ? getLowerUpTo(*negated, *least) : minusInfinity;
  return lower == minusInfinity ? plusInfinity : -lower;
}

bool BoundProver::isAtLeast(Terms terms, int64_t bound) {
  if (isConstant(terms))
    return getConstantTerm(terms) >= bound;
  if (!facts && (hasFreeSymbol(terms) || llvm::any_of(samples.get(terms), [&](std::optional<int64_t> value) {
                   return value && *value < bound;
                 })))
    return false;
  return getLowerUpTo(terms, bound) >= bound;
}

bool BoundProver::isAtMost(Terms terms, int64_t bound) {
  MaybePoly negated = scale(terms, -1);
  std::optional<int64_t> least = checkedSub(0, bound);
  return negated && least && isAtLeast(*negated, *least);
}

/// rule no-zero-factor: x != 0 and y != 0 |- x*y != 0
bool BoundProver::isNonZero(Terms terms) {
  if (isConstant(terms))
    return getConstantTerm(terms) != 0;
  if (isAtLeast(terms, 1) || isAtMost(terms, -1))
    return true;
  // A product is not zero where no factor is.
  if (terms.size() != 1)
    return false;
  return llvm::all_of(terms.front().monomial->getPowers(), [&](const Power &power) {
    return isAtLeast(Term{context.getMonomial(power.atom), 1}, 1) ||
           isAtMost(Term{context.getMonomial(power.atom), 1}, -1);
  });
}
