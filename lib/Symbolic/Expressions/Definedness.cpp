//===- Where expressions have values -------------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Expressions/Builder.h"
#include "Expressions/Polynomial.h"
#include "dyn/Symbolic/Obligations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <functional>

using namespace dyn::symbolic;

void dyn::symbolic::visitDivisors(Expr expr, llvm::function_ref<void(Expr divisor)> visit) {
  if (!expr || expr.getNode()->depth == 0)
    return;
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    if (atom->kind == AtomKind::FloorDiv && atom->operands[1].getConstant().value_or(0) == 0)
      visit(atom->operands[1]);
    for (Expr operand : atom->operands)
      visitDivisors(operand, visit);
  }
}

static void collectDefinedness(Expr expr, llvm::SmallPtrSetImpl<const Atom *> &seen, std::vector<Predicate> &result) {
  SymbolicContext &context = expr.getContext();
  auto require = [&](Predicate predicate) {
    // What sizes that are numbers say of each other.
    if (std::optional<bool> truth = evaluate(predicate, [](llvm::StringRef) { return std::nullopt; })) {
      if (*truth)
        return;
      predicate = Predicate{Predicate::Kind::False, {}, {}, {}};
    }
    if (!llvm::is_contained(result, predicate))
      result.push_back(std::move(predicate));
  };
  for (const Atom *atom : getAtoms(getTerms(expr))) {
    if (!seen.insert(atom).second)
      continue;
    for (Expr operand : atom->operands)
      collectDefinedness(operand, seen, result);
    if (atom->kind == AtomKind::FloorDiv || atom->kind == AtomKind::ExactDiv) {
      Expr dividend = atom->operands[0], divisor = atom->operands[1], zero = context.getConstant(0);
      if (!divisor.getConstant() || divisor == zero)
        require(Predicate::notEqual(divisor, zero));
      // A broadcast is a multiple of each of its sizes.
      const Atom *bcast = getTerms(dividend).size() == 1 ? getTerms(dividend)[0].monomial->getAtom() : nullptr;
      bool isMultiple = bcast && bcast->kind == AtomKind::Bcast && llvm::is_contained(bcast->operands, divisor);
      if (atom->kind == AtomKind::ExactDiv && !isMultiple)
        require(Predicate::equal(mod(dividend, divisor), zero));
    }
    if (atom->kind == AtomKind::Bcast)
      for (size_t i = 0; i < atom->operands.size(); ++i)
        for (size_t j = i + 1; j < atom->operands.size(); ++j)
          require(Predicate::broadcastable(atom->operands[i], atom->operands[j]));
  }
}

std::vector<Predicate> dyn::symbolic::getDefinedness(Expr expr) {
  std::vector<Predicate> result;
  llvm::SmallPtrSet<const Atom *, 8> seen;
  if (expr)
    collectDefinedness(expr, seen, result);
  return result;
}

std::vector<Predicate> dyn::symbolic::getDefinedness(const Predicate &predicate) {
  std::vector<Predicate> result;
  auto add = [&](std::vector<Predicate> needed) {
    for (Predicate &need : needed)
      if (!llvm::is_contained(result, need))
        result.push_back(std::move(need));
  };
  add(getDefinedness(predicate.lhs));
  add(getDefinedness(predicate.rhs));
  for (const Predicate &operand : predicate.operands)
    add(getDefinedness(operand));
  return result;
}

Expr dyn::symbolic::withoutPromises(Expr expr) {
  if (!expr || expr.getNode()->depth == 0)
    return expr;
  ExprBuilder builder(expr.getContext().getImpl());
  Expr one = expr.getContext().getConstant(1);
  ExprBuilder::Memo memo;
  bool isComplete = true;
  std::function<Expr(const Atom *)> replace = [&](const Atom *atom) -> Expr {
    if (atom->isSymbol() || !isComplete)
      return {};
    llvm::SmallVector<Expr, 4> operands;
    for (Expr operand : atom->operands)
      operands.push_back(builder.rebuild(operand, replace, memo));
    Expr built;
    if (llvm::all_of(operands, [](Expr operand) { return static_cast<bool>(operand); })) {
      if (atom->kind == AtomKind::Bcast) {
        Expr greatest = builder.max(operands);
        operands.push_back(one);
        built = builder.multiply(greatest, builder.min(operands));
      } else {
        built = builder.build(atom->kind == AtomKind::ExactDiv ? AtomKind::FloorDiv : atom->kind, operands);
      }
    }
    isComplete &= static_cast<bool>(built);
    return built;
  };
  Expr rebuilt = builder.rebuild(expr, replace, memo);
  return isComplete ? rebuilt : Expr();
}
