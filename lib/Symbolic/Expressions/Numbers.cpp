//===- The numbers in an expression -----------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "dyn/Symbolic/Numbers.h"
#include "Expressions/Polynomial.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace dyn::symbolic;

static int64_t getLargestNumber(Expr expr, llvm::SmallPtrSetImpl<const Atom *> &seen) {
  int64_t largest = 0;
  for (const Term &term : getTerms(expr)) {
    largest = std::max(largest, term.coefficient == INT64_MIN ? INT64_MAX : std::abs(term.coefficient));
    for (const Power &power : term.monomial->getPowers())
      if (!power.atom->isSymbol() && seen.insert(power.atom).second)
        for (Expr operand : power.atom->operands)
          largest = std::max(largest, getLargestNumber(operand, seen));
  }
  return largest;
}

int64_t dyn::symbolic::getLargestNumber(Expr expr) {
  llvm::SmallPtrSet<const Atom *, 8> seen;
  return expr ? ::getLargestNumber(expr, seen) : 0;
}
