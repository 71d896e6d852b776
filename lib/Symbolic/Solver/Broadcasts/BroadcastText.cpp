//===- Broadcasts that are written as maxima and minima ------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Files for other programs have `Max(a, b)*Min(a, b, 1)` for what a and b broadcast to,
// which it is where they broadcast. Of n sizes the minimum with 1 is their sum and 1
// less the greatest of the sums that leave one of them out: so minima are kept.
//
//===----------------------------------------------------------------------===//

#include "Solver/FactStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace dyn::symbolic;

/// Is it told of two sizes that they are equal or one is 1, or a part of that?
static bool isToldToBroadcast(const Predicate &told, Expr first, Expr second, ExprBuilder &builder) {
  Expr one = builder.getContext().getConstant(1), difference = builder.subtract(first, second);
  const Expr equal[] = {difference,
                        builder.scale(difference, -1),
                        builder.subtract(first, one),
                        builder.subtract(one, first),
                        builder.subtract(second, one),
                        builder.subtract(one, second)};
  return llvm::all_of(told.operands, [&](const Predicate &part) {
    return part.kind == Predicate::Kind::Equal && llvm::is_contained(equal, builder.subtract(part.lhs, part.rhs));
  });
}

bool FactStore::areBroadcastable(llvm::ArrayRef<Expr> sizes) {
  for (size_t place = 1; place < sizes.size(); ++place)
    for (Expr other : sizes.take_front(place)) {
      auto isTold = [&](const Disjunction &known) {
        return isToldToBroadcast(*known.predicate, other, sizes[place], builder);
      };
      if (decide(Predicate::broadcastable(other, sizes[place])) != Verdict::Yes && llvm::none_of(disjunctions, isTold))
        return false;
    }
  return true;
}

/// Is `most` the maximum of the sums of `sizes` and 1 that leave out one of these? Of sizes that are constants, which
/// are at least 1, the minimum says nothing.
static bool leavesOneOut(const Atom *most, llvm::ArrayRef<Expr> sizes, Expr sum, ExprBuilder &builder) {
  size_t found = llvm::is_contained(most->operands, sum);
  for (Expr size : sizes)
    found += llvm::is_contained(most->operands,
                                builder.add(builder.subtract(sum, size), builder.getContext().getConstant(1)));
  return found == most->operands.size() && found == sizes.size() + 1;
}

/// rule join-broadcast: x >= 0 and y >= 0 and bc_ok(x, y) |- max(x, y)*min(x, y, 1) == bcast(x, y)
Expr FactStore::joinBroadcasts(Expr expr) {
  auto isMax = [](const Power &power) { return power.atom->kind == AtomKind::Max && power.exponent == 1; };
  for (const Term &term : expr ? getTerms(expr) : Terms())
    for (const Power &first : term.monomial->getPowers()) {
      if (!isMax(first) || llvm::count_if(term.monomial->getPowers(), isMax) < 2)
        continue;
      llvm::ArrayRef<Expr> all = first.atom->operands;
      llvm::SmallVector<Expr> sizes;
      Expr sum = context.getConstant(0);
      for (Expr size : all)
        if (!size.getConstant()) {
          sizes.push_back(size);
          sum = builder.add(sum, size);
        }
      auto isLeast = [&](const Power &other) {
        return other.atom != first.atom && isMax(other) && leavesOneOut(other.atom, sizes, sum, builder);
      };
      const Power *second = sum ? llvm::find_if(term.monomial->getPowers(), isLeast) : term.monomial->getPowers().end();
      auto isSize = [&](Expr size) { return prover.isAtLeast(size, size.getConstant() ? 1 : 0); };
      if (second == term.monomial->getPowers().end() || !llvm::all_of(all, isSize) || !areBroadcastable(all))
        continue;
      // K*max*least is K*max*(sum + 1) - K*bcast.
      const Monomial *product = context.multiply(first.atom->monomial, second->atom->monomial);
      Expr rest = context.getExpr(Term{divide(context, term.monomial, product), term.coefficient});
      Expr written = builder.multiply(context.getExpr(first.atom), builder.add(sum, context.getConstant(1)));
      Expr difference = builder.subtract(builder.subtract(written, builder.bcast(all)),
                                         builder.multiply(context.getExpr(first.atom), context.getExpr(second->atom)));
      Expr joined = difference ? builder.add(expr, builder.multiply(rest, difference)) : Expr();
      context.spend(2 * ExprBuilder::costOfAtom);
      if (joined && getTerms(joined).size() < getTerms(expr).size())
        return joinBroadcasts(joined);
    }
  return expr;
}
