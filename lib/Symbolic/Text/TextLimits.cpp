//===- What is too large to be read -------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// An operation without a result does not say why. The limits are looked up again, in
// the order in which they are met.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Limits.h"
#include "Expressions/Polynomial.h"
#include "Text/TextReader.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

void TextReader::enter(size_t column, bool isOperand) {
  // The innermost operand is in the last level.
  if (++depth > limits::levels + isOperand)
    errors.fail("nested more than " + llvm::Twine(limits::levels) + " levels deep", column);
}

namespace {
/// The size of operands.
struct Size {
  size_t operands = 0; ///< with those of maxima and broadcasts among them
  size_t terms = 0;    ///< of their sum
  size_t products = 1; ///< of their terms
  uint32_t factors = 0;
  unsigned levels = 0;
  uint64_t nodes = 0;
};
} // namespace

static Size measure(llvm::ArrayRef<Expr> operands) {
  Size size;
  llvm::SmallPtrSet<const Monomial *, 32> monomials;
  for (Expr operand : operands) {
    if (!operand)
      continue;
    Terms terms = getTerms(operand);
    uint32_t factors = 0;
    for (const Term &term : terms) {
      monomials.insert(term.monomial);
      factors = std::max(factors, term.monomial->degree);
    }
    const Atom *atom = terms.size() == 1 ? terms[0].monomial->getAtom() : nullptr;
    bool isFlattened = atom && (atom->kind == AtomKind::Max || atom->kind == AtomKind::Bcast);
    size.operands += isFlattened ? atom->operands.size() : 1;
    size.products *= std::max<size_t>(terms.size(), 1);
    size.factors += factors;
    size.levels = std::max<unsigned>(size.levels, operand.getNode()->depth);
    size.nodes += operand.getNode()->nodeCount;
  }
  size.terms = monomials.size();
  return size;
}

std::string TextReader::describeLimit(Joined joined, llvm::ArrayRef<Expr> operands) {
  Size size = measure(operands);
  auto describe = [](llvm::StringRef what, uint64_t most, uint64_t found) {
    return (what + ", at most " + llvm::Twine(most) + ", found " + llvm::Twine(found)).str();
  };
  if (joined == Joined::Sum && size.terms > limits::termsOfSum)
    return describe("too many terms", limits::termsOfSum, size.terms);
  if (joined == Joined::Product && operands.size() == 2) {
    bool areSums = llvm::all_of(operands, [](Expr operand) { return operand && getTerms(operand).size() > 1; });
    if (areSums && size.products > limits::termsOfProduct)
      return describe("too many terms in a product of sums", limits::termsOfProduct, size.products);
    if (size.factors > limits::factorsOfTerm)
      return describe("too many factors in a product", limits::factorsOfTerm, size.factors);
  }
  if (joined == Joined::Call && size.operands > limits::operandsOfMax)
    return describe("too many operands",
                    size.operands > limits::operandsOfBcast ? limits::operandsOfBcast : limits::operandsOfMax,
                    size.operands);
  if (joined == Joined::Call && size.levels >= limits::levels)
    return describe("operations nested too deeply", limits::levels, size.levels + 1);
  if (size.nodes >= limits::nodes)
    return describe("an expression of too many nodes", limits::nodes, size.nodes);
  if (size.nodes <= limits::termsOfProduct)
    return "a coefficient does not fit into 64 bits";
  return ("a coefficient does not fit into 64 bits, or the result has more than " + llvm::Twine(limits::termsOfSum) +
          " terms or " + llvm::Twine(limits::nodes) + " nodes")
      .str();
}
