//===- Equations of products modulo small numbers -------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Which remainders the unknowns of an equation may have is found by trying all of
// them. `s*t == 2*k + 1` makes s and t odd; `s*s + s == 2*t + 1` has no solution.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

static constexpr unsigned largestModulus = 8;
static constexpr size_t maximalPoints = 256;

namespace {
/// A polynomial modulo a number, each of whose atoms is an integer of its own.
class ResidueTable {
public:
  ResidueTable(Terms polynomial, unsigned modulus) : modulus(modulus) {
    for (const Term &term : polynomial)
      if (int64_t coefficient = floorMod(term.coefficient, modulus)) {
        terms.push_back({static_cast<unsigned>(coefficient), {}});
        for (const Power &power : term.monomial->getPowers())
          terms.back().factors.push_back({getIndex(power.atom), reduceExponent(power.exponent)});
      }
  }

  /// More than a linear equation says?
  bool hasProducts() const {
    return llvm::any_of(terms, [](const Reduced &term) {
      return term.factors.size() > 1 || (term.factors.size() == 1 && term.factors[0].exponent > 1);
    });
  }
  /// No more than the first number above `maximalPoints`.
  size_t countPoints() const {
    size_t count = 1;
    for (size_t index = 0; index < atoms.size() && count <= maximalPoints; ++index)
      count *= modulus;
    return count;
  }
  size_t countTerms() const { return terms.size(); }

  /// For each atom, a bit for each remainder that it has at some zero.
  llvm::SmallVector<unsigned, 8> findZeros() const {
    llvm::SmallVector<unsigned, 8> found(atoms.size(), 0), point(atoms.size(), 0);
    while (true) {
      if (evaluate(point) == 0)
        for (auto [bits, remainder] : llvm::zip_equal(found, point))
          bits |= 1u << remainder;
      size_t index = 0;
      while (index < point.size() && ++point[index] == modulus)
        point[index++] = 0;
      if (index == point.size())
        return found;
    }
  }

  llvm::ArrayRef<const Atom *> getAtoms() const { return atoms; }

private:
  struct Factor {
    unsigned atom, exponent;
  };
  struct Reduced {
    unsigned coefficient;
    llvm::SmallVector<Factor, 3> factors;
  };

  /// A smaller one with the same remainders: modulo numbers up to 8, powers repeat every 12 from the third on.
  static unsigned reduceExponent(uint32_t exponent) {
    static_assert(largestModulus == 8);
    return exponent <= 3 ? exponent : 3 + (exponent - 3) % 12;
  }

  unsigned getIndex(const Atom *atom) {
    auto place = llvm::find(atoms, atom);
    if (place == atoms.end())
      place = atoms.insert(place, atom);
    return place - atoms.begin();
  }

  unsigned evaluate(llvm::ArrayRef<unsigned> point) const {
    unsigned sum = 0;
    for (const Reduced &term : terms) {
      unsigned product = term.coefficient;
      for (const Factor &factor : term.factors)
        for (unsigned times = 0; times < factor.exponent && product != 0; ++times)
          product = product * point[factor.atom] % modulus;
      sum += product;
    }
    return sum % modulus;
  }

  unsigned modulus;
  llvm::SmallVector<const Atom *, 8> atoms;
  llvm::SmallVector<Reduced, 8> terms;
};
} // namespace

/// Of a parameter nothing is learnt: its halves would have halves in turn.
///
/// rule residues: x == m*i + a and y == m*j + b and x*y + R == 0 |- a*b + R == m*(-(m*i*j + i*b + j*a))
bool FactStore::learnResidues(Expr equation) {
  Terms terms = getTerms(equation);
  auto isMultipleOf = [](int64_t number) {
    return [number](const Term &term) { return term.coefficient % number == 0; };
  };
  for (auto [modulus, divisor] : {std::pair(largestModulus, 4), {4u, 2}, {2u, 1}, {3u, 3}, {5u, 5}, {7u, 7}}) {
    if (!llvm::any_of(terms, isMultipleOf(divisor)))
      continue;
    ResidueTable table(terms, modulus);
    size_t points = table.countPoints();
    if (points > maximalPoints || !table.hasProducts())
      continue;
    context.spend(points * table.countTerms());
    for (auto [atom, remainders] : llvm::zip_equal(table.getAtoms(), table.findZeros())) {
      if (remainders == 0)
        return false;
      bool isSingle = (remainders & (remainders - 1)) == 0;
      if (isSingle && atom->kind == AtomKind::Symbol && !look(atom).isParameter && !look(atom).value &&
          !assertCongruent(context.getExpr(atom), modulus, llvm::countr_zero(remainders)))
        return false;
    }
  }
  return true;
}
